package policy

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/session/atomicfile"
	"wiretea/session/decide/policy"
	"wiretea/session/decide/policy/kvlar"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// maxYAML is the longest file of kvlar, in bytes.
const maxYAML = 4 << 20

func newImport() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "write the policy that decides as the YAML policy of kvlar does; exit code 1 if a rule could not be carried over", Args: term.Args(1, 1, "wiretea policy import FILE", "want a policy of kvlar"),
		Long: `Write the policy that decides as the YAML policy of kvlar does.

What cannot be carried over is said on stderr, rule by rule, with exit code 1. The policy
never allows more than kvlar's: a rule that allows is left out then, and one that denies, or
requires approval, denies more. What extends names is read from the folder of FILE.`,
		Example: `  wiretea policy import kvlar.yaml > policy.toml
  wiretea policy test policy.toml --suite kvlar.test.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := read(args[0])
			if err != nil {
				return wrong(args[0], err)
			}
			out, remarks, err := kvlar.Import(text, func(name string) ([]byte, error) {
				if !filepath.IsAbs(name) {
					name = filepath.Join(filepath.Dir(args[0]), name)
				}
				return read(name)
			})
			if err != nil {
				return wrong(args[0], err)
			}
			if _, err := cmd.OutOrStdout().Write(out); err != nil {
				return err
			}
			lost := 0
			for _, r := range remarks {
				if r.Lost {
					lost = term.ExitFound
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "wiretea:", format.Line(r.String()))
			}
			return term.Silently(lost)
		},
	}
}

// read reads a file of kvlar.
func read(path string) ([]byte, error) {
	text, err := atomicfile.Read(path, maxYAML)
	if at, ok := errors.AsType[*os.PathError](err); ok {
		err = at.Err
	}
	return text, err
}

// wrong words what is wrong with a file of kvlar.
func wrong(path string, err error) error {
	return term.Usage("docs/policy.md says what is read of kvlar", "%s: %w", path, err)
}

// runSuite runs the cases of a suite, writes what comes of each, and returns how many fail.
func runSuite(w io.Writer, path string, p *policy.Policy) (failed int, err error) {
	text, err := read(path)
	if err != nil {
		return 0, wrong(path, err)
	}
	cases, err := kvlar.Suite(text)
	if err != nil {
		return 0, wrong(path, err)
	}
	skipped := 0
	for i := range cases {
		line := "passed   " + cases[i].ID
		if why := cases[i].Beyond(); why != "" {
			skipped++
			line = "not run  " + cases[i].ID + "  " + why
		} else if failures := cases[i].Run(p); len(failures) > 0 {
			failed++
			line = "failed   " + cases[i].ID + "  " + strings.Join(failures, "; ")
		}
		if _, err := fmt.Fprintln(w, format.Line(line)); err != nil {
			return failed, err
		}
	}
	sum := fmt.Sprintf("%s: %d of %s failed", path, failed, format.Plural(int64(len(cases)), "case"))
	if skipped > 0 {
		sum += fmt.Sprintf(", %d not run", skipped)
	}
	_, err = fmt.Fprintln(w, format.Line(sum))
	return failed, err
}

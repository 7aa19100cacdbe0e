package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/verdict"
	"wiretea/session/check"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

func NewRules() *cobra.Command {
	var asJSON, markdown bool
	cmd := &cobra.Command{
		Use:               "rules [ID]",
		Short:             "list the rules, or explain one",
		Example:           "  wiretea rules\n  wiretea rules stdout-not-json\n  wiretea rules --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeRules,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch {
			case markdown:
				return check.WriteMarkdown(out)
			case len(args) == 0 && asJSON:
				return json.NewEncoder(out).Encode(append(check.All(), verdict.OwnRules...))
			case len(args) == 0:
				return writeRules(out)
			}
			rule := verdict.RuleOf(args[0])
			if rule == nil {
				return term.Usage(text.Nearest(args[0], verdict.RuleIDs(), "wiretea rules lists them"), "unknown rule %q", args[0])
			}
			if asJSON {
				return json.NewEncoder(out).Encode(rule)
			}
			return check.WriteText(out, rule)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the page docs/rules.md")
	return cmd
}

// writeRules lists the catalogue, and the rules of check.
func writeRules(w io.Writer) error {
	var table text.Table
	all := check.All()
	for _, r := range slices.Concat(all, verdict.OwnRules) {
		table.Add(r.ID, r.Severity.String(), r.Fault.String(), r.Text().Title)
	}
	lines := table.Lines()
	_, err := fmt.Fprintf(w, "%s\n\nrules of wiretea check:\n%s\n", strings.Join(lines[:len(all)], "\n"), strings.Join(lines[len(all):], "\n"))
	return err
}

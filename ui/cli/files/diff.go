package files

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/diff"
	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	json    bool
	paths   []string
	ignore  []string
	strict  bool
	slower  float64
	folder  string
	verbose bool // verbose prints values whole.
}

func NewDiff() *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff [flags] A B",
		Short: "compare two recordings by their messages",
		Long: `Compares two recordings: the names and capabilities of client and server; tools,
prompts and resources that were added, removed or changed; the response to each
request, paired by method and parameters; notifications; new and resolved findings;
the exit of the server; and latencies.

Values that differ in every session are ignored: ids, progress tokens and other _meta,
cursors, task ids, times. ✎ marks a text for the model: a description or the server's
instructions. Latencies are compared by the Mann-Whitney rank sum test and shown; they
are a difference only with --slower.

Exit code: 0 the same, 1 something differs, 2 a recording cannot be read.`,
		Example: `  wiretea diff before.mcpcap.jsonl after.mcpcap.jsonl
  wiretea diff 20261120-100000-files-4711 20261121-090000-files-5210
  wiretea diff --ignore findings,notifications --ignore-path ..updatedAt a.jsonl b.jsonl
  wiretea diff --slower 1.5 --json before.jsonl after.jsonl`,
		Args: term.Args(2, 2, "wiretea diff A B", "want two recordings"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return term.SessionNames(o.folder), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print the differences as one JSON object")
	f.StringSliceVar(&o.ignore, "ignore", nil, "`PARTS` that are not compared: "+partWords())
	f.StringArrayVar(&o.paths, "ignore-path", nil, "`PATH` in messages that does not count, as in ..updatedAt or .result.content[*].text; repeatable")
	f.BoolVar(&o.strict, "strict", false, "compare texts that are a time in both, too")
	f.Float64Var(&o.slower, "slower", 0, "report a difference if a method is slower by this `FACTOR` with statistical significance; 0 = only shown")
	f.BoolVar(&o.verbose, "long", false, "print values whole")
	f.StringVar(&o.folder, "sessions", "", "the `FOLDER` in which names are looked up (default ~/.local/state/wiretea/sessions)")
	term.Complete(cmd, "ignore", strings.Split(partWords(), ", ")...)
	return cmd
}

// partWords are the words of --ignore.
func partWords() string {
	words := make([]string, len(diff.Parts))
	for i, p := range diff.Parts {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
}

func (o *diffOptions) options() (diff.Options, error) {
	out := diff.Options{Strict: o.strict, Slower: o.slower, Skip: map[diff.Part]bool{}}
	for _, word := range o.ignore {
		part := diff.Part(strings.TrimSpace(word))
		if !slices.Contains(diff.Parts, part) {
			return out, term.Usage("they are "+partWords(), "--ignore: unknown part %q", word)
		}
		out.Skip[part] = true
	}
	var err error
	if out.Ignore, err = term.Paths("ignore-path", o.paths); err != nil {
		return out, err
	}
	if o.slower != 0 && !(o.slower >= 1) { // NaN is not either.
		return out, term.Usage("--slower 1.5 is half as slow again", "--slower %v is not a slowdown", o.slower)
	}
	return out, nil
}

func (o *diffOptions) run(cmd *cobra.Command, a, b string) error {
	opt, err := o.options()
	if err != nil {
		return err
	}
	found, err := between(cmd.Context(), recorder.Find(o.folder, a), recorder.Find(o.folder, b), opt, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := o.write(cmd.OutOrStdout(), a, b, found); err != nil {
		return err
	}
	if !found.Same {
		return term.Silently(term.ExitFound)
	}
	return nil
}

// between compares the recordings of two files. What is damaged in them is said on errw.
func between(ctx context.Context, a, b string, opt diff.Options, errw io.Writer) (*diff.Report, error) {
	var sides [2]*diff.Side
	for i, path := range []string{a, b} {
		f, err := term.OpenRecording(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if f.Live() == recorder.Live {
			return nil, term.Usage("wait for its end, or compare a copy", "%s is still being written", path)
		}
		if sides[i], err = diff.Read(ctx, f, opt); err != nil {
			return nil, term.RecordingFailure(path, err)
		}
		if sides[i].Empty() {
			return nil, term.RecordingFailure(path, term.ErrNothing(path))
		}
		term.ReportDamage(errw, path, &recorder.Follower{Damage: sides[i].Damage, Torn: sides[i].Torn})
	}
	found, err := diff.Compare(sides[0], sides[1])
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	return found, nil
}

// Lines returns what differs between the recordings of two files, as wiretea diff writes it, in
// lines.
func DiffLines(ctx context.Context, a, b string) ([]string, error) {
	var text strings.Builder
	found, err := between(ctx, a, b, diff.Options{}, &text)
	if err != nil {
		return nil, err
	}
	if err := report.WriteDiff(&text, report.Look{}, false, recorder.SessionName(a), recorder.SessionName(b), found); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n"), nil
}

func (o *diffOptions) write(w io.Writer, a, b string, found *diff.Report) error {
	if o.json {
		return report.Encode(w, found)
	}
	w, colour := term.Painted(w)
	return report.WriteDiff(w, report.Look{Colour: colour}, o.verbose, a, b, found)
}

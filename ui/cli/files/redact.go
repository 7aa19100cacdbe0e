package files

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/redact"
	"wiretea/session/secrets"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

func NewRedact() *cobra.Command {
	var o redactFlags
	var force bool
	cmd := &cobra.Command{
		Use:   "redact [flags] IN OUT",
		Short: "copy a recording without its secrets",
		Long: `Copies a recording and replaces secrets by placeholders: values of members, headers,
variables and flags with names like password or token, tokens of known formats,
private keys, passwords in URLs, random-looking strings, the name of your home folder,
and what you name. Equal secrets get the same placeholder everywhere, so the copy
pairs and replays like the original.

Replacements are reported by kind and number, never by value. The original is not
changed. OUT is compressed if its name ends in .gz or .zst; - is standard output.`,
		Example: `  wiretea redact session.mcpcap.jsonl share.mcpcap.jsonl
  wiretea redact --path '..arguments.patient' --pattern 'case \d+' in.mcpcap.jsonl out.mcpcap.jsonl.zst
  wiretea redact in.mcpcap.jsonl - | wiretea scan -`,
		Args: term.Args(2, 2, "wiretea redact IN OUT", "want the recording and the name of the copy"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], args[1], force) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "replace OUT if it exists")
	return cmd
}

func (o *redactFlags) run(cmd *cobra.Command, in, out string, force bool) error {
	opt, err := o.options()
	if err != nil {
		return err
	}
	f, err := term.OpenRecording(in)
	if err != nil {
		return err
	}
	defer f.Close()
	errw := cmd.ErrOrStderr()
	shows := term.NewWaiting(errw)
	defer shows.Stop()
	r, err := learnSecrets(cmd.Context(), f, opt, shows)
	if err != nil {
		return err
	}
	shows.Begin("writing")
	write := func(w io.Writer) error { return r.Write(cmd.Context(), w) }
	if out == "-" {
		err = write(cmd.OutOrStdout())
	} else {
		err = term.SaveFile(cmd.Context(), out, in, force, term.Packed(out, write))
	}
	shows.Stop()
	if err != nil {
		return err
	}
	saySecrets(errw, r)
	if out != "-" {
		fmt.Fprintf(errw, "wrote %s; look at it before you share it: wiretea open %s\n", term.Visible(out), text.ShellFile(out))
	}
	return nil
}

// redactFlags say what is secret beyond what everybody's secrets look like.
type redactFlags struct {
	names, paths, patterns []string
	personal               bool
}

func (o *redactFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.names, "name", nil, "the values of members of this `NAME` are secret too; repeatable")
	f.StringArrayVar(&o.paths, "path", nil, "values at this `PATH` in messages are secret too, as in .params.arguments.card or ..ssn; repeatable")
	f.StringArrayVar(&o.patterns, "pattern", nil, "matches of this `REGEXP`, or of its first group, are secret too; repeatable")
	f.BoolVar(&o.personal, "pii", false, "personal data is secret too: mail addresses, phone numbers, payment cards (with a valid check digit), IBANs")
}

// options reads what was given.
func (o *redactFlags) options() (redact.Options, error) {
	opt := redact.Options{Finder: &secrets.Finder{Names: o.names, Personal: o.personal}}
	var err error
	if opt.Paths, err = term.Paths("path", o.paths); err != nil {
		return opt, err
	}
	for _, text := range o.patterns {
		p, err := regexp.Compile(text)
		if err != nil {
			return opt, term.Usage("it is Go's syntax: https://pkg.go.dev/regexp/syntax", "--pattern: %w", err)
		}
		opt.Finder.Patterns = append(opt.Finder.Patterns, p)
	}
	return opt, nil
}

// learnSecrets reads a recording for its secrets and says how far that is.
func learnSecrets(ctx context.Context, f *recorder.File, opt redact.Options, shows *term.Waiting) (*redact.Redactor, error) {
	if err := term.Spooled(ctx, f); err != nil {
		return nil, term.RecordingFailure(f.Path(), err)
	}
	shows.Begin("looking for secrets")
	opt.Moved = func(done, total int64) { shows.Progress(float64(done), float64(total), "") }
	r, err := redact.Learn(ctx, f, opt)
	if err != nil {
		return nil, term.RecordingFailure(f.Path(), err)
	}
	return r, nil
}

// maxKinds is how many kinds of secret are told apart to people.
const maxKinds = 24

// saySecrets tells people what a Redactor replaced and left out, never what it said.
func saySecrets(w io.Writer, r *redact.Redactor) {
	kinds := r.Summary()
	distinct, places := 0, 0
	for _, k := range kinds {
		distinct, places = distinct+k.Secrets, places+k.Places
	}
	switch {
	case distinct == 0 && r.Clean():
		fmt.Fprintln(w, "no secrets found")
	case distinct > 0:
		fmt.Fprintf(w, "replaced %s at %s:\n", text.Plural(int64(distinct), "secret"), text.Plural(int64(places), "place"))
	}
	for i, k := range kinds {
		if i == maxKinds {
			fmt.Fprintf(w, "  … and %s more\n", text.Plural(int64(len(kinds)-i), "kind"))
			break
		}
		fmt.Fprintf(w, "  %-28s %s, %s\n", term.Visible(k.Name), text.Plural(int64(k.Secrets), "secret"), text.Plural(int64(k.Places), "place"))
	}
	if r.Damage.Lines > 0 {
		fmt.Fprintf(w, "left out: %s, the first at byte %d\n", text.Plural(r.Damage.Lines, "unreadable line"), r.Damage.Off)
	}
	if r.Torn > 0 {
		fmt.Fprintf(w, "left out: the last record, which is torn off after %s\n", text.Plural(r.Torn, "byte"))
	}
}

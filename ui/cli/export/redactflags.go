package export

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/redact"
	"wiretea/recorder/redact/secrets"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// redactFlags say what is secret beyond what everybody's secrets look like.
type redactFlags struct {
	names, paths, patterns []string
}

func (o *redactFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.names, "name", nil, "the values of members of this `NAME` are secret too; repeatable")
	f.StringArrayVar(&o.paths, "path", nil, "values at this `PATH` in messages are secret too, as in .params.arguments.card or ..ssn; repeatable")
	f.StringArrayVar(&o.patterns, "pattern", nil, "matches of this `REGEXP`, or of its first group, are secret too; repeatable")
}

// options reads what was given.
func (o *redactFlags) options() (redact.Options, error) {
	opt := redact.Options{Finder: &secrets.Finder{Names: o.names}}
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

// saySecrets tells people what was replaced, never what it said.
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
		fmt.Fprintf(w, "replaced %s at %s:\n", format.Plural(int64(distinct), "secret"), format.Plural(int64(places), "place"))
	}
	for i, k := range kinds {
		if i == maxKinds {
			fmt.Fprintf(w, "  … and %s more\n", format.Plural(int64(len(kinds)-i), "kind"))
			break
		}
		fmt.Fprintf(w, "  %-28s %s, %s\n", term.Visible(k.Name), format.Plural(int64(k.Secrets), "secret"), format.Plural(int64(k.Places), "place"))
	}
	if r.Damage.Lines > 0 {
		fmt.Fprintf(w, "left out: %s, the first at byte %d\n", format.Plural(r.Damage.Lines, "unreadable line"), r.Damage.Off)
	}
	if r.Torn > 0 {
		fmt.Fprintf(w, "left out: the last record, which is torn off after %s\n", format.Plural(r.Torn, "byte"))
	}
}

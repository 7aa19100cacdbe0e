package files

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wiretea/recorder/redact"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// scanOptions are the flags of scan.
type scanOptions struct {
	redactFlags
	json bool
	all  bool
}

func NewScan() *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan [flags] FILE…",
		Short: "look for secrets in recordings",
		Long: `Reports the secrets in a recording: the record, the path in it and the kind of
secret, never the value. It finds what redact would replace. Exit code: 0 no secrets,
1 secrets found, or lines that cannot be read and may contain some.`,
		Example: `  wiretea scan share.mcpcap.jsonl
  wiretea scan --json --path ..arguments.patient session.mcpcap.jsonl | jq -r .path`,
		Args: term.Args(1, 0, "wiretea scan FILE", "no recording given"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object per place")
	cmd.Flags().BoolVar(&o.all, "all", false, "print every place, not the first 50 of a file")
	return cmd
}

func (o *scanOptions) run(cmd *cobra.Command, paths []string) error {
	passed := true
	for _, path := range paths {
		clean, err := o.file(cmd, path, len(paths) > 1)
		if err != nil {
			return err
		}
		passed = passed && clean
	}
	if !passed {
		return term.Silently(term.ExitFound)
	}
	return nil
}

// mostPlaces is how many places of a file people are told.
const mostPlaces = 50

// file looks at one file and reports whether all of it was read and nothing was found.
func (o *scanOptions) file(cmd *cobra.Command, path string, named bool) (bool, error) {
	opt, err := o.options()
	if err != nil {
		return false, err
	}
	f, err := term.OpenRecording(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	r, err := learnSecrets(cmd.Context(), f, opt, shows)
	if err != nil {
		return false, err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	count := 0
	if err := r.Scan(cmd.Context(), func(p redact.Place) {
		if count++; o.json || o.all || count <= mostPlaces {
			shows.Pause()
			o.write(out, path, named, p)
			shows.Resume()
		}
	}); err != nil {
		return false, term.RecordingFailure(path, err)
	}
	shows.Stop()
	unread := r.Damage.Lines
	if r.Torn > 0 {
		unread++
	}
	if unread > 0 && o.json {
		o.unread(out, path, unread)
	}
	if more := count - mostPlaces; more > 0 && !o.json && !o.all {
		fmt.Fprintf(out, "… and %s more (--all)\n", text.Plural(int64(more), "place"))
	}
	if err := out.Flush(); err != nil {
		return false, err
	}
	sayScanned(cmd.ErrOrStderr(), path, count, unread)
	return count == 0 && unread == 0, nil
}

// unread writes, for programs, how many lines could not be read.
func (o *scanOptions) unread(w io.Writer, file string, lines int64) {
	line, err := json.Marshal(struct {
		File  string `json:"file"`
		Kind  string `json:"kind"`
		Lines int64  `json:"lines"`
	}{file, "unreadable", lines})
	if err == nil {
		fmt.Fprintf(w, "%s\n", line)
	}
}

func sayScanned(w io.Writer, path string, count int, unread int64) {
	if unread > 0 {
		fmt.Fprintf(w, "wiretea: %s: %s could not be read and may contain secrets\n", term.Visible(path), text.Plural(unread, "line"))
	}
	switch {
	case count == 0 && unread > 0:
		fmt.Fprintf(w, "%s: no secrets found in what could be read\n", term.Visible(path))
		return
	case count == 0:
		fmt.Fprintf(w, "%s: no secrets found\n", term.Visible(path))
		return
	}
	fmt.Fprintf(w, "%s: %s; wiretea redact makes a copy without them\n", term.Visible(path), text.Plural(int64(count), "secret place"))
}

func (o *scanOptions) write(w io.Writer, file string, named bool, p redact.Place) {
	stream := ""
	if p.Record == "frame" || p.Record == "raw" {
		stream = p.Stream.String()
	}
	if o.json {
		line, err := json.Marshal(struct {
			File   string `json:"file"`
			N      uint64 `json:"n"`
			Record string `json:"record"`
			Stream string `json:"stream,omitempty"`
			Path   string `json:"path"`
			Kind   string `json:"kind"`
		}{file, p.N, p.Record, stream, p.Path, p.Kind})
		if err == nil {
			fmt.Fprintf(w, "%s\n", line)
		}
		return
	}
	where := p.Record
	if p.N > 0 {
		where = fmt.Sprintf("#%d", p.N)
	}
	if named {
		where = file + " " + where
	}
	fmt.Fprintf(w, "%-8s %-4s %s  %s\n", where, stream, term.Visible(p.Path), term.Visible(p.Kind))
}

package export

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"wiretea/recorder/redact"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
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
1 secrets found.`,
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
	found := 0
	for _, path := range paths {
		n, err := o.file(cmd, path, len(paths) > 1)
		if err != nil {
			return err
		}
		found += n
	}
	if found > 0 {
		return term.Silently(term.ExitFound)
	}
	return nil
}

// mostPlaces is how many places of a file people are told.
const mostPlaces = 50

// file looks at one file and returns how many places there are.
func (o *scanOptions) file(cmd *cobra.Command, path string, named bool) (int, error) {
	opt, err := o.options()
	if err != nil {
		return 0, err
	}
	f, err := term.OpenRecording(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	r, err := learnSecrets(cmd.Context(), f, opt, shows)
	if err != nil {
		return 0, err
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
		return count, term.RecordingFailure(path, err)
	}
	shows.Stop()
	if more := count - mostPlaces; more > 0 && !o.json && !o.all {
		fmt.Fprintf(out, "… and %s more (--all)\n", format.Plural(int64(more), "place"))
	}
	if err := out.Flush(); err != nil {
		return count, err
	}
	sayScanned(cmd.ErrOrStderr(), path, r, count)
	return count, nil
}

func sayScanned(w io.Writer, path string, r *redact.Redactor, count int) {
	if r.Damage.Lines > 0 {
		fmt.Fprintf(w, "wiretea: %s: %s could not be read and may contain secrets\n", path, format.Plural(r.Damage.Lines, "line"))
	}
	if count == 0 {
		fmt.Fprintf(w, "%s: no secrets found\n", path)
		return
	}
	fmt.Fprintf(w, "%s: %s; wiretea redact makes a copy without them\n", path, format.Plural(int64(count), "secret place"))
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

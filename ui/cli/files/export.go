package files

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/recorder/redact"
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// exportOptions are the flags of export.
type exportOptions struct {
	redactFlags
	format, output, filter string
	dir, end               string
	conn, trip             int
	withSecrets, force     bool
	notes                  bool
	merged                 bool // merged: several recordings are written as one, on one clock.
}

const bytesFormat = "bytes"

func formatNames() []string { return append(export.Names(), bytesFormat) }

// formatHelp lists the formats, a line each.
func formatHelp() string {
	table := text.Table{Indent: "  "}
	for _, f := range export.Formats {
		table.Add(f.Name, f.Says)
	}
	table.Add(bytesFormat, "one stream (--dir), as it crossed the wire")
	return table.String()
}

func NewExport() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [flags] FILE [FILE… --merged]",
		Short: "convert a recording to another format, without its secrets",
		Long: `Converts a recording to another format:

` + formatHelp() + `
Secrets are replaced, equal secrets by the same placeholder, and the replacements are
listed on stderr; --with-secrets keeps them. The format bytes is exact only with
--with-secrets, or if no secret was found. Missing parts of a recording are reported
at the end of bytes, with exit code 1. If requests were injected into the session, the
two ends of a stream differ: by default it is as its sender wrote it.

With --merged, several recordings are written as one, in the order of the clock, each
line with the letter of its session. A secret of one is replaced in all.
` + aloneHelp(),
		Example: `  wiretea export session.mcpcap.jsonl
  wiretea export --filter 'm:tools/call lat>500ms' -o slow.csv session.mcpcap.jsonl
  wiretea export --dir s2c --with-secrets session.mcpcap.jsonl > stdout.bin
  wiretea export --merged -o agent.html weather files mail`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", strings.Join(formatNames(), ", ")+" (default by the name of the output, else text; bytes with --dir)")
	f.StringVarP(&o.output, "output", "o", "", "write this `FILE` instead of standard output")
	f.BoolVar(&o.force, "force", false, "replace the output if it exists")
	f.StringVar(&o.filter, "filter", "", "only frames that match, as in m:tools/call is:error")
	f.BoolVar(&o.withSecrets, "with-secrets", false, "keep secrets")
	f.BoolVar(&o.notes, "notes", false, "with text, html and md: marks and comments too")
	f.BoolVar(&o.merged, "merged", false, "write several recordings as one, in the order of the clock, each with its letter; with "+strings.Join(export.MergedNames(), ", "))
	f.StringVar(&o.dir, "dir", "s2c", "with bytes, the stream: c2s, s2c or stderr")
	f.StringVar(&o.end, "end", "", "with bytes, the stream as the client or the server had it: what was injected is in c2s at the server's end only, its answers in s2c likewise")
	f.IntVar(&o.conn, "connection", 0, "with bytes, only this connection, counted from 1 (default: all, one after the other)")
	f.IntVar(&o.trip, "trip", 0, "with bytes, only the body of this HTTP round trip")
	term.Complete(cmd, "dir", "c2s", "s2c", "stderr")
	term.Complete(cmd, "end", "client", "server")
	term.Complete(cmd, "format", formatNames()...)
	return cmd
}

// chosen is the form that was asked for, by name or by the name of the output.
func (o *exportOptions) chosen(cmd *cobra.Command) (string, error) {
	ofStream := cmd.Flags().Changed("dir") || cmd.Flags().Changed("end") || cmd.Flags().Changed("connection") || cmd.Flags().Changed("trip")
	name := o.format
	switch {
	case name == "" && ofStream:
		name = bytesFormat
	case name == "":
		name = export.Formats[0].Name
		for _, f := range export.Formats {
			if strings.HasSuffix(o.output, f.Ending) {
				name = f.Name
			}
		}
	case !slices.Contains(formatNames(), name):
		return "", term.Usage("it is one of "+strings.Join(formatNames(), ", "), "unknown format %q", name)
	}
	if ofStream && name != bytesFormat {
		return "", term.Usage("leave them out, or say --format bytes", "--dir, --end, --connection and --trip go with bytes")
	}
	if o.notes && name != "text" && name != "html" && name != "md" {
		return "", term.Usage("leave it out, or choose one of those", "--notes goes with text, html and md")
	}
	if name == bytesFormat && o.filter != "" {
		return "", term.Usage("a stream cannot be filtered; --format jsonl writes the messages that match", "--filter does not go with bytes")
	}
	return name, nil
}

// aloneHelp says which formats hold one session, and why.
func aloneHelp() string {
	words := "The other formats hold one session:\n\n"
	table := text.Table{Indent: "  "}
	for _, f := range export.Formats {
		if f.Alone != "" {
			table.Add(f.Name, f.Alone)
		}
	}
	table.Add(bytesFormat, bytesAlone)
	return words + strings.TrimRight(table.String(), "\n")
}

// bytesAlone is why several sessions are not written as bytes.
const bytesAlone = "a stream has two ends, not more"

// mayMerge returns why several recordings are not written in a format, nil where they are.
func (o *exportOptions) mayMerge(paths []string, name string) error {
	if !o.merged {
		if len(paths) > 1 {
			return term.Usage("--merged writes several as one; without it, export them one by one", "%d recordings given", len(paths))
		}
		return nil
	}
	why := bytesAlone
	if form, ok := export.Lookup(name); ok {
		if form.Alone == "" {
			return nil
		}
		why = form.Alone
	}
	return term.Usage("it is one of "+strings.Join(export.MergedNames(), ", "), "--merged does not go with the format %s: %s", name, why)
}

func (o *exportOptions) run(cmd *cobra.Command, paths []string) error {
	format, err := o.chosen(cmd)
	if err != nil {
		return err
	}
	if err := o.mayMerge(paths, format); err != nil {
		return err
	}
	path := paths[0]
	write, err := o.writer(cmd, paths, format)
	if err != nil {
		return err
	}
	if o.output == "" || o.output == "-" {
		return exportFailure(path, write(cmd.OutOrStdout()))
	}
	for _, other := range paths[1:] {
		if _, err := term.MaySave(o.output, other, o.force); err != nil {
			return err
		}
	}
	if err := term.SaveFile(cmd.Context(), o.output, path, o.force, write); err != nil {
		return exportFailure(path, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", o.output)
	return nil
}

func exportFailure(path string, err error) error {
	var f *term.Failure
	if err == nil || errors.As(err, &f) || term.ReaderGone(err) {
		return err
	}
	err = fmt.Errorf("exporting %s: %w", path, err)
	if errors.Is(err, export.ErrIncomplete) {
		return &term.Failure{Code: term.ExitFound, Err: err}
	}
	return err
}

// writer reads what was asked for and returns what writes the export.
func (o *exportOptions) writer(cmd *cobra.Command, paths []string, format string) (func(io.Writer) error, error) {
	selects, err := term.ParseFilter(o.filter)
	if err != nil {
		return nil, err
	}
	if form, ok := export.Lookup(format); ok {
		return func(w io.Writer) error { return o.writeForm(cmd, w, paths, form, selects) }, nil
	}
	path := paths[0]
	stream, ok := session.ParseStream(o.dir)
	if !ok {
		return nil, term.Usage("it is c2s, s2c or stderr", "unknown stream %q", o.dir)
	}
	end, err := endOf(stream, o.end)
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return o.writeBytes(cmd, w, path, stream, end) }, nil
}

// endOf is the end of a stream that a word names; without one, its sender's.
func endOf(stream session.Stream, word string) (export.End, error) {
	sender := "server"
	if stream == session.C2S {
		sender = "client"
	}
	switch word {
	case "", sender:
		return export.SenderEnd, nil
	case "client", "server":
		return export.ReceiverEnd, nil
	}
	return 0, term.Usage("it is client or server", "unknown end %q", word)
}

// openForExport opens a recording, all of it where it is spooled.
func openForExport(cmd *cobra.Command, path string) (*recorder.File, error) {
	f, err := term.OpenRecording(path)
	if err != nil {
		return nil, err
	}
	if err := term.Spooled(cmd.Context(), f); err != nil {
		_ = f.Close()
		return nil, term.RecordingFailure(path, err)
	}
	return f, nil
}

// writeForm analyses recordings and writes them in a form, without their secrets unless
// they are asked for.
func (o *exportOptions) writeForm(cmd *cobra.Command, w io.Writer, paths []string, form export.Format, selects *filter.Filter) error {
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	var logs []recorder.Log
	var names []string
	for _, path := range paths {
		f, err := openForExport(cmd, path)
		if err != nil {
			return err
		}
		defer f.Close()
		logs, names = append(logs, f), append(names, recorder.SessionName(filepath.Base(path)))
	}
	f, name := logs[0].(*recorder.File), names[0]
	if len(logs) > 1 {
		f, name = recorder.Merge(logs, names), fmt.Sprintf("%d sessions", len(logs))
		defer f.Close()
	}
	rec, err := o.recording(cmd, f, paths, name, selects, shows)
	if err != nil {
		return err
	}
	if o.withSecrets {
		return form.Write(cmd.Context(), w, rec)
	}
	opt, err := o.showing(shows)
	if err != nil {
		return err
	}
	r, err := export.Cleaned(cmd.Context(), w, *rec, form.Write, opt)
	o.sayCleaned(cmd, r, shows, err)
	return err
}

// recording analyses a recording that is to be exported.
func (o *exportOptions) recording(cmd *cobra.Command, f *recorder.File, paths []string, name string, selects *filter.Filter, shows *term.Waiting) (*export.Recording, error) {
	shows.Begin("reading")
	snap, _, err := analysis.Read(cmd.Context(), f, session.Limits{})
	if err != nil {
		return nil, term.RecordingFailure(paths[0], err)
	}
	if snap.Header() == nil {
		return nil, term.RecordingFailure(paths[0], term.ErrNothing(paths[0]))
	}
	rec := &export.Recording{
		Log: f, Snap: snap, Filter: selects, WithSecrets: o.withSecrets, Tool: recorder.ToolName, Name: name,
		Moved: func(done, total int) {
			shows.Begin("writing")
			shows.Progress(float64(done), float64(total), "")
		},
	}
	if !o.notes {
		return rec, nil
	}
	for i, path := range paths {
		list, err := recorder.ReadNotes(path)
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			rec.Notes = append(rec.Notes, export.Note{Note: n, In: min(i+1, len(snap.Members()))})
		}
	}
	return rec, nil
}

// writeBytes writes one stream, without its secrets unless they are asked for.
func (o *exportOptions) writeBytes(cmd *cobra.Command, w io.Writer, path string, stream session.Stream, end export.End) error {
	part := export.Part{Stream: stream, Conn: o.conn, Trip: o.trip, End: end}
	f, err := openForExport(cmd, path)
	if err != nil {
		return err
	}
	defer f.Close()
	if o.withSecrets {
		return noPart(export.Bytes(w, f, part))
	}
	shows := term.NewWaiting(cmd.ErrOrStderr())
	defer shows.Stop()
	opt, err := o.showing(shows)
	if err != nil {
		return err
	}
	r, err := export.Clean(cmd.Context(), f, opt, func(log recorder.Log, _ bool) error { return export.Bytes(w, log, part) })
	if errors.Is(err, export.ErrNoPart) {
		return noPart(err)
	}
	if r == nil {
		return term.RecordingFailure(path, err)
	}
	o.sayCleaned(cmd, r, shows, err)
	if d := r.Damage; err == nil && d.Lines > 0 {
		return fmt.Errorf("%w: %s damaged, the first at byte %d: %w", export.ErrIncomplete, text.Plural(d.Lines, "line"), d.Off, d.Err)
	}
	return err
}

// noPart is err, as a wrong use where the recording has no such part.
func noPart(err error) error {
	if errors.Is(err, export.ErrNoPart) {
		return term.Usage("wiretea open FILE shows its connections and round trips", "%w", err)
	}
	return err
}

// showing are the options, with what shows how far it is.
func (o *exportOptions) showing(shows *term.Waiting) (redact.Options, error) {
	opt, err := o.options()
	shows.Begin("looking for secrets")
	opt.Moved = func(done, total int64) { shows.Progress(float64(done), float64(total), "") }
	return opt, err
}

// sayCleaned says what was replaced and left out, where something was.
func (o *exportOptions) sayCleaned(cmd *cobra.Command, r *redact.Redactor, shows *term.Waiting, err error) {
	shows.Stop()
	if r != nil && !term.ReaderGone(err) && !r.Clean() {
		saySecrets(cmd.ErrOrStderr(), r)
	}
}

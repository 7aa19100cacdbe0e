package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// exportOptions are the flags of export.
type exportOptions struct {
	redactFlags
	format, output, filter string
	dir, end               string
	conn                   int
	withSecrets, force     bool
	notes                  bool
}

const bytesFormat = "bytes"

func formatNames() (names []string) {
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return append(names, bytesFormat)
}

func New() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [flags] FILE",
		Short: "convert a recording to another format, without its secrets",
		Long: `Converts a recording to another format:

  text   → tools/list (7)  and  ← tools/list (7) 23.0 ms
  jsonl  only the messages, one per line
  csv    the exchanges: latency, sizes, outcome
  html   one self-contained page: findings, latencies, waterfall, frames
  md     the text of an issue: findings, the frames around them, how to reproduce them
  har    HTTP archive 1.2, for the tools of browsers
  go     the recorded server as a transport for a client of the Go SDK, for tests
  bytes  one stream (--dir), as it crossed the wire

Secrets are replaced, equal secrets by the same placeholder, and the replacements are
listed on stderr; --with-secrets keeps them. The format bytes is exact only with
--with-secrets, or if no secret was found. Missing parts of a recording are reported
at the end of bytes, with exit code 1. If requests were injected into the session, the
two ends of a stream differ: by default it is as its sender wrote it.`,
		Example: `  wiretea export session.mcpcap.jsonl
  wiretea export --filter 'm:tools/call lat>500ms' -o slow.csv session.mcpcap.jsonl
  wiretea export --dir s2c --with-secrets session.mcpcap.jsonl > stdout.bin`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", strings.Join(formatNames(), ", ")+" (default by the name of the output, else text; bytes with --dir)")
	f.StringVarP(&o.output, "output", "o", "", "write this `FILE` instead of standard output")
	f.BoolVar(&o.force, "force", false, "replace the output if it exists")
	f.StringVar(&o.filter, "filter", "", "only frames that match, as in m:tools/call is:error")
	f.BoolVar(&o.withSecrets, "with-secrets", false, "keep secrets")
	f.BoolVar(&o.notes, "notes", false, "with text, html and md: marks and comments too")
	f.StringVar(&o.dir, "dir", "s2c", "with bytes, the stream: c2s, s2c or stderr")
	f.StringVar(&o.end, "end", "", "with bytes, the stream as the client or the server had it: what was injected is in c2s at the server's end only, its answers in s2c likewise")
	f.IntVar(&o.conn, "connection", 0, "with bytes, only this connection, counted from 1 (default: all, one after the other)")
	term.Complete(cmd, "dir", "c2s", "s2c", "stderr")
	term.Complete(cmd, "end", "client", "server")
	term.Complete(cmd, "format", formatNames()...)
	return cmd
}

// chosen is the form that was asked for, by name or by the name of the output.
func (o *exportOptions) chosen(cmd *cobra.Command) (string, error) {
	ofStream := cmd.Flags().Changed("dir") || cmd.Flags().Changed("end") || cmd.Flags().Changed("connection")
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
		return "", term.Usage("leave them out, or say --format bytes", "--dir, --end and --connection go with bytes")
	}
	if o.notes && name != "text" && name != "html" && name != "md" {
		return "", term.Usage("leave it out, or choose one of those", "--notes goes with text, html and md")
	}
	if name == bytesFormat && o.filter != "" {
		return "", term.Usage("a stream cannot be filtered; --format jsonl writes the messages that match", "--filter does not go with bytes")
	}
	return name, nil
}

func (o *exportOptions) run(cmd *cobra.Command, path string) error {
	format, err := o.chosen(cmd)
	if err != nil {
		return err
	}
	write, err := o.writer(cmd, path, format)
	if err != nil {
		return err
	}
	if o.output == "" || o.output == "-" {
		return exportFailure(path, write(cmd.OutOrStdout()))
	}
	if err := term.SaveFile(o.output, path, o.force, write); err != nil {
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
	return &term.Failure{Code: term.ExitFound, Err: fmt.Errorf("exporting %s: %w", path, err)}
}

// writer reads what was asked for and returns what writes the export.
func (o *exportOptions) writer(cmd *cobra.Command, path, format string) (func(io.Writer) error, error) {
	filter, err := term.ParseFilter(o.filter)
	if err != nil {
		return nil, err
	}
	if form, ok := export.Lookup(format); ok {
		return func(w io.Writer) error { return o.writeForm(cmd, w, path, form, filter) }, nil
	}
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

package cli

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder/export"
	"wiretea/session"
)

func newExport() *cobra.Command {
	var format, dir, end string
	var conn int
	cmd := &cobra.Command{
		Use:   "export --dir c2s|s2c|stderr [flags] FILE",
		Short: "write a recording in another form",
		Long: `Writes one stream of a recording exactly as it crossed the wire. What could not
be recorded is said at the end, and makes the exit code 1. Where somebody acted on
the session, its two ends differ: by default it is as its sender wrote it.`,
		Example: `  wiretea export --format bytes --dir s2c session.mcpcap.jsonl > stdout.bin
  wiretea export --dir stderr session.mcpcap.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "bytes" {
				return usage("it is bytes", "unknown format %q", format)
			}
			stream, ok := session.ParseStream(dir)
			if !ok {
				return usage("it is c2s, s2c or stderr", "unknown stream %q", dir)
			}
			at, err := endOf(stream, end)
			if err != nil {
				return err
			}
			f, err := openRecording(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<20)
			err = export.BytesAt(w, f, stream, conn, at)
			if flushed := w.Flush(); flushed != nil {
				return fmt.Errorf("writing the stream: %w", flushed)
			}
			if err != nil {
				return &failure{code: exitFound, err: fmt.Errorf("exporting %s: %w", args[0], err)}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "bytes", "bytes: the exact stream")
	f.StringVar(&dir, "dir", "s2c", "stream: c2s, s2c or stderr")
	f.StringVar(&end, "end", "", "the stream as the client or the server had it: what was injected is in c2s at the server's end only, its answers in s2c likewise")
	f.IntVar(&conn, "connection", 0, "only this connection, counted from 1 (default: all, one after the other)")
	_ = cmd.RegisterFlagCompletionFunc("dir", cobra.FixedCompletions([]string{"c2s", "s2c", "stderr"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("end", cobra.FixedCompletions([]string{"client", "server"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"bytes"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
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
	return 0, usage("it is client or server", "unknown end %q", word)
}

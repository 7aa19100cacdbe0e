package cli

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"wiretea/recorder/export"
	"wiretea/session"
)

func newExport() *cobra.Command {
	var format, dir string
	var conn int
	cmd := &cobra.Command{
		Use:   "export --dir c2s|s2c|stderr [flags] FILE",
		Short: "write a recording in another form",
		Long: `Writes one stream of a recording exactly as it crossed the wire. What could not
be recorded is said at the end, and makes the exit code 1.`,
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
			f, err := openRecording(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<20)
			err = export.Bytes(w, f, stream, conn)
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
	f.IntVar(&conn, "connection", 0, "only this connection, counted from 1 (default: all, one after the other)")
	_ = cmd.RegisterFlagCompletionFunc("dir", cobra.FixedCompletions([]string{"c2s", "s2c", "stderr"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"bytes"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"wiretea/recorder/recordertest"
)

func newGen() *cobra.Command {
	opt := recordertest.Options{Frames: 1_000_000, Seed: 1}
	cmd := &cobra.Command{
		Use:     "gen [flags] FILE",
		Short:   "write a session file of any size, to measure with",
		Example: "  go run ./.ci/bench gen --frames 1000000 big.mcpcap.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var out io.Writer = cmd.OutOrStdout()
			if args[0] != "-" {
				f, err := os.OpenFile(args[0], os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
				if err != nil {
					return fmt.Errorf("creating the file: %w", err)
				}
				defer f.Close()
				out = f
			}
			w := bufio.NewWriterSize(out, 1<<20)
			if err := recordertest.Generate(w, opt); err != nil {
				return fmt.Errorf("generating: %w", err)
			}
			return w.Flush()
		},
	}
	cmd.Flags().IntVar(&opt.Frames, "frames", opt.Frames, "how many frames")
	cmd.Flags().IntVar(&opt.BodySize, "body", opt.BodySize, "mean length of a result's text in bytes; 0 makes about 400 MB a million frames")
	cmd.Flags().Uint64Var(&opt.Seed, "seed", opt.Seed, "seed of the random choices")
	return cmd
}

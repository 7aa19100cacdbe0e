//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"
)

// measured is the path of the wiretea binary that is measured.
var measured string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run builds the wiretea of this tree unless --binary names another one, and carries
// out a command.
func run(ctx context.Context, args []string, out io.Writer) error {
	dir, err := os.MkdirTemp("", "wiretea-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root := &cobra.Command{
		Use: "bench", Short: "measure wiretea, and take its picture", SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if measured != "" {
				measured, err = filepath.Abs(measured)
				return err
			}
			measured = filepath.Join(dir, "wiretea")
			return build(cmd.Context(), measured, "wiretea")
		},
	}
	root.PersistentFlags().StringVar(&measured, "binary", "", "measure this `PROGRAM` (default: built from the tree)")
	root.AddCommand(newBenchScreen(), newBenchPicture(), newBenchTee(), newBenchHTTP(), newBenchPath(), newBenchLarge(), newBenchCall(), newBenchStart(), newGen())
	root.SetArgs(args)
	root.SetOut(out)
	return root.ExecuteContext(ctx)
}

// build builds a program of the module.
func build(ctx context.Context, file, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", file, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w", pkg, err)
	}
	return nil
}

//go:build !unix

package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func newBenchTee() *cobra.Command {
	return &cobra.Command{
		Use: "tee", Short: "measure what a tee costs", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("measured on unix only") },
	}
}

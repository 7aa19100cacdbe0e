//go:build !unix

package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

func newBenchCall() *cobra.Command {
	return &cobra.Command{
		Use: "call", Short: "measure what one call costs", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("measured on unix only") },
	}
}

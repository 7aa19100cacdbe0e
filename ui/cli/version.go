package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"wiretea/recorder"
)

// notices are the licences, made by .ci/notices.
//
//go:embed notices.txt
var notices string

func newVersion() *cobra.Command {
	var asJSON, licenses bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Long:    "Prints the version. --licenses prints the licences of the programs of others that wiretea\ncontains.",
		Example: "  wiretea version\n  wiretea version --json\n  wiretea version --licenses",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if licenses {
				_, err := io.WriteString(cmd.OutOrStdout(), notices)
				return err
			}
			revision := recorder.Revision()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"version": recorder.Version, "revision": revision, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			line := "wiretea " + recorder.Version
			if revision != "" {
				line += " (" + revision + ")"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s/%s\n", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&licenses, "licenses", false, "print the licences of what the binary contains")
	cmd.MarkFlagsMutuallyExclusive("json", "licenses")
	return cmd
}

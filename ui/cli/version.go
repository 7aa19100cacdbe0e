package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release this source belongs to.
const version = "0.1.0"

// toolName is what session files and reports call their writer.
const toolName = "wiretea/" + version

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "print the version",
		Example: "  wiretea version\n  wiretea version --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			revision := vcsRevision()
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{
					"version": version, "revision": revision, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			line := "wiretea " + version
			if revision != "" {
				line += " (" + revision + ")"
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s/%s\n", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// vcsRevision returns the short commit the binary was built from, "" where the
// build does not know.
func vcsRevision() string {
	revision := buildSetting("vcs.revision")
	if len(revision) < 12 {
		return ""
	}
	return revision[:12]
}

// buildSetting is what the binary was built with, "" where the build does not know.
func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

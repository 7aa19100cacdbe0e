package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

func New() *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "clients",
		Short: "list the servers in the configuration files of MCP clients",
		Long: `Lists the configuration files of the known clients, the user's and those of the
project in the current folder, with their servers, and which of them are wrapped.
No server is started. Values of environment variables are never printed.`,
		Example: `  wiretea clients
  wiretea clients --json
  wiretea clients --project ~/src/shop`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			place, err := term.ClientPlace(project)
			if err != nil {
				return err
			}
			files := inventory.Find(place)
			if asJSON {
				return writeClientsJSON(cmd.OutOrStdout(), files)
			}
			return writeClients(cmd.OutOrStdout(), files, place.Home)
		},
	}
	ProjectFlag(cmd, &project)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array of files")
	return cmd
}

func ProjectFlag(cmd *cobra.Command, project *string) {
	cmd.Flags().StringVar(project, "project", "", "the project's `FOLDER` (default the current one)")
	_ = cmd.MarkFlagDirname("project")
}

func writeClients(w io.Writer, files []clientconfig.File, home string) error {
	var out strings.Builder
	var without []string
	other, _ := clientconfig.Lookup(clientconfig.Other)
	for _, c := range append(clientconfig.All(), other) {
		there := false
		for _, f := range files {
			if f.Client != c.ID || f.Missing() {
				continue
			}
			if !there {
				fmt.Fprintf(&out, "%s (%s)\n", c.Title, c.ID)
			}
			there = true
			out.WriteString(strings.Join(inventory.ClientLines(f, home), "\n") + "\n")
		}
		if !there && c.ID != other.ID {
			without = append(without, c.Title)
		}
	}
	if len(without) > 0 {
		fmt.Fprintf(&out, "no file of %s\n", strings.Join(without, ", "))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func writeClientsJSON(w io.Writer, files []clientconfig.File) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(inventory.ListClients(files))
}

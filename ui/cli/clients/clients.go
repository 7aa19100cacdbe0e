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
	"wiretea/ui/format"
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
			writeClientFile(&out, f, home)
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

func writeClientFile(out *strings.Builder, f clientconfig.File, home string) {
	fmt.Fprintf(out, "  %s (%s)\n", term.Visible(inventory.UnderHome(f.Path, home)), f.Level)
	if f.Err != nil {
		fmt.Fprintf(out, "    ✖ cannot be read: %s\n", term.Visible(f.Err.Error()))
		return
	}
	if len(f.Servers) == 0 {
		out.WriteString("    no servers\n")
	}
	table := format.Table{Indent: "    "}
	for _, s := range f.Servers {
		sign := "○"
		if s.Wrapped {
			sign = "●"
		}
		table.Add(sign+" "+s.Name, wrappedWord(s), serverLine(s))
	}
	lines := table.Lines()
	for i, s := range f.Servers {
		out.WriteString(lines[i] + "\n")
		if s.Folder != "" {
			fmt.Fprintf(out, "      only in %s\n", term.Visible(inventory.UnderHome(s.Folder, home)))
		}
		if s.Off {
			fmt.Fprintf(out, "      %s\n", inventory.OffNote)
		}
		if s.Refused != "" {
			fmt.Fprintf(out, "      cannot be edited: %s\n", term.Visible(s.Refused))
		}
		for _, note := range inventory.Notes(s) {
			fmt.Fprintf(out, "      ⚠ %s\n", note)
		}
	}
}

func wrappedWord(s clientconfig.Server) string {
	switch {
	case s.Wrapped:
		return "wrapped"
	case s.Command == "" && s.URL != "":
		return "url"
	case s.Command == "":
		return "–"
	}
	return "direct"
}

// serverLine is how a server is reached, with the names of its variables.
func serverLine(s clientconfig.Server) string {
	if s.Command == "" {
		return clientconfig.ShownURL(s.URL)
	}
	words := append([]string{s.Command}, s.Args...)
	if len(s.EnvNames) > 0 {
		words = append(words, " env "+strings.Join(s.EnvNames, " "))
	}
	return strings.Join(words, " ")
}

// clientFileJSON is one file for programs.
type clientFileJSON struct {
	Client  string             `json:"client"`
	Path    string             `json:"path"`
	Level   clientconfig.Level `json:"level"`
	Exists  bool               `json:"exists"`
	Error   string             `json:"error,omitempty"`
	Servers []clientServerJSON `json:"servers"`
}

// clientServerJSON is one server for programs. From and to delimit its entry in
// the file, in bytes.
type clientServerJSON struct {
	Name    string             `json:"name"`
	Level   clientconfig.Level `json:"level"`
	Folder  string             `json:"folder,omitempty"`
	Command string             `json:"command,omitempty"`
	Args    []string           `json:"args,omitempty"`
	Env     []string           `json:"envNames,omitempty"`
	Cwd     string             `json:"cwd,omitempty"`
	URL     string             `json:"url,omitempty"`
	Wrapped bool               `json:"wrapped"`
	Tee     string             `json:"tee,omitempty"`
	Off     bool               `json:"off,omitempty"`
	Refused string             `json:"refused,omitempty"`
	Notes   []string           `json:"notes,omitempty"`
	From    int                `json:"from"`
	To      int                `json:"to"`
}

func writeClientsJSON(w io.Writer, files []clientconfig.File) error {
	all := []clientFileJSON{}
	for _, f := range files {
		j := clientFileJSON{Client: f.Client, Path: f.Path, Level: f.Level, Exists: !f.Missing(), Servers: []clientServerJSON{}}
		if f.Err != nil && j.Exists {
			j.Error = f.Err.Error()
		}
		for _, s := range f.Servers {
			j.Servers = append(j.Servers, clientServerJSON{s.Name, s.Level, s.Folder, s.Command, s.Args, s.EnvNames, s.Cwd, clientconfig.ShownURL(s.URL),
				s.Wrapped, s.Tee, s.Off, s.Refused, inventory.Notes(s), s.From, s.To})
		}
		all = append(all, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(all)
}

package clients

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

func NewWrap() *cobra.Command {
	var c choice
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "wrap [CLIENT | --file FILE] SERVER",
		Short: "put wiretea before a server in a client's configuration",
		Long: `Changes the entry of one server in a client's configuration file so that the
client starts wiretea tee, which starts the server, or calls it if the entry has a URL.
Nothing else in the file changes, and a copy of the original file is kept beside it
until it is unwrapped.
With --file alone, FILE is any client's: JSON that keeps servers under mcpServers or
servers, or TOML as Codex has it. wiretea clients shows it as long as one is wrapped.`,
		Example: `  wiretea wrap claude-desktop filesystem --dry-run
  wiretea wrap claude-desktop filesystem
  wiretea wrap --file ~/agent/mcp.json shop`,
		Args:              c.wantServer,
		ValidArgsFunction: completeClientServer(func(s clientconfig.Server) bool { return !s.Wrapped && s.Command+s.URL != "" && s.Refused == "" }),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := c.take(args, false)
			if err != nil {
				return err
			}
			hit, err := c.one(name, nil)
			if err != nil {
				return err
			}
			place, err := term.ClientPlace(c.project)
			if err != nil {
				return err
			}
			change, apply, err := inventory.WrapPlan(place, hit.file, hit.server)
			if err != nil {
				return editFailure("wrapping", hit.file.Path, err)
			}
			if dryRun {
				apply = nil
			}
			return wrap(cmd, c.client, hit, change, apply)
		},
	}
	c.chooseFlags(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the change as a diff and write nothing")
	return cmd
}

// wrap carries out the change and says what to do next. With apply nil it only shows
// it.
func wrap(cmd *cobra.Command, client clientconfig.Client, hit found, change clientconfig.Change, apply func() error) error {
	errw := cmd.ErrOrStderr()
	if !hit.server.Wrapped {
		for _, note := range inventory.Notes(hit.server) {
			fmt.Fprintf(errw, "warning: %s: %s\n", term.Visible(hit.server.Name), note)
		}
		if note := inventory.StrictNote(change, client); note != "" {
			fmt.Fprintf(errw, "warning: %s\n", note)
		}
		if note := inventory.WindowsNote(hit.file.Path); note != "" {
			fmt.Fprintf(errw, "warning: %s\n", note)
		}
		if hit.server.Off {
			fmt.Fprintf(errw, "warning: %s is %s\n", term.Visible(hit.server.Name), inventory.OffNote)
		}
	}
	switch {
	case change.None():
		fmt.Fprintf(errw, "%s is wrapped already in %s\n", term.Visible(hit.server.Name), term.Visible(hit.file.Path))
		return nil
	case apply == nil:
		return dry(cmd, change)
	}
	if err := apply(); err != nil {
		return editFailure("wrapping", hit.file.Path, err)
	}
	fmt.Fprintf(errw, "wrapped %s in %s\n", term.Visible(hit.server.Name), term.Visible(hit.file.Path))
	if backup := change.Backup(); backup != "" {
		fmt.Fprintf(errw, "  as it was: %s\n", term.Visible(backup))
	}
	if hit.server.Level == clientconfig.Project {
		fmt.Fprintf(errw, "  note: %s\n", inventory.ProjectNote)
	}
	fmt.Fprintf(errw, "  next: %s\n  watch: wiretea\n  undo: wiretea unwrap %s\n", client.Restart, hit.words(cmd, client.ID))
	return nil
}

// words name the entry on a command line, by the flags by which it was chosen. That
// of a project is found from any folder.
func (h found) words(cmd *cobra.Command, client string) string {
	name, flags := text.ShellWord(h.server.Name), ""
	for _, flag := range []string{"file", "level", "project"} {
		if f := cmd.Flags().Lookup(flag); f != nil && f.Changed {
			flags += " --" + flag + " " + text.ShellWord(f.Value.String())
		}
	}
	if here, err := filepath.Abs("."); err == nil && h.server.Level != clientconfig.User && !cmd.Flags().Changed("file") && !cmd.Flags().Changed("project") {
		flags += " --project " + text.ShellWord(here)
	}
	if strings.HasPrefix(h.server.Name, "-") {
		return client + flags + " -- " + name
	}
	return client + " " + name + flags
}

func NewUnwrap() *cobra.Command {
	var c choice
	var dryRun, all bool
	cmd := &cobra.Command{
		Use:   "unwrap [CLIENT | --file FILE] [SERVER | --all]",
		Short: "restore a server in a client's configuration",
		Long: `Restores the bytes that a server's entry had before it was wrapped. Nothing else in
the file changes. --all restores every wrapped server in all files of the client.`,
		Example: `  wiretea unwrap claude-desktop filesystem
  wiretea unwrap cursor --all --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 2 || len(args) == 0 && (!all || c.file == ""):
				return term.Usage("wiretea clients lists clients and servers", "want CLIENT and SERVER, or CLIENT and --all")
			case all && len(args) == 2:
				return term.Usage("leave one out", "--all and a server are both given")
			case !all && len(args) == 1 && c.file == "":
				return term.Usage("--all unwraps every one", "no server given")
			}
			return nil
		},
		ValidArgsFunction: completeClientServer(isWrapped),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := c.take(args, all)
			if err != nil {
				return err
			}
			if all {
				return unwrapAll(cmd, &c, dryRun)
			}
			hit, err := c.one(name, isWrapped)
			if err != nil {
				return err
			}
			if !hit.server.Wrapped {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s is not wrapped in %s\n", term.Visible(hit.server.Name), term.Visible(hit.file.Path))
				return nil
			}
			return unwrap(cmd, c.client, hit.file, []clientconfig.Server{hit.server}, dryRun)
		},
	}
	c.chooseFlags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every wrapped server of the client")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the change as a diff and write nothing")
	return cmd
}

// unwrapAll goes on with the next file where one cannot be changed, and returns
// the first error.
func unwrapAll(cmd *cobra.Command, c *choice, dryRun bool) error {
	hits, err := c.servers(true)
	if err != nil {
		return err
	}
	var files []clientconfig.File
	wrapped := map[string][]clientconfig.Server{}
	for _, h := range hits {
		if !h.server.Wrapped {
			continue
		}
		if wrapped[h.file.Path] == nil {
			files = append(files, h.file)
		}
		wrapped[h.file.Path] = append(wrapped[h.file.Path], h.server)
	}
	if len(files) == 0 && c.broken == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "no server of %s is wrapped\n", c.client.Title)
	}
	var first error
	for _, f := range files {
		if err := unwrap(cmd, c.client, f, wrapped[f.Path], dryRun); err != nil && first == nil {
			first = err
		}
	}
	if first == nil && c.broken != nil {
		return term.Usage("repair the file and try again: one of its servers may be wrapped", "%w", c.broken)
	}
	return first
}

func isWrapped(s clientconfig.Server) bool { return s.Wrapped }

func unwrap(cmd *cobra.Command, client clientconfig.Client, f clientconfig.File, servers []clientconfig.Server, dryRun bool) error {
	change, err := f.Unwrap(servers...)
	if err != nil {
		return editFailure("unwrapping", f.Path, err)
	}
	if dryRun {
		return dry(cmd, change)
	}
	if err := change.Apply(); err != nil {
		return editFailure("unwrapping", f.Path, err)
	}
	var names []string
	for _, s := range servers {
		names = append(names, term.Visible(s.Name))
	}
	errw := cmd.ErrOrStderr()
	fmt.Fprintf(errw, "unwrapped %s in %s\n  next: %s\n", strings.Join(names, ", "), term.Visible(f.Path), client.Restart)
	if backup := change.Backup(); backup != "" {
		fmt.Fprintf(errw, "  the backup stays: %s\n", term.Visible(backup))
	}
	return nil
}

// dry shows a change that is not made, and says where it could not be.
func dry(cmd *cobra.Command, change clientconfig.Change) error {
	if err := change.Refused(); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: %s; it would not be changed\n", term.Visible(change.Path), term.Visible(err.Error()))
	}
	return writeDiff(cmd.OutOrStdout(), change)
}

// writeDiff prints a diff, made safe to look at. Tabs stay, so that it can be
// applied.
func writeDiff(w io.Writer, change clientconfig.Change) error {
	for line := range strings.Lines(change.Diff()) {
		parts := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range parts {
			parts[i] = term.Visible(parts[i])
		}
		if _, err := fmt.Fprintln(w, strings.Join(parts, "\t")); err != nil {
			return err
		}
	}
	return nil
}

// editFailure is a failure of an edit with what can be done about it.
func editFailure(doing, path string, err error) error {
	hint, failed := inventory.EditFailure(doing, path, err)
	return &term.Failure{Code: term.ExitUsage, Hint: hint, Err: failed}
}

// wantServer wants CLIENT and SERVER, and names the servers where there is only a
// client.
func (c *choice) wantServer(_ *cobra.Command, args []string) error {
	if len(args) == 2 || len(args) == 1 && c.file != "" && !slices.Contains(clientIDs(), args[0]) {
		return nil
	}
	hint := "wiretea clients lists clients and servers"
	if len(args) == 1 {
		if err := c.setClient(args[0]); err != nil {
			return err
		}
		if names := c.names(nil); len(names) > 0 {
			hint = c.client.Title + " has " + term.Visible(strings.Join(names, ", "))
		}
	}
	return term.Usage(hint, "want CLIENT and SERVER")
}

package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/session/text"
	"wiretea/ui/cli/clients"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/files"
	"wiretea/ui/cli/term"
	"wiretea/ui/screen"
)

// homeOptions are the flags of wiretea without a command.
type homeOptions struct {
	dir     string
	project string
	theme   string
}

func (o *homeOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.dir, "sessions", "", "look for sessions in this `FOLDER` (default ~/.local/state/wiretea/sessions)")
	clients.ProjectFlag(cmd, &o.project)
	display.ThemeFlag(cmd, &o.theme)
}

// run shows home, or prints it where there is no screen.
func (o *homeOptions) run(cmd *cobra.Command) error {
	folder, err := recorder.SessionsFolder(o.dir)
	if err != nil {
		return err
	}
	place, err := term.ClientPlace(o.project)
	if err != nil {
		return err
	}
	found := newFinder(folder, place)
	if display.CanShow(cmd.InOrStdin(), cmd.OutOrStdout()) != "" {
		return writeHome(cmd.OutOrStdout(), found.All(cmd.Context()), time.Now())
	}
	return o.show(cmd.Context(), found, cmd.OutOrStdout())
}

// show runs the screen that begins with home.
func (o *homeOptions) show(ctx context.Context, found *homeFinder, out io.Writer) error {
	says := &display.Notices{}
	set, dir := display.Settings(says, o.theme)
	opens := newOpener(found.Dir, says)
	shell := screen.NewShell(screen.ShellOptions{
		Doors: opens, Finder: found, Editor: &inventory.Editor{Place: found.Place}, Compare: files.DiffLines, Settings: set, Dark: true, NoColour: term.Getenv("NO_COLOR") != "", History: display.HistoryFolder(), Folder: dir,
	})
	// A server and its record end also where the terminal is stuck.
	defer context.AfterFunc(ctx, func() { opens.End(ctx) })()
	err := display.Run(ctx, shell, dir, says, nil)
	for _, line := range opens.End(ctx) {
		fmt.Fprintln(out, line)
	}
	return err
}

// A homeFinder is what home knows, and what it may delete.
type homeFinder struct{ *inventory.Finder }

func newFinder(dir string, place clientconfig.Place) *homeFinder {
	return &homeFinder{inventory.NewFinder(dir, place)}
}

// Delete implements home.Finder.
func (f *homeFinder) Delete(_ context.Context, path string) error {
	if err := files.RemoveSession(path); err != nil {
		return err
	}
	f.Forget(path)
	return nil
}

// homeRecordings is how many recordings are printed.
const homeRecordings = 10

// writeHome prints what home would show.
func writeHome(w io.Writer, inv *inventory.Inventory, now time.Time) error {
	var b strings.Builder
	if inv.Fault != "" {
		fmt.Fprintf(&b, "✖ %s\n\n", term.Visible(inv.Fault))
	}
	section(&b, "live now", len(inv.Live), 0, func(i int) []string {
		s := &inv.Live[i]
		return []string{"●", s.Server, cmp.Or(s.Client, "–"), "up " + text.Duration(int64(now.Sub(s.Start))), text.Size(s.Size), "wiretea attach " + text.ShellFile(s.Name)}
	})
	section(&b, "servers in clients' files", len(inv.Servers), 0, func(i int) []string {
		s := &inv.Servers[i]
		sign, line := "○", s.Command
		switch {
		case s.Trouble != "":
			sign = "⚠"
		case s.Wrapped:
			sign = "●"
		}
		line = cmp.Or(line, s.URL)
		return []string{sign, s.Name, s.Client, s.Level, s.State(), line}
	})
	section(&b, "recordings, the latest", len(inv.Recordings), homeRecordings, func(i int) []string {
		s := &inv.Recordings[i]
		return []string{"■", s.Server, cmp.Or(s.Client, "–"), cmp.Or(inventory.Started(s.Start), "–"), text.Duration(int64(s.Length)), text.Size(s.Size), findingSigns(s), s.Name}
	})
	if n := len(inv.Recordings); n > 0 {
		fmt.Fprintf(&b, "%s, %s in %s\n\n", text.Plural(int64(n), "recording"), text.Size(inv.Bytes), term.Visible(inv.Folder))
	}
	b.WriteString(`three ways in
  inspect a server      wiretea run -- npx -y @modelcontextprotocol/server-everything
  watch a real client   wiretea wrap claude-desktop NAME, restart the client, wiretea attach
  nothing at hand       wiretea demo

On a terminal, wiretea without a command shows all this as a screen. wiretea --help lists the commands.
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// section prints up to most rows below a title, 0 = all; nothing without rows.
func section(b *strings.Builder, title string, n, most int, row func(i int) []string) {
	if n == 0 {
		return
	}
	if most == 0 || most > n {
		most = n
	}
	table := text.Table{Indent: "  "}
	for i := range most {
		table.Add(row(i)...)
	}
	fmt.Fprintf(b, "%s\n%s\n", title, &table)
}

// findingSigns counts a recording's findings.
func findingSigns(s *inventory.Session) string {
	switch {
	case s.Fault != "":
		return "✖ " + s.Fault
	case !s.Judged && s.Lost > 0:
		return inventory.LossWord(s.Lost)
	case !s.Judged && s.Broken:
		return "broken off"
	case !s.Judged:
		return "–"
	}
	text := inventory.FindingsWord(recorder.Info{Judged: true, Live: recorder.NotLive,
		Summary: recorder.Summary{Errors: s.Errors, Warnings: s.Warnings, Infos: s.Infos, Lost: s.Lost, Ended: "eof"}})
	if s.Broken {
		text += "  broken off"
	}
	return text
}

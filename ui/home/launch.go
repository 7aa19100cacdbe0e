package home

import (
	"net/http"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"wiretea/recorder/inventory"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
)

// newPrompt returns a line in which something is typed.
func newPrompt(value string) *textinput.Model {
	p := textinput.New()
	p.Prompt, p.CharLimit = "", 4000
	p.SetValue(value)
	p.CursorEnd()
	// A cursor that blinks would draw the screen twice a second.
	_ = p.Focus()
	return &p
}

// openLaunch begins to type a command, or to change the one that was typed last.
func (h *Home) openLaunch() tea.Cmd {
	h.launch = newPrompt(h.launched)
	return nil
}

// launchKey edits the command, and starts it.
func (h *Home) launchKey(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc", "ctrl+c":
		h.launch = nil
		return nil
	case "enter":
		return h.start(h.launch.Value())
	}
	p, _ := h.launch.Update(msg)
	h.launch = &p
	return nil
}

// start asks for a server to be started by a command line, or for a connection to a URL.
func (h *Home) start(line string) tea.Cmd {
	words, err := text.SplitWords(strings.TrimSpace(line))
	switch {
	case err != nil:
		return h.Say(session.Error, err.Error())
	case len(words) == 0:
		return nil
	}
	// As after wiretea run.
	if len(words) > 1 && words[0] == "--" {
		words = words[1:]
	}
	h.launch, h.launched = nil, line
	command := inventory.Command{Argv: words, Shown: words}
	if isURL(words[0]) {
		if len(words) > 1 {
			return h.Say(session.Error, "a URL takes no arguments here; wiretea run --help lists the flags")
		}
		command.Header = http.Header{}
	}
	return ask(Run{command})
}

// launchLine is the line in which a command is typed.
func (h *Home) launchLine(w int) string {
	th, note := h.theme, ""
	h.launch.SetWidth(max(8, w-8))
	if h.launch.Value() == "" {
		h.launch.SetWidth(2)
		note = "such as npx -y PACKAGE, or a URL · enter starts it · esc back"
	}
	return cells.Fit(" "+th.Accent.Paint("run ")+h.launch.View()+"  "+th.Dim.Paint(note), w)
}

// isURL reports whether a server is named by the URL at which it listens.
func isURL(server string) bool {
	server = strings.ToLower(server[:min(len(server), len("https://"))])
	return strings.HasPrefix(server, "http://") || strings.HasPrefix(server, "https://")
}

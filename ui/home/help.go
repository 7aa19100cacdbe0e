package home

import (
	tea "charm.land/bubbletea/v2"

	"wiretea/ui/keyhelp"
	"wiretea/ui/keys"
)

// openHelp opens the list of home's keys.
func (h *Home) openHelp() tea.Cmd {
	h.help = &keyhelp.Box{}
	for k := range h.keys.All() {
		if k.Help == "" || !k.In(keys.Home) || !does(k.Action) {
			continue
		}
		e := keyhelp.Of(k)
		e.Text, e.Why, e.Name, e.Do = helpWords(k), h.disabled(k.Action), "", func() tea.Cmd { return h.do(k.Action) }
		h.help.Entries = append(h.help.Entries, e)
	}
	h.help.Find()
	return nil
}

func (h *Home) helpKey(msg tea.KeyPressMsg) tea.Cmd {
	b := h.help
	switch msg.String() {
	case "esc", "ctrl+c":
		h.help = nil
		return nil
	case "enter":
		h.help = nil
		return b.Enter()
	}
	b.Key(msg)
	return nil
}

// helpWords is what a binding does here: the table's words are for sessions.
func helpWords(k *keys.Binding) string {
	switch k.Action {
	case keys.Enter:
		return "attach to the live session, run the server, open the recording"
	case keys.OpenClient:
		return "open the sessions of all servers of its client process as one"
	case keys.Filter, keys.Search:
		return "show only the lines that match"
	case keys.FilterOff:
		return "clear the filter"
	case keys.Escape:
		return "clear the filter"
	case keys.Back:
		return "clear the filter; then leave"
	case keys.SortNext, keys.ShowStats:
		return "sort the recordings by errors, length, size, server, or age"
	case keys.Command, keys.Help:
		return "everything that can be done here, searched by typing"
	case keys.Bottom:
		return "to the last line"
	case keys.Quit:
		return "leave"
	}
	return k.Help
}

package home

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"wiretea/session"

	"wiretea/recorder/inventory"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// aboutRoom is how many lines there are for the details of a row, of
// height lines for that and the list; 0 = none.
func aboutRoom(height int) int {
	switch {
	case height < 18:
		return 0
	case height < 30:
		return 3
	case height < 45:
		return 5
	}
	return 8
}

// aboutTitle names the row under the cursor.
func (h *Home) aboutTitle() string {
	switch r := h.selected(); {
	case r == nil:
		return ""
	case r.kind == server:
		return text.Line(r.server.Name)
	case r.kind == demo:
		return "demo"
	default:
		return text.Line(r.session.Name)
	}
}

// about are the details of the row under the cursor: at most room lines of
// w cells; none where there is no row, or no room.
func (h *Home) about(w, room int) []string {
	r := h.selected()
	if r == nil || room == 0 || r.kind == demo && h.isNew() {
		return nil
	}
	p := newPen(h.theme, w)
	switch r.kind {
	case live, recording:
		p.session(r, h.theme, h.clientWords())
	case server:
		p.server(r.server)
	case demo:
		p.field("command", p.Theme.Text, "wiretea demo")
		p.prose("", p.Theme.Dim, "A server inside this program plays a healthy session first, then one fault after the other.")
		p.prose("", p.Theme.Dim, "Nothing is installed, and nothing is kept.")
	case numKinds:
	}
	if len(p.Lines) > room {
		// What was left out is not a secret: the sheet, or the screen, shows it.
		p.Lines = append(p.Lines[:room-1], cells.Fit(p.Lines[room-1], max(1, w-2))+p.Theme.Dim.Paint("…"))
	}
	return cells.Lines(p.Lines, w, room)
}

func (p *pen) session(r *row, th *style.Theme, client string) {
	s := r.session
	if s.Fault != "" {
		p.field("unreadable", th.Error, "✖ "+s.Fault)
	}
	label := "command"
	if isURL(s.Command) {
		label = "url"
	}
	p.field(label, th.Text, s.Command)
	var words []string
	if !s.Start.IsZero() {
		words = append(words, s.Start.Local().Format("2006-01-02 15:04:05"))
	}
	if s.Frames > 0 {
		words = append(words, text.Plural(s.Frames, "frame"))
	}
	switch {
	case r.kind == live && s.PID > 0:
		words = append(words, pidWord(s))
	case r.kind == live:
	case s.Broken:
		words = append(words, "incomplete: "+session.NoEnd)
	case s.Judged:
		words = append(words, findingsWords(s))
	}
	if s.Outcome != "" {
		words = append(words, "server: "+text.Line(s.Outcome))
	}
	p.prose("started", th.Text, strings.Join(words, " · "))
	if client != "" {
		p.prose("client", th.Text, client)
	}
	p.field("file", th.Dim, cmp.Or(s.File, s.Path))
	p.field("folder", th.Dim, s.Folder)
}

// clientWords say with which others the session under the cursor is one client's; empty where
// it is alone.
func (h *Home) clientWords() string {
	all := h.together()
	if all == nil {
		return ""
	}
	var names []string
	for _, s := range all {
		names = append(names, text.Line(s.Server))
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most-1], fmt.Sprintf("%d more", len(names)-most+1))
	}
	words := fmt.Sprintf("process %d with %s: %s", all[0].Parent, text.Plural(int64(len(all)), "session"), strings.Join(names, ", "))
	return words + " · " + h.keys.WordOf(keys.OpenClient, keys.Home) + " opens them as one"
}

// findingsWords counts findings in words.
func findingsWords(s *inventory.Session) string {
	var words []string
	for _, part := range []struct {
		n    int64
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Infos, "note"}} {
		if part.n > 0 {
			words = append(words, text.Plural(part.n, part.noun))
		}
	}
	if len(words) == 0 {
		return "no findings"
	}
	return strings.Join(words, ", ")
}

func (p *pen) server(s *inventory.Server) {
	if s.Trouble != "" {
		p.prose("⚠", p.Theme.Warning, s.Trouble)
	}
	if s.Command != "" {
		p.field("command", p.Theme.Text, s.Command)
	} else {
		p.field("url", p.Theme.Text, s.URL)
		p.prose("", p.Theme.Dim, "enter connects to it, with the header fields of its entry.")
	}
	p.field("file", p.Theme.Dim, s.File+" ("+s.Client+", "+s.Level+")")
	if s.Off {
		p.prose("off", p.Theme.Text, "its file says that its client does not start it")
	}
	if s.Wrapped {
		p.prose("wrapped", p.Theme.Accent, "its client starts it through wiretea: its sessions show up here")
	}
}

// A way to begin, for a user who has no recordings yet.
type way struct{ title, line, does string }

// ways are the three ways in, as far as there is room.
func (h *Home) ways(w, room int) []string {
	wrap := "wiretea wrap claude-desktop NAME"
	for i := range h.inv.Servers {
		if s := &h.inv.Servers[i]; s.Command != "" && !s.Wrapped && !s.Off && s.Trouble == "" {
			wrap = "wiretea wrap " + s.Type + " " + text.ShellWord(s.Name)
			break
		}
	}
	all := []way{
		{"Inspect a server", "wiretea run -- npx -y @modelcontextprotocol/server-everything", "starts it as its client, and shows every message; n starts one here"},
		{"Watch a real client", wrap, "puts a transparent tee before the client's server; restart the client, and its sessions show here"},
		{"Nothing at hand", "wiretea demo", "a server inside this program, healthy and then misbehaving; enter plays it here"},
	}
	// With blank lines between, without, or rather the command lines alone than some
	// of it all: with their titles where they fit.
	const apart, brief = 0, 2
	for layout := apart; ; layout++ {
		p := newPen(h.theme, w)
		if layout != brief || room >= len(all)+2 {
			p.blank()
			p.Lines = append(p.Lines, " "+p.Theme.Title.Paint("Three ways in"))
		}
		for _, each := range all {
			if layout == apart {
				p.blank()
			}
			p.way(each, beside(all, w), layout == brief)
		}
		if len(p.Lines) <= room || layout == brief {
			return p.Lines[:min(len(p.Lines), max(0, room))]
		}
	}
}

// wayW is the width of a way's title where its lines are beside it.
const wayW = 22

// beside reports whether all command lines fit beside the titles.
func beside(all []way, w int) bool {
	return !slices.ContainsFunc(all, func(each way) bool { return cells.Width(text.Line(each.line)) > w-wayW-5 })
}

// way writes a way to begin; brief: its command line, with the title where that is beside it.
func (p *pen) way(each way, beside, brief bool) {
	indent, head := wayW+3, "   "+p.Theme.Text.Paint(cells.Fit(each.title, wayW))
	room := p.W - indent
	switch {
	case beside:
	case brief:
		indent, head, room = 3, cells.Spaces(3), p.W-2
	default:
		p.Lines = append(p.Lines, "   "+p.Theme.Text.Paint(cells.Fit(each.title, p.W-2)))
		indent, head, room = 5, cells.Spaces(5), p.W-5
	}
	for _, part := range cells.Hardwrap(text.Line(each.line), max(1, room)) {
		p.Lines = append(p.Lines, head+p.Theme.Accent.Paint(part))
		head = cells.Spaces(indent)
	}
	if brief {
		return
	}
	for _, part := range cells.Wrap(each.does, max(1, p.W-indent)) {
		p.Lines = append(p.Lines, head+p.Theme.Dim.Paint(part))
	}
}

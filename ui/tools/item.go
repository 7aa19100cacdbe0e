package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/ui/handshake"
	"wiretea/ui/units"
)

const (
	maxName  = 256      // characters of a name that are shown
	maxBrief = 200      // and of a description in the list
	maxAbout = 64 << 10 // bytes of a description
)

// newItem reads an element of a listing.
func newItem(kind kind, raw json.RawMessage) item {
	m := handshake.Members(raw)
	name, title, description := handshake.Text(m["name"]), handshake.Text(m["title"]), handshake.Text(m["description"])
	it := item{name: units.Visible([]byte(name), maxName)}
	it.add(strong, units.Visible([]byte(title), maxName))
	switch kind {
	case tools:
		annotations := handshake.Members(m["annotations"])
		it.add(strong, units.Visible([]byte(handshake.Text(annotations["title"])), maxName))
		it.hints(annotations)
		it.tab("input", m["inputSchema"])
		it.tab("output", m["outputSchema"])
		it.what, it.call = "a call of "+it.name, toolCall(name, m["inputSchema"])
	case resources, templates:
		uri := handshake.Text(m["uri"])
		if kind == templates {
			uri = handshake.Text(m["uriTemplate"])
		}
		if it.name == "" {
			it.name = units.Visible([]byte(uri), maxName)
		}
		it.add(plain, units.Visible([]byte(uri), 0))
		facts := units.Visible([]byte(handshake.Text(m["mimeType"])), maxName)
		if size := m["size"]; len(size) > 0 {
			facts = strings.TrimSpace(facts + "  size " + units.Visible(size, 32))
		}
		it.add(dim, facts)
		it.what, it.call = "a reading of "+it.name, send("resources/read", map[string]any{"uri": uri})
	case prompts:
		it.arguments(m["arguments"])
		it.tab("arguments", m["arguments"])
		it.what, it.call = "a use of "+it.name, promptCall(name, m["arguments"])
	case capabilities, numKinds:
	}
	if m == nil {
		it.name, it.call = "not an object", ""
	} else if it.name == "" {
		it.name, it.call = "without a name", ""
	}
	it.describe(description)
	it.tabs = append(it.tabs, tab{name: "about"})
	it.tab("raw", raw)
	return it
}

func (it *item) add(style lineStyle, text string) {
	if text != "" {
		it.about = append(it.about, line{style, text})
	}
}

// tab adds a tab of JSON, where there is any.
func (it *item) tab(name string, raw json.RawMessage) {
	if len(raw) > 0 {
		it.tabs = append(it.tabs, tab{name, raw})
	}
}

// describe adds a description, line by line.
func (it *item) describe(text string) {
	more := len(text) > maxAbout
	text = strings.TrimSpace(text[:min(len(text), maxAbout)])
	for part := range strings.Lines(text) {
		part = units.Visible([]byte(strings.TrimRight(part, "\r\n")), 0)
		if it.brief == "" {
			it.brief = units.Visible([]byte(part), maxBrief)
		}
		it.about = append(it.about, line{plain, part})
	}
	if more {
		it.add(dim, "… the rest is in raw")
	}
}

// hintWords are the annotations of tools, with what they say where they are true
// and where they are false.
var hintWords = []struct{ name, yes, no string }{
	{"readOnlyHint", "reads only", "writes"},
	{"destructiveHint", "⚠ may destroy", "destroys nothing"},
	{"idempotentHint", "again is the same", "again is more"},
	{"openWorldHint", "reaches outside", "stays inside"},
}

func (it *item) hints(annotations map[string]json.RawMessage) {
	var words []string
	for _, h := range hintWords {
		switch string(annotations[h.name]) {
		case "true":
			words = append(words, h.yes)
		case "false":
			words = append(words, h.no)
		}
	}
	style := dim
	if string(annotations["destructiveHint"]) == "true" && string(annotations["readOnlyHint"]) != "true" {
		style = warning
	}
	it.add(style, strings.Join(words, ", "))
}

// arguments lists the arguments of a prompt.
func (it *item) arguments(raw json.RawMessage) {
	list := handshake.Elements(raw)
	for _, raw := range list[:min(len(list), 100)] {
		m := handshake.Members(raw)
		text := handshake.Text(m["name"])
		if string(m["required"]) == "true" {
			text += " (required)"
		}
		if d := handshake.Text(m["description"]); d != "" {
			text += ": " + d
		}
		it.add(dim, units.Visible([]byte(text), 1000))
	}
}

// peers makes the section of capabilities.
func peers(h *handshake.Handshake) section {
	s := section{listed: h.Client.Row != session.NoRow || h.Server.Row != session.NoRow}
	for _, side := range []struct {
		name string
		peer *handshake.Peer
	}{{"server", &h.Server}, {"client", &h.Client}} {
		if side.peer.Row == session.NoRow {
			continue
		}
		it := item{name: side.name}
		it.brief = units.Visible([]byte(strings.Join(slices.Sorted(maps.Keys(handshake.Members(side.peer.Capabilities))), ", ")), maxBrief)
		it.add(strong, units.Visible([]byte(strings.TrimSpace(side.peer.Name+" "+side.peer.Version)), maxName))
		if side.peer.Title != side.peer.Name {
			it.add(plain, units.Visible([]byte(side.peer.Title), maxName))
		}
		it.tab("declared", side.peer.Capabilities)
		if side.name == "server" {
			if len(h.Versions) > 0 {
				it.add(dim, "knows "+units.Visible([]byte(strings.Join(h.Versions, " ")), maxName))
			}
			it.describe(h.Instructions)
		}
		it.tabs = append(it.tabs, tab{name: "about"})
		s.items = append(s.items, it)
	}
	return s
}

// offers reports whether the server declared the capability of a section; known
// is false while the server has declared nothing at all.
func offers(h *handshake.Handshake, k kind) (yes, known bool) {
	if h == nil || h.Server.Capabilities == nil {
		return false, false
	}
	_, yes = handshake.Members(h.Server.Capabilities)[kinds[k].capability]
	return yes, true
}

// notes says how a section stands, and what is wrong with it. conn is the
// connection that is the latest.
func (s *section) notes(conn uint16) []line {
	var notes []line
	add := func(style lineStyle, format string, args ...any) {
		notes = append(notes, line{style, fmt.Sprintf(format, args...)})
	}
	if s.listed && s.n > 0 {
		from := fmt.Sprintf("from answer #%d", s.n)
		if s.pages > 1 {
			from = fmt.Sprintf("from %s answers, the latest is #%d", units.Count(int64(s.pages)), s.n)
		}
		if s.conn < conn {
			from += fmt.Sprintf(", of connection %d, which is over", s.conn)
		}
		add(dim, "%s", from)
	}
	if s.changed > 0 {
		add(warning, "⚠ changed since: #%d says so", s.changed)
	}
	if s.failed > 0 {
		add(warning, "⚠ the latest answer, #%d, is an error", s.failed)
	}
	if s.unread != "" {
		add(warning, "⚠ an answer cannot be read: %s", s.unread)
	}
	if s.circle {
		add(warning, "⚠ the listing goes in a circle: a page names its own cursor as the next")
	}
	if s.missing {
		add(warning, "⚠ the pages before are not in the session")
	}
	if s.more && !s.circle {
		add(dim, "there are further pages that were not asked for")
	}
	if s.over {
		add(warning, "⚠ there is more than is shown here")
	}
	return notes
}

package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// declared makes the section of capabilities: what each side declared, and what the
// server offers against it.
func declared(got *catalogue, version mcp.Version) section {
	h := got.shake
	s := section{listed: h.Client.Row != session.NoRow || h.Server.Row != session.NoRow}
	for _, side := range []struct {
		name string
		side mcp.Side
		peer *recorder.Peer
	}{{"server", mcp.ServerSide, &h.Server}, {"client", mcp.ClientSide, &h.Client}} {
		if side.peer.Row == session.NoRow {
			continue
		}
		it := item{key: side.name, name: side.name, tabs: []tab{{name: "about"}}}
		it.brief = text.Visible([]byte(strings.Join(slices.Sorted(maps.Keys(recorder.Members(side.peer.Capabilities))), ", ")), maxBrief)
		if it.brief == "" {
			it.brief = "none"
		}
		it.add(strong, text.Visible([]byte(strings.TrimSpace(side.peer.Name+" "+side.peer.Version)), maxName))
		if side.peer.Title != side.peer.Name {
			it.add(plain, text.Visible([]byte(side.peer.Title), maxName))
		}
		if side.side == mcp.ServerSide && len(h.Versions) > 0 {
			it.add(dim, "knows "+text.Visible([]byte(strings.Join(h.Versions, " ")), maxName))
		}
		table := offerTable{got: got, declared: side.peer.Capabilities, version: version}
		it.about = append(it.about, line{})
		it.about = append(it.about, table.lines(side.side)...)
		if side.side == mcp.ServerSide && h.Instructions != "" {
			brief := it.brief
			it.about = append(it.about, line{})
			it.describe(h.Instructions)
			it.brief = brief
		}
		it.tab("declared", side.peer.Capabilities)
		s.items = append(s.items, it)
	}
	return s
}

// offers reports whether the server declared the capability of a section; known
// is false while the server has declared nothing at all.
func offers(h *recorder.Handshake, k kind) (yes, known bool) {
	if h == nil || h.Server.Capabilities == nil {
		return false, false
	}
	return declares(h.Server.Capabilities, kinds[k].capability), true
}

// declares reports whether a tree of capabilities has a path. A member that is
// false or null is none.
func declares(tree json.RawMessage, path string) bool {
	if path == "" {
		return false
	}
	for name := range strings.SplitSeq(path, ".") {
		tree = recorder.Members(tree)[name]
	}
	return len(tree) > 0 && string(tree) != "null" && string(tree) != "false"
}

// An offerTable says, capability by capability, what a peer declared and what is
// seen of it.
type offerTable struct {
	got      *catalogue
	declared json.RawMessage
	version  mcp.Version
}

// labelWidth is the width of a capability's name.
const labelWidth = 17

// row is one line of the table. sign is ✔ for what is declared, ✖ for what does
// not fit what is declared, – for what is not declared.
func (t *offerTable) row(sign, path, words string) line {
	name := path
	if _, last, ok := strings.Cut(path, "."); ok {
		name = "  " + last
	}
	style := plain
	switch sign {
	case "–":
		style = dim
	case "✖":
		style = warning
	}
	name = text.Visible([]byte(name), 60)
	if cells.Width(name) < labelWidth {
		name = cells.Fit(name, labelWidth)
	}
	return line{style, strings.TrimRight(sign+" "+name+" "+words, " ")}
}

// lines are the table: the capabilities of the protocol, then what else was
// declared.
func (t *offerTable) lines(side mcp.Side) []line {
	var lines []line
	known := map[string]bool{}
	table := mcp.Capabilities()
	for i := range table {
		c := &table[i]
		if c.Side != side {
			continue
		}
		root, _, nested := strings.Cut(c.Path, ".")
		known[root] = true
		yes := declares(t.declared, c.Path)
		if root == "experimental" || root == "extensions" || !c.In(t.version) && !yes || nested && !declares(t.declared, root) {
			continue
		}
		sign, words := t.seen(side, c.Path, yes)
		lines = append(lines, t.row(sign, c.Path, words))
	}
	members := recorder.Members(t.declared)
	for _, root := range []string{"extensions", "experimental"} {
		for _, name := range slices.Sorted(maps.Keys(recorder.Members(members[root]))) {
			lines = append(lines, t.row("✔", name, strings.TrimSuffix(root, "s")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !known[name] {
			lines = append(lines, t.row("✔", name, "not in the protocol"))
		}
	}
	return lines
}

// clientWords say what a client's capabilities mean.
var clientWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"roots": "tells the server its folders", "roots.listChanged": "and when they change",
		"sampling": "answers with a model", "sampling.tools": "which can use tools", "sampling.context": "which can be given context",
		"elicitation": "asks its user", "elicitation.form": "by a form", "elicitation.url": "by a web page",
		"tasks": "runs tasks",
	}
}}

// seen is the state of a capability, as a sign and in words.
func (t *offerTable) seen(side mcp.Side, path string, yes bool) (sign, words string) {
	sign, words = "–", "not declared"
	if yes {
		sign, words = "✔", ""
	}
	if side == mcp.ClientSide {
		if yes {
			words = clientWords.Get()[path]
		}
		return sign, words
	}
	root, flag, _ := strings.Cut(path, ".")
	for _, k := range lists {
		if kinds[k].title != root {
			continue
		}
		switch flag {
		case "":
			return t.listed(k, yes)
		case "listChanged":
			return t.changes(k, yes)
		}
	}
	switch path {
	case "resources.subscribe":
		if n := len(t.got.subs); n > 0 && yes {
			words = text.Plural(int64(n), "subscription") + " so far"
		}
	case "tasks":
		n := 0 // n counts the tools that say that they can be run as tasks.
		for _, it := range t.got.sections[tools].items {
			if it.form.task != pane.NoTask {
				n++
			}
		}
		if n > 0 && !yes {
			return "✖", "not declared, yet " + text.Plural(int64(n), "tool") + " can be run as tasks"
		}
	}
	return sign, words
}

// listed is the state of a capability's list.
func (t *offerTable) listed(k kind, yes bool) (sign, words string) {
	s := &t.got.sections[k]
	n := text.Count(int64(len(s.items)))
	switch {
	case s.failed > 0 && s.refused >= t.got.conn && yes:
		return "✖", fmt.Sprintf("declared, but #%d refuses the list: %s", s.failed, s.refusal)
	case s.failed > 0 && s.refused >= t.got.conn:
		return "–", "not declared, and refused"
	case !s.listed && yes:
		return "✔", "not listed yet"
	case !s.listed:
		return "–", "not declared"
	case !yes && len(s.items) > 0:
		return "✖", n + " listed, but not declared"
	case !yes:
		return "–", "not declared, the list is empty"
	}
	words = n + " listed"
	if len(s.items) == 0 {
		words = "the list is empty"
	}
	if of := &t.got.sections[templates]; k == resources && of.listed {
		words += ", " + text.Plural(int64(len(of.items)), "template")
	}
	return "✔", words
}

// changes is the state of a list's notifications.
func (t *offerTable) changes(k kind, yes bool) (sign, words string) {
	n := t.got.changes[k]
	times := text.Plural(int64(n), "change")
	switch {
	case yes && n > 0:
		return "✔", times + " so far"
	case yes:
		return "✔", "announces changes"
	case n > 0:
		return "✖", times + " announced, but not declared"
	}
	return "–", "not declared"
}

package content

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"wiretea/recorder/statistics"
	"wiretea/session/cells"
	"wiretea/session/json/lex"
	"wiretea/session/text"
)

// catalogue reads a list of what a server offers, or a client.
func catalogue(member string) func(value) []Block {
	return func(result value) []Block {
		items := result.get(member).items()
		what := strings.TrimSuffix(strings.ReplaceAll(member, "Templates", " templates"), "s")
		b := Block{Title: text.Plural(int64(len(items)), what)}
		switch member {
		case "tools":
			tools := make([]json.RawMessage, len(items))
			for i, item := range items {
				tools[i] = json.RawMessage(item)
			}
			b.Notes = "in a model's context ≈ " + text.Plural(statistics.ToolsOf(tools).Tokens, "token")
		case "prompts":
			b.Notes = size(len(result.get(member)))
		}
		if result.get("nextCursor").present() {
			b.Notes = noted(b.Notes, "there is another page")
		}
		b.draw = func(l *layout) {
			for i, item := range items {
				if i > 0 {
					l.put()
				}
				l.uri = item.get("uri").text()
				l.offer(item, member == "tools")
				l.uri = ""
			}
		}
		return []Block{b}
	}
}

// offer adds one item of a list.
func (l *layout) offer(item value, costs bool) {
	name := firstOf(item, "name", "uri", "uriTemplate", "taskId")
	notes := firstOf(item, "title")
	if uri := firstOf(item, "uri", "uriTemplate"); uri != "" && uri != name {
		notes = noted(notes, uri)
	}
	hints := item.get("annotations")
	for _, h := range []struct{ member, yes string }{{"readOnlyHint", "read-only"}, {"destructiveHint", "destructive"}, {"idempotentHint", "idempotent"}, {"openWorldHint", "open world"}} {
		if string(hints.get(h.member)) == "true" {
			notes = noted(notes, h.yes)
		}
	}
	notes = noted(notes, item.get("mimeType").words(), firstOf(item, "status"))
	if costs {
		notes = noted(notes, "≈ "+text.Plural(statistics.DefinitionOf(json.RawMessage(item)).Tokens, "token"))
	}
	l.wrap(nil, "  ", Part{Ink: Strong, Text: name}, Part{Ink: Dim, Text: "  " + notes})
	if d := item.get("description").text(); d != "" {
		l.text("    ", d, languageOf("", "", d))
	}
	shown := "arguments"
	if l.schema("    ", item.get("inputSchema")) {
		shown += " inputSchema"
	}
	if hints.only("readOnlyHint destructiveHint idempotentHint openWorldHint") && !bytes.Contains(hints, []byte("false")) {
		shown += " annotations"
	}
	for _, arg := range item.get("arguments").items() {
		l.argument("    ", arg.get("name").words(), "", string(arg.get("required")) == "true", arg.get("description").words())
		l.others("      ", "also", arg.without("name description", "required"))
	}
	l.others("    ", "also", item.without("name title uri uriTemplate taskId description mimeType status", shown))
}

// schema adds the properties of a JSON schema of an object, a line each. It reports whether
// the schema says no more than that.
func (l *layout) schema(indent string, schema value) (whole bool) {
	var required []string
	for _, r := range schema.get("required").items() {
		required = append(required, r.text())
	}
	whole = schema.only("type properties required")
	for key, p := range lex.Members(schema.get("properties")) {
		name, p := lex.Unquote(key), value(p)
		kind := p.get("type").words()
		whole = whole && (p.only("type enum description") || p.only("type enum title"))
		if choices := p.get("enum"); choices.array() {
			var all []string
			for _, c := range choices.items() {
				all = append(all, c.words())
			}
			kind = strings.Join(all, "|")
		}
		l.argument(indent, text.OneLine(name), text.Visible([]byte(kind), 60), slices.Contains(required, name), firstOf(p, "description", "title"))
	}
	return whole
}

// argument adds a parameter of a tool or a prompt.
func (l *layout) argument(indent, name, kind string, required bool, about string) {
	if required {
		kind = noted(kind, "required")
	}
	l.wrap([]Part{{Ink: code + 1, Text: name + " "}, {Ink: Dim, Text: kind + "  "}}, indent, Part{Text: about})
}

// peerSays is what a side says of itself at the handshake.
func peerSays(v value) []Block {
	b := Block{Title: peerTitle(v), Notes: v.get("protocolVersion").words()}
	b.draw = func(l *layout) {
		l.peer("  ", v)
		l.more(v)
		l.instructions(v)
	}
	return []Block{b}
}

// peerInfo is the description of a side, and which side that is.
func peerInfo(v value) (side string, info value) {
	if info = v.get("serverInfo"); info.present() {
		return "server", info
	}
	if info = v.get("clientInfo"); info.present() {
		return "client", info
	}
	if info = v.get("_meta").get("io.modelcontextprotocol/serverInfo"); info.present() {
		return "server", info
	}
	return "server", nil
}

func peerTitle(v value) string {
	side, info := peerInfo(v)
	return side + " " + strings.TrimSpace(firstOf(info, "title", "name")+" "+info.get("version").words())
}

// peer adds the capabilities of a side.
func (l *layout) peer(indent string, v value) {
	_, info := peerInfo(v)
	for _, version := range v.get("supportedVersions").items() {
		l.fact(indent, "supports", Plain, version.words())
	}
	l.fact(indent, "website", Link, info.get("websiteUrl").words())
	none := true
	for key, c := range lex.Members(v.get("capabilities")) {
		words := ""
		for sub, on := range lex.Members(c) {
			if string(on) != "false" {
				words = noted(words, text.OneLine(lex.Unquote(sub)))
			}
		}
		l.fact(indent, text.OneLine(lex.Unquote(key)), Plain, "yes"+strings.TrimSuffix(" · "+words, " · "))
		none = false
	}
	if none && v.get("capabilities").object() {
		l.wrap(nil, indent, Part{Ink: Dim, Text: "no capabilities"})
	}
}

// more adds what peer and peerTitle do not show of a side.
func (l *layout) more(v value) {
	side, info := peerInfo(v)
	shown := "title version websiteUrl"
	if firstOf(info, "title") == "" {
		shown += " name"
	}
	l.others("  ", "also of the "+side, info.without(shown, ""))
	var rest []lex.Member
	for key, c := range lex.Members(v.get("capabilities")) {
		simple := value(c).object()
		for _, sub := range lex.Members(c) {
			simple = simple && (string(sub) == "true" || value(sub).only(""))
		}
		if !simple {
			rest = append(rest, lex.Member{Name: lex.Unquote(key), Value: c})
		}
	}
	l.others("  ", "capabilities of the "+side+" in full", lex.AppendObject(nil, rest...))
}

// instructions adds those of a server.
func (l *layout) instructions(v value) {
	if text := v.get("instructions").text(); text != "" {
		l.put()
		l.wrap(nil, "  ", Part{Ink: Dim, Text: "instructions for the model · " + size(len(text))})
		l.text("    ", text, languageOf("", "", text))
	}
}

// besides is from which width on both sides of a handshake are beside each other.
const besides = 64

// handshake is what both sides say of themselves: client and server in two columns, where
// there is room for them.
func handshake(client, server value) Block {
	asked, got := client.get("protocolVersion").words(), server.get("protocolVersion").words()
	notes := got
	if asked != got {
		notes = "asked for " + asked + ", agreed on " + got
	}
	return Block{Title: "handshake", Notes: notes, draw: func(l *layout) {
		column := func(v value, w int) []Line {
			side := &layout{doc: l.doc, w: w, block: l.block}
			side.wrap(nil, "  ", Part{Ink: Strong, Text: peerTitle(v)})
			side.peer("  ", v)
			return side.lines
		}
		if l.w < besides {
			l.lines = append(append(l.lines, column(client, l.w)...), column(server, l.w)...)
		} else {
			l.columns(column(client, l.w/2-1), column(server, l.w-l.w/2-1), l.w/2)
		}
		l.more(client)
		l.more(server)
		l.instructions(server)
	}}
}

// columns adds lines beside each other, the right ones at a cell.
func (l *layout) columns(left, right []Line, at int) {
	for i := range max(len(left), len(right)) {
		var parts []Part
		used := 0
		if i < len(left) {
			for _, p := range left[i].Parts {
				used += cells.Width(p.Text)
			}
			parts = append(parts, left[i].Parts...)
		}
		if i < len(right) {
			parts = append(append(parts, Part{Text: cells.Spaces(at - used)}, Part{Ink: Dim, Text: "│"}), right[i].Parts...)
		}
		l.put(parts...)
	}
}

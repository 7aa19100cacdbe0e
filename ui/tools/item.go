package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiretea/recorder"
	"wiretea/session/text"
	"wiretea/ui/composer/arguments"
	"wiretea/ui/pane"
)

const (
	maxName  = 256      // characters of a name that are shown
	maxBrief = 200      // and of a description in the list
	maxAbout = 64 << 10 // bytes of a description
)

// newItem reads an element of a listing.
func newItem(kind kind, raw json.RawMessage) item {
	m := recorder.Members(raw)
	name, title, description := recorder.TextOf(m["name"]), recorder.TextOf(m["title"]), recorder.TextOf(m["description"])
	it := item{key: name, name: text.Visible([]byte(name), maxName), form: form{name: name, about: description[:min(len(description), maxAbout)]}}
	it.add(strong, text.Visible([]byte(title), maxName))
	switch kind {
	case tools:
		it.tool(m)
	case resources:
		it.resource(m, recorder.TextOf(m["uri"]))
	case templates:
		it.resource(m, recorder.TextOf(m["uriTemplate"]))
		it.variables()
	case prompts:
		it.arguments(m["arguments"])
		it.tab("arguments", m["arguments"])
		it.form.schema = arguments.PromptSchema(m["arguments"])
		it.what, it.call = "a use of "+it.name, promptCall(name, m["arguments"])
	case capabilities, subscriptions, tasks, numKinds:
	}
	if m == nil {
		it.name, it.call = "not an object", ""
	} else if it.name == "" {
		it.name, it.call = "(no name)", ""
	}
	it.describe(description)
	it.icons(m["icons"])
	it.tabs = append(it.tabs, tab{name: "about"})
	it.tab("raw", raw)
	it.measured(kind)
	return it
}

// tool takes what a tool has more than others.
func (it *item) tool(m map[string]json.RawMessage) {
	annotations := recorder.Members(m["annotations"])
	it.add(strong, text.Visible([]byte(recorder.TextOf(annotations["title"])), maxName))
	it.hints(annotations)
	switch recorder.TextOf(recorder.Members(m["execution"])["taskSupport"]) {
	case "required":
		it.form.task = pane.MustTask
		it.add(plain, "must be run as a task")
	case "optional":
		it.form.task = pane.MayTask
		it.add(plain, "can be run as a task")
	case "forbidden":
		it.add(dim, "cannot be run as a task")
	}
	it.tab("input", m["inputSchema"])
	it.tab("output", m["outputSchema"])
	it.form.schema = m["inputSchema"]
	it.what, it.call = "a call of "+it.name, send("tools/call", params{Name: it.form.name, Arguments: skeleton(m["inputSchema"], 0)})
}

// resource takes what a resource or a template has more than others.
func (it *item) resource(m map[string]json.RawMessage, uri string) {
	it.uri, it.key, it.form.name = uri, uri+" "+it.key, uri
	if it.name == "" {
		it.name = text.Visible([]byte(uri), maxName)
	}
	it.add(plain, text.Visible([]byte(uri), 0))
	facts := text.Visible([]byte(recorder.TextOf(m["mimeType"])), maxName)
	if size := m["size"]; len(size) > 0 {
		words := text.Visible(size, 32)
		if n, err := strconv.ParseInt(string(size), 10, 64); err == nil && n >= 0 {
			words = text.Size(n)
		}
		facts = strings.TrimSpace(facts + "  size " + words)
	}
	it.add(dim, facts)
	it.audience(recorder.Members(m["annotations"]))
	it.what, it.call = "a reading of "+it.name, send("resources/read", params{URI: uri})
}

// audience tells for whom a resource is, how much it matters, and how old it is.
func (it *item) audience(annotations map[string]json.RawMessage) {
	var words []string
	var who []string
	for _, raw := range recorder.Elements(annotations["audience"]) {
		who = append(who, recorder.TextOf(raw))
	}
	if len(who) > 0 {
		words = append(words, "for "+strings.Join(who, " and "))
	}
	if p := annotations["priority"]; len(p) > 0 {
		words = append(words, "priority "+string(p))
	}
	if t := recorder.TextOf(annotations["lastModified"]); t != "" {
		words = append(words, "changed "+t)
	}
	it.add(dim, text.Visible([]byte(strings.Join(words, ", ")), maxName))
}

// variables lists the variables of a URI template (RFC 6570).
func (it *item) variables() {
	var names []string
	for rest := it.uri; len(names) < maxWidth; {
		_, after, ok := strings.Cut(rest, "{")
		inside, more, closed := strings.Cut(after, "}")
		if !ok || !closed {
			break
		}
		for name := range strings.SplitSeq(strings.TrimLeft(inside, "+#./;?&"), ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		rest = more
	}
	if len(names) > 0 {
		it.add(dim, text.Visible([]byte("variables: "+strings.Join(names, ", ")), 1000))
	}
}

// maxIcons is how many icons are told of.
const maxIcons = 8

// icons tells where the icons are. Those that are in the text itself are only
// measured.
func (it *item) icons(raw json.RawMessage) {
	list := recorder.Elements(raw)
	for _, raw := range list[:min(len(list), maxIcons)] {
		m := recorder.Members(raw)
		src := recorder.TextOf(m["src"])
		if head, data, ok := strings.Cut(src, ","); ok && strings.HasPrefix(src, "data:") {
			src = head + ", " + text.Size(int64(len(data)))
		}
		words := []string{"icon", src, recorder.TextOf(m["mimeType"]), recorder.TextOf(m["theme"])}
		for _, size := range recorder.Elements(m["sizes"]) {
			words = append(words, recorder.TextOf(size))
		}
		it.add(dim, text.Visible([]byte(strings.Join(strings.Fields(strings.Join(words, " ")), " ")), 1000))
	}
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
func (it *item) describe(words string) {
	more := len(words) > maxAbout
	words = strings.TrimSpace(words[:min(len(words), maxAbout)])
	for part := range strings.Lines(words) {
		part = text.Visible([]byte(strings.TrimRight(part, "\r\n")), 0)
		if it.brief == "" {
			it.brief = text.Visible([]byte(part), maxBrief)
		}
		it.about = append(it.about, line{plain, part})
	}
	if more {
		it.add(dim, "… the rest is in raw")
	}
}

// hintWords are the annotations of tools, in words.
var hintWords = []struct{ name, word string }{
	{"readOnlyHint", "read-only"},
	{"destructiveHint", "destructive"},
	{"idempotentHint", "idempotent"},
	{"openWorldHint", "open world"},
}

// hints tells what a tool says of its effects, in words: the signs of findings would read
// as a judgement.
func (it *item) hints(annotations map[string]json.RawMessage) {
	var words []string
	style := dim
	for _, h := range hintWords {
		switch string(annotations[h.name]) {
		case "true":
			word := h.word
			if h.name == "destructiveHint" && string(annotations["readOnlyHint"]) != "true" {
				word, style = "⚠ "+word, warning
			}
			words = append(words, word)
		case "false":
			words = append(words, "not "+h.word)
		}
	}
	if len(words) > 0 {
		it.add(style, strings.Join(words, " · "))
	}
}

// arguments lists the arguments of a prompt.
func (it *item) arguments(raw json.RawMessage) {
	list := recorder.Elements(raw)
	for _, raw := range list[:min(len(list), 100)] {
		m := recorder.Members(raw)
		words := recorder.TextOf(m["name"])
		if string(m["required"]) == "true" {
			words += " (required)"
		}
		if d := recorder.TextOf(m["description"]); d != "" {
			words += ": " + d
		}
		it.add(dim, text.Visible([]byte(words), 1000))
	}
}

// notes says the state of a section, and what is wrong with it. conn is the
// connection that is the latest.
func (s *section) notes(conn uint16) []line {
	var notes []line
	add := func(style lineStyle, format string, args ...any) {
		notes = append(notes, line{style, fmt.Sprintf(format, args...)})
	}
	if s.listed && s.n > 0 {
		from := fmt.Sprintf("from answer #%d", s.n)
		if s.pages > 1 {
			from = fmt.Sprintf("from %s answers, the latest is #%d", text.Count(int64(s.pages)), s.n)
		}
		if s.conn < conn {
			from += fmt.Sprintf(", of connection %d, which has ended", s.conn)
		}
		add(dim, "%s", from)
	}
	if s.changed > 0 {
		add(warning, "⚠ changed since: see #%d", s.changed)
	}
	if s.failed > 0 {
		add(warning, "✖ the latest answer, #%d, is an error: %s", s.failed, s.refusal)
	}
	if s.unread != "" {
		add(warning, "⚠ an answer cannot be read: %s", s.unread)
	}
	if s.circle {
		add(warning, "⚠ the listing loops: two pages have the same nextCursor")
	}
	if s.missing {
		add(warning, "⚠ earlier pages are not in the session")
	}
	if s.more && !s.circle {
		add(dim, "there are more pages, which were not requested")
	}
	if s.over {
		add(warning, "⚠ not all items are shown")
	}
	return notes
}

const (
	maxDepth = 4  // levels of required members that a skeleton goes into
	maxWidth = 64 // members of an object that it has
)

// promptCall is a line for :send that gets a prompt, with its required
// arguments.
func promptCall(name string, arguments json.RawMessage) string {
	p := params{Name: name}
	needed := map[string]string{}
	for _, raw := range recorder.Elements(arguments) {
		if m := recorder.Members(raw); string(m["required"]) == "true" && len(needed) < maxWidth {
			needed[recorder.TextOf(m["name"])] = ""
		}
	}
	if len(needed) > 0 {
		p.Arguments = needed
	}
	return send("prompts/get", p)
}

// params are the parameters of a request, in the order in which they are written.
type params struct {
	Name      string `json:"name,omitempty"`
	URI       string `json:"uri,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
}

// send is a method with parameters in one line.
func send(method string, p params) string { return method + " " + string(marshal(p)) }

// marshal writes a value without escaping what HTML would want escaped. What
// cannot be written is null.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// skeleton is the least value of a schema, as far as it is plain to see: what is
// given as constant, default or example, else nothing of the right type.
func skeleton(schema json.RawMessage, depth int) any {
	m := recorder.Members(schema)
	for _, given := range []json.RawMessage{m["const"], m["default"], first(m["examples"]), first(m["enum"])} {
		if len(given) > 0 {
			return given
		}
	}
	for _, choice := range []json.RawMessage{first(m["anyOf"]), first(m["oneOf"]), first(m["allOf"])} {
		if len(choice) > 0 && m["type"] == nil && depth < maxDepth {
			return skeleton(choice, depth+1)
		}
	}
	name := recorder.TextOf(m["type"])
	if name == "" {
		name = recorder.TextOf(first(m["type"]))
	}
	switch name {
	case "string":
		return ""
	case "number", "integer":
		if least := m["minimum"]; len(least) > 0 {
			return least
		}
		return 0
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		return object(m, depth)
	}
	if depth == 0 || m["properties"] != nil {
		return object(m, depth)
	}
	return nil
}

// object has the required members of a schema.
func object(m map[string]json.RawMessage, depth int) map[string]any {
	out := map[string]any{}
	if depth >= maxDepth {
		return out
	}
	properties := recorder.Members(m["properties"])
	required := recorder.Elements(m["required"])
	for _, raw := range slices.Clone(required[:min(len(required), maxWidth)]) {
		var key string
		if json.Unmarshal(raw, &key) == nil {
			out[key] = skeleton(properties[key], depth+1)
		}
	}
	return out
}

// first is the first element of an array, nil where there is none.
func first(raw json.RawMessage) json.RawMessage {
	if list := recorder.Elements(raw); len(list) > 0 {
		return list[0]
	}
	return nil
}

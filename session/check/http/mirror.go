package http

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxAnnotated is how many tools with annotations are kept.
const maxAnnotated = 1024

// mirrorGrace is how long before a message its client may have written the message's header
// fields, in ns. The client did not know yet of a list or a refusal that came, or was held, in
// that time.
const mirrorGrace = int64(time.Second)

const paramPrefix = "Mcp-Param-"

// mirror follows which parameters the tools want in header fields.
type mirror struct {
	tools map[string]annotated
	all   map[uint64]bool // all are the hashes of the names of all listed tools, without annotations too.
	stale string          // stale is the tool whose call was refused for its header fields; empty = none.
}

// An annotated tool has parameters that go into header fields.
type annotated struct {
	params []param
	wrong  string // wrong says what is wrong with an annotation; empty = nothing.
	since  int64  // since is when it was listed with these,
	fresh  int64  // and fresh until when that list is valid.
	before int64  // before is when it was listed with others; 0 = never.
}

// A param is a parameter that goes into a header field.
type param struct {
	header string
	path   []string
}

// mirrored judges the header fields of a modern message.
func (c *httpConn) mirrored(ev *session.Event, t *trip, r session.Reporter) {
	m, q := ev.Message, tripOf(ev).Request
	differ := func(what string) { t.mismatch, t.named = what, true }
	switch named, body := fieldOf(q, "MCP-Protocol-Version"), m.Field(jsonrpc.MetaProtocolVersion); {
	case named == "":
		report(ev, t, r, versionHeader, "%s has no MCP-Protocol-Version", t.name())
		differ("it has no MCP-Protocol-Version")
	case body.Type == jsonrpc.String && !body.Is(named) && count(q, "MCP-Protocol-Version") == 1:
		report(ev, t, r, versionHeader, "%s has MCP-Protocol-Version %s, and %s in its _meta", t.name(), rule.Excerpt([]byte(named)), rule.RawText(body))
		differ("its MCP-Protocol-Version differs from its _meta")
	}
	switch {
	case t.what == batch:
		report(ev, t, r, batchPost, "the client posted a batch")
		return
	case t.what == response:
		report(ev, t, r, responsePost, "the client posted a response, with the id %s", rule.Short([]byte(t.id)))
		return
	case t.session != nil:
		report(ev, t, r, legacyArtifacts, "%s carries Mcp-Session-Id, which 2026-07-28 does not have", t.name())
	}
	if t.method == mcp.CancelledNotification {
		report(ev, t, r, legacyArtifacts, "the client sent notifications/cancelled, which HTTP does not have: closing the stream cancels")
	}
	if t.what != request || m.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8) != 0 {
		return
	}
	once(ev, t, r)
	c.mirror.names(ev, t, r)
	c.mirror.call(ev, t, r)
}

// once judges that fields which must be unique are.
func once(ev *session.Event, t *trip, r session.Reporter) {
	q := tripOf(ev).Request
	for i := range q.Fields {
		name := q.Fields[i].Name
		single := strings.EqualFold(name, "MCP-Protocol-Version") || strings.EqualFold(name, "Mcp-Method") || strings.EqualFold(name, "Mcp-Name") || isParam(name)
		if single && count(q, name) > 1 {
			report(ev, t, r, duplicateHeader, "%s has %s %d times", t.name(), rule.Short([]byte(name)), count(q, name))
			return
		}
	}
}

// isParam reports whether a field mirrors a parameter of a tool.
func isParam(name string) bool {
	return len(name) > len(paramPrefix) && strings.EqualFold(name[:len(paramPrefix)], paramPrefix)
}

// nameField returns what Mcp-Name mirrors for a method.
func nameField(method string) (jsonrpc.Field, bool) {
	switch method {
	case mcp.ToolsCall, mcp.PromptsGet:
		return jsonrpc.ParamName, true
	case mcp.ResourcesRead:
		return jsonrpc.ParamURI, true
	case mcp.TasksGet, mcp.TasksUpdate, mcp.TasksCancel:
		return jsonrpc.ParamTaskID, true
	}
	return 0, false
}

// names judges Mcp-Method and Mcp-Name.
func (m *mirror) names(ev *session.Event, t *trip, r session.Reporter) {
	q := tripOf(ev).Request
	wrong := func(what string) {
		t.mismatch, t.named = what, true
		report(ev, t, r, mcpHeaders, "%s: %s", t.name(), what)
	}
	method, _ := ev.Message.Method.Unquoted()
	switch named, ok := q.Field("Mcp-Method"); {
	case !ok:
		wrong("it has no Mcp-Method")
	case named != method && count(q, "Mcp-Method") == 1:
		wrong("its Mcp-Method is " + rule.Excerpt([]byte(named)))
	}
	named, ok := q.Field("Mcp-Name")
	field, wanted := nameField(t.method)
	if !wanted {
		if ok {
			reportSince(ev.T-mirrorGrace, ev, t, r, headerUnneeded, "%s has Mcp-Name, and nothing that it names", t.name())
		}
		return
	}
	value := ev.Message.Field(field)
	text, whole := value.Unquoted()
	switch {
	case value.Type != jsonrpc.String || !whole:
	case !ok:
		wrong("it has no Mcp-Name")
	case count(q, "Mcp-Name") > 1:
	case mcp.HeaderText(named) != text:
		wrong("its Mcp-Name is " + rule.Excerpt([]byte(named)) + ", not " + rule.Excerpt([]byte(text)))
	}
}

// call judges the fields that mirror the arguments of a call.
func (m *mirror) call(ev *session.Event, t *trip, r session.Reporter) {
	if t.method == mcp.ToolsList {
		m.stale = ""
	}
	if t.method != mcp.ToolsCall {
		return
	}
	if m.stale != "" && m.stale == t.target {
		reportSince(ev.T-mirrorGrace, ev, t, r, mismatchNoRefresh, "%s calls %s again without tools/list, after its header fields were refused", t.name(), rule.Short([]byte(t.target)))
	}
	m.stale = ""
	tool, known := m.tools[t.target]
	if known && tool.wrong != "" && ev.T-tool.since > mirrorGrace {
		reportSince(ev.T-mirrorGrace, ev, t, r, invalidToolUsed, "%s calls %s, whose x-mcp-header is invalid: %s", t.name(), rule.Short([]byte(t.target)), tool.wrong)
		return
	}
	if known && tool.before != 0 && ev.T-tool.since < rule.ListGrace {
		return // The client may know it as it was before.
	}
	params := rule.SpanText(ev, ev.Message.Params)
	if params == nil {
		return
	}
	arguments := lex.Get(params, "arguments")
	q := tripOf(ev).Request
	for i := range tool.params {
		p := &tool.params[i]
		what, missing := p.differs(q, arguments)
		if what == "" {
			continue
		}
		if t.mismatch = what; !missing || ev.T < tool.fresh {
			reportSince(ev.T-mirrorGrace, ev, t, r, paramHeaders, "%s: %s", t.name(), what)
		}
		return
	}
	if m.all[hashOf(t.target)] {
		m.unneeded(ev, t, tool, r)
	}
}

// unneeded judges fields that the tool does not want.
func (m *mirror) unneeded(ev *session.Event, t *trip, tool annotated, r session.Reporter) {
	q := tripOf(ev).Request
	for i := range q.Fields {
		name := q.Fields[i].Name
		if !isParam(name) {
			continue
		}
		wanted := false
		for _, p := range tool.params {
			wanted = wanted || strings.EqualFold(paramPrefix+p.header, name)
		}
		if !wanted {
			reportSince(ev.T-mirrorGrace, ev, t, r, headerUnneeded, "%s has %s, which %s does not ask for", t.name(), rule.Short([]byte(name)), rule.Short([]byte(t.target)))
			return
		}
	}
}

// differs says how a field differs from its argument, empty if it does not, and whether
// it is missing.
func (p *param) differs(q *session.HTTPEvent, arguments []byte) (what string, missing bool) {
	value := arguments
	for _, name := range p.path {
		value = lex.Get(value, name)
	}
	name := paramPrefix + p.header
	named, ok := q.Field(name)
	shown := rule.Short([]byte(name))
	switch kind := jsonrpc.TypeOf(value); {
	case kind == jsonrpc.Absent || kind == jsonrpc.Null:
		if ok {
			return "it has " + shown + ", and no such argument", false
		}
	case kind == jsonrpc.Array || kind == jsonrpc.Object:
	case !ok:
		return "it has no " + shown, true
	case count(q, name) > 1:
	case kind == jsonrpc.String:
		if mcp.HeaderText(named) != lex.Unquote(value) {
			return "its " + shown + " is " + rule.Excerpt([]byte(named)) + ", and the argument is " + rule.Excerpt(value), false
		}
	case kind == jsonrpc.Number:
		is, err := strconv.ParseFloat(named, 64)
		want, wrong := strconv.ParseFloat(string(value), 64)
		if wrong == nil && (err != nil || is != want) {
			return "its " + shown + " is " + rule.Excerpt([]byte(named)) + ", and the argument is " + rule.Short(value), false
		}
	case named != string(value):
		return "its " + shown + " is " + rule.Excerpt([]byte(named)) + ", and the argument is " + rule.Short(value), false
	}
	return "", false
}

// refused takes an error for the header fields of a call.
func (m *mirror) refused(t *trip) {
	if t.answer.errors > 0 && t.answer.code == mcp.HeaderMismatch && !t.named && t.method == mcp.ToolsCall {
		m.stale = t.target
	}
}

// answered reads the annotations of listed tools.
func (m *mirror) answered(ev *session.Event, t *trip, r session.Reporter) {
	x := ev.Exchange
	if x == nil || x.Method != mcp.ToolsList || x.Era != mcp.Modern || ev.Message.Kind != jsonrpc.Result || !rule.IsAnswer(ev) {
		return
	}
	for _, tool := range lex.Items(lex.Get(rule.ResultOf(ev), "tools")) {
		name := lex.Unquote(lex.Get(tool, "name"))
		if len(m.all) >= rule.MaxTools || name == "" || len(name) > rule.MaxNameKept {
			return
		}
		rule.Put(&m.all, hashOf(name), true)
		old, was := m.tools[name]
		if !was && !bytes.Contains(tool, []byte(`"x-mcp-header"`)) || !was && len(m.tools) >= maxAnnotated {
			continue
		}
		ttl, _ := ev.Message.Field(jsonrpc.ResultTTL).Int()
		now := annotated{since: max(1, ev.T), fresh: ev.T + min(max(ttl, 0), 1<<32)*int64(time.Millisecond)}
		w := walker{tool: &now}
		w.schema(lex.Get(tool, "inputSchema"), nil, true, 0)
		if was && same(old.params, now.params) {
			now.since, now.before = old.since, old.before
		} else if was {
			now.before = old.since
		}
		rule.Put(&m.tools, name, now)
		if now.wrong != "" {
			report(ev, t, r, headerInvalid, "the x-mcp-header of %s is invalid: %s", rule.Short([]byte(name)), now.wrong)
		}
	}
}

func same(a, b []param) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].header != b[i].header || strings.Join(a[i].path, "\x00") != strings.Join(b[i].path, "\x00") {
			return false
		}
	}
	return true
}

// A walker collects the annotations of a schema.
type walker struct{ tool *annotated }

const maxDepth = 32

// schema reads the annotation of a schema and those below it. reached: properties alone
// lead to it.
func (w *walker) schema(text []byte, path []string, reached bool, depth int) {
	if len(text) == 0 || depth > maxDepth {
		return
	}
	switch text[0] {
	case '[':
		for _, item := range lex.Items(text) {
			w.schema(item, path, false, depth+1)
		}
		return
	case '{':
	default:
		return
	}
	for key, value := range lex.Members(text) {
		switch name := lex.Unquote(key); name {
		case "x-mcp-header":
			w.annotation(value, lex.Get(text, "type"), path, reached)
		case "properties":
			for property, below := range lex.Members(value) {
				w.schema(below, append(path[:len(path):len(path)], lex.Unquote(property)), reached, depth+1)
			}
		case "$defs", "definitions", "patternProperties", "dependentSchemas":
			for _, below := range lex.Members(value) {
				w.schema(below, path, false, depth+1)
			}
		case "items", "prefixItems", "contains", "additionalProperties", "oneOf", "anyOf", "allOf", "not", "if", "then", "else":
			w.schema(value, path, false, depth+1)
		}
	}
}

// annotation takes one annotation.
func (w *walker) annotation(value, kind []byte, path []string, reached bool) {
	header := lex.Unquote(value)
	where := rule.PathText("inputSchema", path)
	wrong := ""
	switch {
	case jsonrpc.TypeOf(value) != jsonrpc.String:
		wrong = "at " + where + " it is " + rule.TypeName(jsonrpc.TypeOf(value)) + ", must be a string"
	case header == "":
		wrong = "at " + where + " it is empty"
	case strings.ContainsFunc(header, func(b rune) bool { return !isToken(b) }):
		wrong = rule.Excerpt([]byte(header)) + " cannot be a part of a field's name"
	case !reached || len(path) == 0:
		wrong = where + " is not a property that properties alone lead to"
	case lex.IsText(kind, "number"):
		wrong = where + " is of the type number"
	case lex.IsText(kind, "array"), lex.IsText(kind, "object"), lex.IsText(kind, "null"):
		wrong = where + " is of the type " + lex.Unquote(kind)
	}
	for _, p := range w.tool.params {
		if wrong == "" && strings.EqualFold(p.header, header) {
			wrong = rule.Excerpt([]byte(header)) + " is used twice"
		}
	}
	if wrong != "" {
		w.tool.wrong = wrong
		return
	}
	w.tool.params = append(w.tool.params, param{header, path})
}

// isToken reports whether a character may be in a field's name: RFC 9110 §5.6.2.
func isToken(b rune) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || strings.ContainsRune("!#$%&'*+-.^_`|~", b)
}

package features

import (
	"fmt"
	"hash/maphash"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/json/schema"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds of what is kept of a connection's tools. What does not fit is not
// judged.
const (
	maxSchemaText  = 256 << 10 // bytes of one schema
	maxSchemaTexts = 8 << 20   // bytes of all schemas
	maxToolLists   = 4         // listings that may go on
	maxPagesKept   = 16        // pages that are recognized when they come again
)

// A tool is what the last list says of one.
type tool struct {
	name          string
	input, output []byte // texts of the schemas, nil = none, or too long.
	in, out       rule.Compiled
	asked         int64 // asked is when the latest page with it was asked for,
	from          int64 // and from when on the tool has been as it is.
	patient       int64 // patient is until when clients may still call it as it was before.
}

// size is how many bytes the texts of a tool have.
func (t *tool) size() int64 { return int64(len(t.name) + len(t.input) + len(t.output)) }

// A toolList is a listing under way.
type toolList struct {
	names  map[string]bool
	next   uint64          // next is the cursor of the page that comes next, 0 = it has ended.
	given  map[uint64]bool // given are the cursors that it gave out.
	began  int64
	doubts bool // doubts: not all names could be kept.
}

// A toolPage is a page that was judged.
type toolPage struct {
	hash  uint64
	tools []*tool
}

// toolsConn follows which tools are listed and how they are called.
type toolsConn struct {
	rule.KeySet
	rule.Validator
	asked   listings
	lists   []*toolList
	whole   *toolList // whole is the last listing that ended, nil = none since the tools changed.
	tools   map[string]*tool
	texts   int64 // texts counts the bytes of schemas that are kept.
	changed int64 // changed is when the tools changed last, as the server says.
	pages   []toolPage
	refused []refusal
}

// change takes note that the tools are others from now on.
func (c *toolsConn) change(t int64) {
	c.changed, c.whole, c.lists = t, nil, nil
}

// forget takes note that nothing is known of the tools.
func (c *toolsConn) forget() {
	c.whole, c.lists, c.tools, c.texts = nil, nil, nil, 0
}

// current returns the tool that a call names as it was listed, nil where it is not
// known how it was all the time since the call.
func (c *toolsConn) current(ev *session.Event) *tool {
	known := c.tools[ev.Exchange.Target]
	if known == nil || known.from > ev.Exchange.ReqT || c.changed > 0 && known.asked <= c.changed || ev.Conn.Gaps[session.S2C] {
		return nil
	}
	return known
}

// page takes an answer to tools/list.
func (c *toolsConn) page(ev *session.Event, r session.Reporter) {
	asked, ok := c.asked.take(ev)
	result := rule.ResultOf(ev)
	array := lex.Get(result, "tools")
	if jsonrpc.TypeOf(array) != jsonrpc.Array {
		c.forget()
		return
	}
	tools := c.toolsOf(array, ev, r)
	for _, t := range tools {
		c.keep(t, ev)
	}
	if !ok {
		c.lists = nil
		return
	}
	if l := c.listing(asked, ev); l != nil {
		c.proceed(l, tools, ev, r)
	}
}

// proceed continues a listing with a page.
func (c *toolsConn) proceed(l *toolList, tools []*tool, ev *session.Event, r session.Reporter) {
	next := ev.Message.Field(jsonrpc.ResultNextCursor)
	if l.next = rule.CursorOf(next); next.Type == jsonrpc.String && endsList(ev, next) {
		l.next = 0
	}
	if l.given[l.next] || len(l.given) == maxPages {
		c.drop(l) // It goes in a circle, which is cursor-loop: what comes is no second tool.
		return
	}
	c.names(l, tools, ev, r)
	if l.next == 0 {
		c.end(l)
	} else {
		l.given[l.next] = true
	}
}

// drop forgets a listing.
func (c *toolsConn) drop(l *toolList) {
	c.lists = slices.DeleteFunc(c.lists, func(o *toolList) bool { return o == l })
}

// toolsOf returns the tools of a page, and judges them unless the page came
// before as it is.
func (c *toolsConn) toolsOf(array []byte, ev *session.Event, r session.Reporter) []*tool {
	hash := maphash.Bytes(rule.Seed, array) ^ uint64(rule.Version(ev))
	for i := range c.pages {
		if c.pages[i].hash == hash {
			return c.pages[i].tools
		}
	}
	var tools []*tool
	for _, entry := range lex.Items(array) {
		if len(tools) == rule.MaxTools {
			break
		}
		if jsonrpc.TypeOf(entry) != jsonrpc.Object {
			continue // list-invalid says so.
		}
		t := &tool{name: lex.Unquote(lex.Get(entry, "name"))}
		input, output := lex.Get(entry, "inputSchema"), lex.Get(entry, "outputSchema")
		c.definition(t.name, entry, input, output, ev, r)
		t.input, t.output = slices.Clone(input), slices.Clone(output)
		tools = append(tools, t)
	}
	if len(array) <= maxSchemaText {
		rule.Push(&c.pages, toolPage{hash, tools}, maxPagesKept)
	}
	return tools
}

// keep takes a tool of a page into the box.
func (c *toolsConn) keep(t *tool, ev *session.Event) {
	old := c.tools[t.name]
	if old != nil && string(old.input) == string(t.input) && string(old.output) == string(t.output) {
		if c.changed > 0 && old.asked <= c.changed {
			old.from = ev.T
		}
		old.asked = ev.Exchange.ReqT
		return
	}
	size := t.size()
	if old != nil {
		c.texts -= old.size()
	}
	if len(t.name) > rule.MaxNameKept || len(t.input) > maxSchemaText || len(t.output) > maxSchemaText || c.texts+size > maxSchemaTexts || old == nil && len(c.tools) >= rule.MaxTools {
		delete(c.tools, t.name)
		return
	}
	kept := *t
	kept.asked, kept.from = ev.Exchange.ReqT, ev.T
	if old != nil {
		kept.patient = ev.T + rule.ListGrace
	}
	c.texts += size
	rule.Put(&c.tools, t.name, &kept)
}

// listing returns the listing that a page belongs to, nil where it is not known.
func (c *toolsConn) listing(asked pageAsked, ev *session.Event) *toolList {
	if asked.cursor == 0 {
		l := &toolList{names: map[string]bool{}, given: map[uint64]bool{}, began: ev.Exchange.ReqT}
		rule.Push(&c.lists, l, maxToolLists)
		return l
	}
	for _, l := range slices.Backward(c.lists) {
		if l.next == asked.cursor {
			return l
		}
	}
	return nil
}

// end ends a listing: what it does not have is no tool any more.
func (c *toolsConn) end(l *toolList) {
	c.drop(l)
	if c.changed > 0 && l.began <= c.changed || l.doubts {
		return
	}
	c.whole = l
	for name, t := range c.tools {
		if !l.names[name] {
			c.texts -= t.size()
			delete(c.tools, name)
		}
	}
}

// names looks for names that a listing has twice.
func (c *toolsConn) names(l *toolList, tools []*tool, ev *session.Event, r session.Reporter) {
	for _, t := range tools {
		if l.names[t.name] && duplicateToolName.In(rule.Version(ev)) {
			r.Report(duplicateToolName.At(ev, "the tool %s is listed twice", rule.Excerpt([]byte(t.name))).Keyed(c.Key(t.name)))
		}
		if len(l.names) >= rule.MaxTools || len(t.name) > rule.MaxNameKept {
			l.doubts = true
			return
		}
		l.names[t.name] = true
	}
	if len(tools) == rule.MaxTools {
		l.doubts = true
	}
}

// definition judges one entry of a list.
func (c *toolsConn) definition(name string, entry, input, output []byte, ev *session.Event, r session.Reporter) {
	v := rule.Version(ev)
	quoted, key := rule.Excerpt([]byte(name)), c.Key(name)
	say := func(rule *rule.Rule, format string, args ...any) {
		f := rule.At(ev, "tool %s: %s", quoted, fmt.Sprintf(format, args...)).Keyed(key)
		if rule == toolNameFormat && v < mcp.V4 {
			f.Severity = session.Info
		}
		r.Report(f)
	}
	if jsonrpc.TypeOf(lex.Get(entry, "name")) == jsonrpc.String && !rule.IsToolName(name) && v != mcp.NoVersion {
		say(toolNameFormat, "%s", nameFault(name))
	}
	compile := func(member string, text []byte) {
		if p := schema.Fault(text); p != nil && schemaDoesNotCompile.In(v) {
			say(schemaDoesNotCompile, "%s %s", rule.PathText(member, p.Path), rule.Printable(p.Text))
		} else if ref := schema.RemoteRef(text); ref != "" && schemaRemoteRef.In(v) {
			say(schemaRemoteRef, "%s refers to %s", member, rule.Excerpt([]byte(ref)))
		}
	}
	if jsonrpc.TypeOf(input) == jsonrpc.Object && lex.IsText(lex.Get(input, "type"), "object") {
		compile("inputSchema", input)
	} else {
		say(invalidInputSchema, "inputSchema %s", rootFault(input))
	}
	switch {
	case output == nil || !invalidOutputSchema.In(v):
	case jsonrpc.TypeOf(output) != jsonrpc.Object || v < mcp.V5 && !lex.IsText(lex.Get(output, "type"), "object"):
		say(invalidOutputSchema, "outputSchema %s", rootFault(output))
	default:
		compile("outputSchema", output)
	}
}

// rootFault says why a schema is no object schema.
func rootFault(schema []byte) string {
	if t := jsonrpc.TypeOf(schema); t != jsonrpc.Object {
		return "is " + rule.TypeName(t) + ", must be an object with \"type\":\"object\""
	}
	kind := lex.Get(schema, "type")
	if kind == nil {
		return "has no type at its root, must have \"type\":\"object\""
	}
	return "has the type " + rule.Printable(string(kind[:min(len(kind), 60)])) + " at its root, must have \"object\""
}

package features

import (
	"hash/maphash"
	"slices"

	"wiretea/session"
	"wiretea/session/check/rule"
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
	in, out       *compiled
	asked         int64 // asked is when the latest page with it was asked for,
	from          int64 // and from when on the tool has been as it is.
	patient       int64 // patient is until when clients may still call it as it was before.
}

// size is how many bytes the texts of a tool have.
func (t *tool) size() int64 { return int64(len(t.name) + len(t.input) + len(t.output)) }

// A compiled is a schema, compiled when it is used first.
type compiled struct {
	schema *schema.Schema // schema is nil where values cannot be held against it.
}

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

// toolbox is what is known of a connection's tools.
type toolbox struct {
	rule.KeySet
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
func (b *toolbox) change(t int64) {
	b.changed, b.whole, b.lists = t, nil, nil
}

// forget takes note that nothing is known of the tools.
func (b *toolbox) forget() {
	b.whole, b.lists, b.tools, b.texts = nil, nil, nil, 0
}

// current returns the tool that a call names as it was listed, nil where it is not
// known how it was all the time since the call.
func (b *toolbox) current(ev *session.Event) *tool {
	known := b.tools[ev.Exchange.Target]
	if known == nil || known.from > ev.Exchange.ReqT || b.changed > 0 && known.asked <= b.changed || ev.Conn.Gaps[session.S2C] {
		return nil
	}
	return known
}

// page takes an answer to tools/list.
func (c *toolsChecker) page(b *toolbox, ev *session.Event, r session.Reporter) {
	asked, ok := b.asked.take(ev)
	result := rule.ResultOf(ev)
	array := rule.Member(result, "tools")
	if jsonrpc.TypeOf(array) != jsonrpc.Array {
		b.forget()
		return
	}
	tools := c.toolsOf(b, array, ev, r)
	for _, t := range tools {
		b.keep(t, ev)
	}
	if !ok {
		b.lists = nil
		return
	}
	if l := b.listing(asked, ev); l != nil {
		c.turn(b, l, tools, ev, r)
	}
}

// turn goes on with a listing.
func (c *toolsChecker) turn(b *toolbox, l *toolList, tools []*tool, ev *session.Event, r session.Reporter) {
	next := ev.Message.Field(jsonrpc.ResultNextCursor)
	if l.next = rule.CursorOf(next); next.Type == jsonrpc.String && endsList(ev, next) {
		l.next = 0
	}
	if l.given[l.next] || len(l.given) == maxPages {
		b.drop(l) // It goes in a circle, which is cursor-loop: what comes is no second tool.
		return
	}
	c.names(b, l, tools, ev, r)
	if l.next == 0 {
		b.end(l)
	} else {
		l.given[l.next] = true
	}
}

// drop forgets a listing.
func (b *toolbox) drop(l *toolList) {
	b.lists = slices.DeleteFunc(b.lists, func(o *toolList) bool { return o == l })
}

// toolsOf returns the tools of a page, and judges them unless the page came
// before as it is.
func (c *toolsChecker) toolsOf(b *toolbox, array []byte, ev *session.Event, r session.Reporter) []*tool {
	hash := maphash.Bytes(rule.Seed, array) ^ uint64(rule.Version(ev))
	for i := range b.pages {
		if b.pages[i].hash == hash {
			return b.pages[i].tools
		}
	}
	var tools []*tool
	for w := rule.NewWalk(array); ; {
		_, entry, ok := w.Next()
		if !ok || len(tools) == rule.MaxTools {
			break
		}
		if jsonrpc.TypeOf(entry) != jsonrpc.Object {
			continue // list-invalid says so.
		}
		t := &tool{name: rule.Unquote(rule.Member(entry, "name"))}
		input, output := rule.Member(entry, "inputSchema"), rule.Member(entry, "outputSchema")
		c.definition(b, t.name, entry, input, output, ev, r)
		t.input, t.output = slices.Clone(input), slices.Clone(output)
		tools = append(tools, t)
	}
	if len(b.pages) == maxPagesKept {
		b.pages = append(b.pages[:0], b.pages[1:]...)
	}
	if len(array) <= maxSchemaText {
		b.pages = append(b.pages, toolPage{hash, tools})
	}
	return tools
}

// keep takes a tool of a page into the box.
func (b *toolbox) keep(t *tool, ev *session.Event) {
	old := b.tools[t.name]
	if old != nil && string(old.input) == string(t.input) && string(old.output) == string(t.output) {
		if b.changed > 0 && old.asked <= b.changed {
			old.from = ev.T
		}
		old.asked = ev.Exchange.ReqT
		return
	}
	size := t.size()
	if old != nil {
		b.texts -= old.size()
	}
	if len(t.name) > rule.MaxNameKept || len(t.input) > maxSchemaText || len(t.output) > maxSchemaText || b.texts+size > maxSchemaTexts || old == nil && len(b.tools) >= rule.MaxTools {
		delete(b.tools, t.name)
		return
	}
	if b.tools == nil {
		b.tools = map[string]*tool{}
	}
	kept := *t
	kept.asked, kept.from, kept.in, kept.out = ev.Exchange.ReqT, ev.T, nil, nil
	if old != nil {
		kept.patient = ev.T + rule.ListGrace
	}
	b.texts += size
	b.tools[t.name] = &kept
}

// listing returns the listing that a page belongs to, nil where it is not known.
func (b *toolbox) listing(asked pageAsked, ev *session.Event) *toolList {
	if asked.cursor == 0 {
		if len(b.lists) == maxToolLists {
			b.lists = append(b.lists[:0], b.lists[1:]...)
		}
		l := &toolList{names: map[string]bool{}, given: map[uint64]bool{}, began: ev.Exchange.ReqT}
		b.lists = append(b.lists, l)
		return l
	}
	for _, l := range slices.Backward(b.lists) {
		if l.next == asked.cursor {
			return l
		}
	}
	return nil
}

// end ends a listing: what it does not have is no tool any more.
func (b *toolbox) end(l *toolList) {
	b.drop(l)
	if b.changed > 0 && l.began <= b.changed || l.doubts {
		return
	}
	b.whole = l
	for name, t := range b.tools {
		if !l.names[name] {
			b.texts -= t.size()
			delete(b.tools, name)
		}
	}
}

// names looks for names that a listing has twice.
func (c *toolsChecker) names(b *toolbox, l *toolList, tools []*tool, ev *session.Event, r session.Reporter) {
	for _, t := range tools {
		if l.names[t.name] && duplicateToolName.In(rule.Version(ev)) {
			f := duplicateToolName.At(ev, "the listing has the tool %s twice", rule.Excerpt([]byte(t.name)))
			f.Key = b.Key(t.name)
			r.Report(f)
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
func (c *toolsChecker) definition(b *toolbox, name string, entry, input, output []byte, ev *session.Event, r session.Reporter) {
	v := rule.Version(ev)
	quoted, key := rule.Excerpt([]byte(name)), b.Key(name)
	say := func(rule *rule.Rule, format string, args ...any) {
		f := rule.At(ev, format, args...)
		f.Key = key
		if rule == toolNameFormat && v < mcp.V4 {
			f.Severity = session.Info
		}
		r.Report(f)
	}
	if jsonrpc.TypeOf(rule.Member(entry, "name")) == jsonrpc.String && !rule.IsToolName(name) && v != mcp.NoVersion {
		say(toolNameFormat, "the tool %s: %s", quoted, nameFault(name))
	}
	sound := jsonrpc.TypeOf(input) == jsonrpc.Object && rule.IsText(rule.Member(input, "type"), "object")
	if !sound {
		say(invalidInputSchema, "the tool %s: inputSchema %s", quoted, rootFault(input))
	} else if p := schema.Fault(input); p != nil && schemaDoesNotCompile.In(v) {
		say(schemaDoesNotCompile, "the tool %s: %s %s", quoted, rule.PathText("inputSchema", p.Path), rule.Printable(p.Text))
	} else if ref := schema.RemoteRef(input); ref != "" && schemaRemoteRef.In(v) {
		say(schemaRemoteRef, "the tool %s: inputSchema refers to %s", quoted, rule.Excerpt([]byte(ref)))
	}
	if output == nil || !invalidOutputSchema.In(v) {
		return
	}
	if jsonrpc.TypeOf(output) != jsonrpc.Object || v < mcp.V5 && !rule.IsText(rule.Member(output, "type"), "object") {
		say(invalidOutputSchema, "the tool %s: outputSchema %s", quoted, rootFault(output))
	} else if p := schema.Fault(output); p != nil && schemaDoesNotCompile.In(v) {
		say(schemaDoesNotCompile, "the tool %s: %s %s", quoted, rule.PathText("outputSchema", p.Path), rule.Printable(p.Text))
	} else if ref := schema.RemoteRef(output); ref != "" && schemaRemoteRef.In(v) {
		say(schemaRemoteRef, "the tool %s: outputSchema refers to %s", quoted, rule.Excerpt([]byte(ref)))
	}
}

// rootFault says why a schema is no object schema.
func rootFault(schema []byte) string {
	if t := jsonrpc.TypeOf(schema); t != jsonrpc.Object {
		return "is " + rule.TypeName(t) + ", must be an object with \"type\":\"object\""
	}
	kind := rule.Member(schema, "type")
	if kind == nil {
		return "has no type at its root, must have \"type\":\"object\""
	}
	return "has the type " + rule.Printable(string(kind[:min(len(kind), 60)])) + " at its root, must have \"object\""
}

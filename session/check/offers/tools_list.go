package offers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/diff"
	"wiretea/session/json/lex"
	"wiretea/session/json/schema"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// Bounds for the tools of a connection. What exceeds them is not judged.
const (
	maxSchemaText  = 256 << 10 // bytes of one schema
	maxSchemaTexts = 8 << 20   // bytes of all schemas
	maxToolLists   = 4         // listings that may continue
	maxPagesKept   = 16        // pages that are recognized when they are repeated
)

// A tool is an entry of the latest list.
type tool struct {
	name          string
	hash          uint64 // hash is that of the whole entry, 0 = unknown.
	input, output []byte // texts of the schemas, nil = none, or too long.
	in, out       rule.Compiled
	asked         int64 // asked is when the latest page with it was requested,
	from          int64 // and from is when its definition became known.
	patient       int64 // patient is until when clients may still use its previous definition.
}

// size returns the number of bytes of a tool's texts.
func (t *tool) size() int64 { return int64(len(t.name) + len(t.input) + len(t.output)) }

// A toolList is a listing that has not ended.
type toolList struct {
	names  map[string]toolEntry
	pages  int
	next   uint64          // next is the cursor of the next page, 0 = it has ended.
	given  map[uint64]bool // given are the cursors that it returned.
	began  int64
	doubts bool // doubts: not all names could be stored.
}

// A toolEntry is where a listing has a tool, and what its entry is.
type toolEntry struct {
	page int // page counts from 1; 0 = the listing does not have it.
	hash uint64
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
	whole   *toolList // whole is the last complete listing, nil = none since the tools changed.
	tools   map[string]*tool
	texts   int64 // texts counts the bytes of the stored schemas.
	changed int64 // changed is when the server last reported a change of the tools.
	pages   []toolPage
	refused []refusal
}

// change records that the tools have changed.
func (c *toolsConn) change(t int64) {
	c.changed, c.whole, c.lists = t, nil, nil
}

// forget drops everything known of the tools.
func (c *toolsConn) forget() {
	c.whole, c.lists, c.tools, c.texts = nil, nil, nil, 0
}

// current returns the definition of the called tool, nil if it is not known for
// all the time since the call.
func (c *toolsConn) current(ev *session.Event) *tool {
	known := c.tools[ev.Exchange.Target]
	if known == nil || known.from > ev.Exchange.ReqT || c.changed > 0 && known.asked <= c.changed || ev.Conn.Gaps[session.S2C] {
		return nil
	}
	return known
}

// page takes a result of tools/list.
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
		c.drop(l) // It loops, which cursor-loop reports: repeated tools are not duplicates.
		return
	}
	c.names(l, tools, ev, r)
	if l.next == 0 {
		c.end(l)
	} else {
		l.given[l.next] = true
	}
}

// drop removes a listing.
func (c *toolsConn) drop(l *toolList) {
	c.lists = slices.DeleteFunc(c.lists, func(o *toolList) bool { return o == l })
}

// toolsOf returns the tools of a page, and judges them unless the same page
// came before.
func (c *toolsConn) toolsOf(array []byte, ev *session.Event, r session.Reporter) []*tool {
	hash := maphash.Bytes(rule.Seed.Get(), array) ^ uint64(rule.Version(ev))
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
			continue // list-invalid reports it.
		}
		t := &tool{name: lex.Unquote(lex.Get(entry, "name"))}
		input, output := lex.Get(entry, "inputSchema"), lex.Get(entry, "outputSchema")
		c.definition(t.name, entry, input, output, ev, r)
		t.input, t.output = slices.Clone(input), slices.Clone(output)
		t.hash, _ = diff.Digest(entry)
		tools = append(tools, t)
	}
	if len(array) <= maxSchemaText {
		rule.Push(&c.pages, toolPage{hash, tools}, maxPagesKept)
	}
	return tools
}

// keep stores a tool of a page.
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

// listing returns the listing that a page belongs to, nil if it is unknown.
func (c *toolsConn) listing(asked pageAsked, ev *session.Event) *toolList {
	if asked.cursor == 0 {
		l := &toolList{names: map[string]toolEntry{}, given: map[uint64]bool{}, began: ev.Exchange.ReqT}
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

// end ends a listing: tools that are not in it no longer exist.
func (c *toolsConn) end(l *toolList) {
	c.drop(l)
	if c.changed > 0 && l.began <= c.changed || l.doubts {
		return
	}
	c.whole = l
	for name := range c.tools {
		if l.names[name].page == 0 {
			c.remove(name)
		}
	}
}

// remove forgets the definition of a tool.
func (c *toolsConn) remove(name string) {
	if t := c.tools[name]; t != nil {
		c.texts -= t.size()
		delete(c.tools, name)
	}
}

// names judges duplicate names in a listing. An entry that an earlier page had
// unchanged is the same tool, and the fault is one of the pages. Which of two
// different tools a call reaches is unknown: their schemas are not those of the call.
func (c *toolsConn) names(l *toolList, tools []*tool, ev *session.Event, r session.Reporter) {
	l.pages++
	for _, t := range tools {
		known := l.names[t.name]
		other := known.page > 0 && (known.hash != t.hash || t.hash == 0)
		if other {
			c.remove(t.name)
		}
		if other || known.page == l.pages {
			r.Report(duplicateToolName.At(ev, "the tool %s is listed twice", rule.Excerpt([]byte(t.name))).Keyed(c.Key(t.name)))
		}
		if len(l.names) >= rule.MaxTools || len(t.name) > rule.MaxNameKept {
			l.doubts = true
			return
		}
		l.names[t.name] = toolEntry{l.pages, t.hash}
	}
	if len(tools) == rule.MaxTools {
		l.doubts = true
	}
}

// definition judges one entry of a list.
func (c *toolsConn) definition(name string, entry, input, output []byte, ev *session.Event, r session.Reporter) {
	v := rule.Version(ev)
	quoted, key := rule.Excerpt([]byte(name)), c.Key(name)
	hint := ""
	say := func(rule *rule.Rule, places []string, format string, args ...any) {
		f := rule.AtPart(ev, "Tool", entry, places, "tool %s: %s", quoted, fmt.Sprintf(format, args...)).Keyed(key)
		f.Hint = cmp.Or(hint, f.Hint)
		if rule == toolNameFormat && v < mcp.V4 || rule == schemaRemoteRef && v < mcp.V5 {
			f.Severity = session.Info
		}
		r.Report(f)
	}
	if jsonrpc.TypeOf(lex.Get(entry, "name")) == jsonrpc.String && !rule.IsToolName(name) && v != mcp.NoVersion {
		say(toolNameFormat, nil, "%s", nameFault(name))
	}
	compile := func(member string, text []byte) {
		if p := schema.Fault(text); p != nil {
			if strings.HasPrefix(p.Keyword, "exclusive") && v < mcp.V4 {
				return // Draft-04 has booleans there.
			}
			say(schemaDoesNotCompile, ofSchema.Get()[member], "%s %s", rule.PathText(member, p.Path), rule.Printable(p.Text))
			return
		}
		if name, ok := unknownRequired(text); ok && member == "inputSchema" {
			say(requiredNotProperty, nil, "inputSchema requires %s, which is not among its properties", rule.Excerpt([]byte(name)))
		}
		if ref := schema.RemoteRef(text); ref != "" {
			say(schemaRemoteRef, nil, "%s refers to %s", member, rule.Excerpt([]byte(ref)))
		}
	}
	if jsonrpc.TypeOf(input) == jsonrpc.Object && lex.IsText(lex.Get(input, "type"), "object") {
		compile("inputSchema", input)
	} else {
		there := ""
		if input == nil {
			there, hint = rule.Instead(entry, "inputSchema")
		}
		say(invalidInputSchema, ofSchema.Get()["inputSchema"], "inputSchema %s%s", rootFault(input), there)
		hint = ""
	}
	switch {
	case output == nil || !invalidOutputSchema.In(v):
	case jsonrpc.TypeOf(output) != jsonrpc.Object || v < mcp.V5 && !lex.IsText(lex.Get(output, "type"), "object"):
		say(invalidOutputSchema, ofSchema.Get()["outputSchema"], "outputSchema %s", rootFault(output))
	default:
		compile("outputSchema", output)
	}
}

// ofSchema are the places of package shape in a tool's schemas, by member.
var ofSchema = lazy.Value[map[string][]string]{New: func() map[string][]string {
	return map[string][]string{"inputSchema": {"Tool.inputSchema", "InputSchema."}, "outputSchema": {"Tool.outputSchema", "OutputSchema."}}
}}

// rootFault says why a schema is not an object schema.
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

// openers are the keywords with which a schema can have more properties than its
// properties name.
var openers = []string{
	"patternProperties", "unevaluatedProperties", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "then", "else",
	"dependentSchemas", "dependencies", "extends",
}

// unknownRequired returns the first name that the root of a valid schema requires
// and that is not among its properties. It reports false if there is none, or if it
// can be a property anyway.
func unknownRequired(text []byte) (name string, ok bool) {
	root, ok := rule.ParseObject(text)
	if !ok || !root.Has("required") || isOpen(root) {
		return "", false
	}
	var required []any
	properties, ok := root.Object("properties")
	if !ok && root.Has("properties") || json.Unmarshal(root["required"], &required) != nil {
		return "", false
	}
	for _, item := range required {
		if name, ok := item.(string); ok && !properties.Has(name) {
			return name, true
		}
	}
	return "", false
}

// isOpen reports whether a schema can have properties that its properties do not
// name, or is of a dialect that is not known.
func isOpen(root rule.Object) bool {
	if dialect, ok := root.Text("$schema"); root.Has("$schema") && (!ok || !strings.Contains(dialect, "json-schema.org/")) {
		return true
	}
	if more, ok := root["additionalProperties"]; ok && string(more) != "false" {
		return true
	}
	return slices.ContainsFunc(openers, root.Has)
}

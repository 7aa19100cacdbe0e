package features

import (
	"bytes"
	"fmt"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// blocks judges the content blocks of one result, up to the first invalid one.
type blocks struct {
	ev      *session.Event
	version mcp.Version

	rule     *rule.Rule
	severity session.Severity // severity, if it is not the rule's.
	fault    string           // fault says what is wrong, empty = nothing.
}

func (b *blocks) say(rule *rule.Rule, format string, args ...any) {
	if b.fault == "" {
		b.rule, b.fault = rule, fmt.Sprintf(format, args...)
	}
}

// finding returns the finding of the fault.
func (b *blocks) finding(c *contentConn) session.Finding {
	f := b.rule.At(b.ev, "%s %s: %s", b.ev.Method.Name, rule.Excerpt([]byte(b.ev.Exchange.Target)), b.fault)
	if b.severity != session.NoSeverity {
		f.Severity = b.severity
	}
	return f.Keyed(b.ev.Method.Name + " " + c.Key(b.ev.Exchange.Target))
}

// tool judges the result of a tool call.
func (b *blocks) tool(result []byte) {
	content := lex.Get(result, "content")
	if jsonrpc.TypeOf(content) != jsonrpc.Array {
		b.say(missingContent, "content is %s, must be an array", rule.TypeName(jsonrpc.TypeOf(content)))
		return
	}
	for i, item := range lex.Items(content) {
		b.block(item, "content", i)
	}
}

// prompt judges the blocks in the messages of a prompt. prompt-result-invalid
// reports missing ones.
func (b *blocks) prompt(messages []byte) {
	for i, item := range lex.Items(messages) {
		if content := lex.Get(item, "content"); jsonrpc.TypeOf(content) == jsonrpc.Object {
			b.block(content, "messages", i)
		}
	}
}

// resources judges the blobs of a resource. resource-contents-invalid reports
// other faults of the contents.
func (b *blocks) resources(contents []byte) {
	for i, item := range lex.Items(contents) {
		b.blob(item, "contents", i)
	}
}

// block judges one block, at an index of a list.
func (b *blocks) block(item []byte, list string, i int) {
	if jsonrpc.TypeOf(item) != jsonrpc.Object {
		b.say(contentBlockInvalid, "block %s[%d] is %s, must be an object", list, i, rule.TypeName(jsonrpc.TypeOf(item)))
		return
	}
	kind := lex.Get(item, "type")
	switch {
	case lex.IsText(kind, "text"):
		b.needs(item, list, i, "text block", "text")
	case lex.IsText(kind, "image"), lex.IsText(kind, "audio") && b.knows("audio"):
		if b.needs(item, list, i, lex.Unquote(kind)+" block", "data", "mimeType") {
			b.base64(lex.Get(item, "data"), list, i, "data")
		}
	case lex.IsText(kind, "resource_link") && b.knows("resource_link"):
		b.needs(item, list, i, "resource_link", "uri", "name")
	case lex.IsText(kind, "resource"):
		resource := lex.Get(item, "resource")
		if fault := contentsFault(resource); fault != "" {
			b.say(contentBlockInvalid, "%s[%d].resource%s", list, i, fault)
			return
		}
		b.blob(resource, list, i)
	case jsonrpc.TypeOf(kind) != jsonrpc.String:
		b.say(contentBlockInvalid, "the type of %s[%d] is %s, must be a string", list, i, rule.TypeName(jsonrpc.TypeOf(kind)))
	case since[lex.Unquote(kind)] != mcp.NoVersion:
		b.say(contentBlockInvalid, "%s[%d] has type %s, which was added in %s; the session uses %s", list, i, rule.Excerpt(kind[1:len(kind)-1]), since[lex.Unquote(kind)], b.version)
	default:
		b.say(contentBlockInvalid, "%s[%d] has type %s, which is not a content type", list, i, rule.Excerpt(kind[1:len(kind)-1]))
	}
}

// knows reports whether the revision has a type of block; an unknown revision
// has all.
func (b *blocks) knows(kind string) bool {
	return b.version == mcp.NoVersion || b.version >= since[kind]
}

// needs reports whether a block has these members as strings.
func (b *blocks) needs(item []byte, list string, i int, kind string, members ...string) bool {
	for _, name := range members {
		if t := jsonrpc.TypeOf(lex.Get(item, name)); t != jsonrpc.String {
			b.say(contentBlockInvalid, "%s of the %s %s[%d] is %s, must be a string", name, kind, list, i, rule.TypeName(t))
			return false
		}
	}
	return true
}

// contentsFault says what is wrong with the contents of a resource, to follow
// their name; empty if nothing is.
func contentsFault(item []byte) string {
	if fault := rule.Mismatch(item, jsonrpc.Object); fault != "" {
		return fault
	}
	if fault := rule.Mismatch(lex.Get(item, "uri"), jsonrpc.String); fault != "" {
		return ".uri" + fault
	}
	if jsonrpc.TypeOf(lex.Get(item, "text")) != jsonrpc.String && jsonrpc.TypeOf(lex.Get(item, "blob")) != jsonrpc.String {
		return " has neither text nor blob as a string"
	}
	return ""
}

// blob judges the blob of a resource's contents, if there is one.
func (b *blocks) blob(item []byte, list string, i int) {
	if raw := lex.Get(item, "blob"); jsonrpc.TypeOf(raw) == jsonrpc.String {
		b.base64(raw, list, i, "blob")
	}
}

func (b *blocks) base64(raw []byte, list string, i int, name string) {
	switch fault, padding := base64Fault(raw); {
	case padding && b.fault == "":
		b.say(badBase64, "%s of %s[%d] lacks padding at its end", name, list, i)
		b.severity = session.Warning
	case fault >= 0:
		from := max(0, fault-12)
		b.say(badBase64, "%s of %s[%d] is not base64 at byte %d: %s", name, list, i, fault, rule.Excerpt(raw[1+from:len(raw)-1]))
	}
}

// base64Fault returns the offset in a JSON string at which it is not base64, -1
// if it is, or reports that only padding is missing. Escaped slashes and line
// breaks are accepted.
func base64Fault(raw []byte) (at int, padding bool) {
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(lex.Unquote(raw))
	}
	digits, pads := 0, 0
	for i, c := range text {
		switch kind := base64Kinds[c]; {
		case kind == base64Space:
		case kind == base64Pad && digits%4 >= 2:
			pads++
		case kind != base64Digit || pads > 0:
			return min(i, len(raw)-2), false
		default:
			digits++
		}
	}
	switch rest := digits % 4; {
	case rest == 1, pads > 0 && rest+pads != 4:
		return max(0, min(len(text), len(raw)-2)-1), false
	case rest != 0 && pads == 0:
		return -1, true
	}
	return -1, false
}

const (
	base64None = iota
	base64Digit
	base64Pad
	base64Space
)

var base64Kinds = func() (kinds [256]byte) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		kinds[c] = base64Digit
	}
	for _, c := range []byte(" \t\r\n") {
		kinds[c] = base64Space
	}
	kinds['='] = base64Pad
	return kinds
}()

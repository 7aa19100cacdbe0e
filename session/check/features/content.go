package features

import (
	"fmt"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

var Content = rule.Family{
	Name:  "content",
	Title: "Lists and content",
	Rules: []*rule.Rule{ListInvalid, missingContent, contentBlockInvalid, badBase64},
	New:   func() session.Checker { return &contentChecker{} },
}

var ListInvalid = &rule.Rule{
	ID:       "list-invalid",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "a list's answer lacks what lists and their entries must have",
	Explain: "A list has an array of entries under its own name, and each entry what identifies it: a tool, a prompt and a prompt's argument a name, " +
		"a resource a uri and a name, a template a uriTemplate and a name. Official SDKs check all entries at once and throw the whole list away for " +
		"one that is wrong, so that a server seems to have nothing at all.",
	Hint: "give the list its array, empty where there is nothing, and each entry its required strings",
	Refs: []rule.Ref{{Page: "schema"}},
}

var missingContent = &rule.Rule{
	ID:       "missing-content",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "a tool's result has no content",
	Explain: "The result of tools/call has an array content, in every revision and beside structuredContent too. Clients that check it report an " +
		"error instead of the result; others show nothing.",
	Hint: "return \"content\":[] at least, best the text of the result",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "tool-result"}},
}

var contentBlockInvalid = &rule.Rule{
	ID:       "content-block-invalid",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "a content block is of no known type, or lacks what its type must have",
	Explain: "A block is text with text, an image or audio (from 2025-03-26) with data and mimeType, a resource_link (from 2025-06-18) with uri and name, or a " +
		"resource with its contents. A client that knows none of that in a block refuses the whole result. Types of a later revision count as unknown in an earlier one.",
	Hint: "follow the schema of ContentBlock; turn what the revision does not know into text",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "tool-result"}},
}

var badBase64 = &rule.Rule{
	ID:       "bad-base64",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "binary data must be base64",
	Explain: "Images, audio and blobs are base64 with the standard alphabet. A data: URL, the alphabet for URLs (- and _) and raw text are not: clients " +
		"refuse the result, or show a broken picture. Padding that is missing is a warning: many decoders do without, Go's does not. Line breaks are let pass.",
	Hint: "encode as standard base64 with padding, without a data: prefix",
	Refs: []rule.Ref{{Page: "server/tools", Anchor: "image-content"}},
}

// A contentChecker looks at what a single answer holds. It remembers nothing but
// the names that its findings go by.
type contentChecker struct {
	conns rule.PerConn[rule.KeySet]
}

func (c *contentChecker) Check(ev *session.Event, r session.Reporter) {
	switch {
	case ev.Kind == session.ConnEnded:
		c.conns.Drop(ev.Conn.ID)
		return
	case ev.Kind != session.MessageSeen || ev.Method == nil || ev.Message.Kind != jsonrpc.Result || !rule.IsAnswer(ev):
		return
	}
	list, listed := lists[ev.Method.Name]
	if !listed && ev.Method.Name != mcp.ToolsCall && ev.Method.Name != mcp.PromptsGet && ev.Method.Name != mcp.ResourcesRead {
		return
	}
	result := rule.ResultOf(ev)
	if result == nil {
		return
	}
	if listed {
		if fault := list.fault(result); fault != "" {
			f := ListInvalid.At(ev, "%s: %s", ev.Method.Name, fault)
			f.Key = ev.Method.Name
			r.Report(f)
		}
		return
	}
	b := blocks{ev: ev, r: r, version: rule.Version(ev)}
	switch ev.Method.Name {
	case mcp.ToolsCall:
		b.tool(result)
	case mcp.PromptsGet:
		b.prompt(rule.Member(result, "messages"))
	case mcp.ResourcesRead:
		b.resources(rule.Member(result, "contents"))
	}
	if b.fault != "" {
		c.report(&b)
	}
}

// report files what is wrong with the blocks of a result.
func (c *contentChecker) report(b *blocks) {
	target := c.conns.Get(b.ev.Conn.ID).Key(b.ev.Exchange.Target)
	f := b.rule.At(b.ev, "%s %s: %s", b.ev.Method.Name, rule.Excerpt([]byte(b.ev.Exchange.Target)), b.fault)
	f.Key = b.ev.Method.Name + " " + target
	if b.severity != session.NoSeverity {
		f.Severity = b.severity
	}
	b.r.Report(f)
}

// An entries says what the entries of a list must have.
type entries struct {
	name     string   // name is the array's.
	required []string // required are the members that must be strings.
}

var lists = map[string]entries{
	mcp.ToolsList:              {"tools", []string{"name"}},
	mcp.PromptsList:            {"prompts", []string{"name"}},
	mcp.ResourcesList:          {"resources", []string{"uri", "name"}},
	mcp.ResourcesTemplatesList: {"resourceTemplates", []string{"uriTemplate", "name"}},
}

// fault says what is wrong with a list, empty where nothing is.
func (e entries) fault(result []byte) string {
	array := rule.Member(result, e.name)
	if jsonrpc.TypeOf(array) != jsonrpc.Array {
		return fmt.Sprintf("%s is %s, must be an array", e.name, rule.TypeName(jsonrpc.TypeOf(array)))
	}
	w := rule.NewWalk(array)
	for i := 0; ; i++ {
		_, entry, ok := w.Next()
		if !ok {
			return ""
		}
		if jsonrpc.TypeOf(entry) != jsonrpc.Object {
			return fmt.Sprintf("%s[%d] is %s, must be an object", e.name, i, rule.TypeName(jsonrpc.TypeOf(entry)))
		}
		for _, name := range e.required {
			if t := jsonrpc.TypeOf(rule.Member(entry, name)); t != jsonrpc.String {
				return fmt.Sprintf("%s[%d].%s is %s, must be a string", e.name, i, name, rule.TypeName(t))
			}
		}
		if e.name != "prompts" {
			continue
		}
		if fault := argumentsFault(rule.Member(entry, "arguments")); fault != "" {
			return fmt.Sprintf("prompts[%d].%s", i, fault)
		}
	}
}

// argumentsFault says what is wrong with a prompt's arguments.
func argumentsFault(array []byte) string {
	if array == nil {
		return ""
	}
	if jsonrpc.TypeOf(array) != jsonrpc.Array {
		return fmt.Sprintf("arguments is %s, must be an array", rule.TypeName(jsonrpc.TypeOf(array)))
	}
	w := rule.NewWalk(array)
	for i := 0; ; i++ {
		_, argument, ok := w.Next()
		if !ok {
			return ""
		}
		if t := jsonrpc.TypeOf(rule.Member(argument, "name")); t != jsonrpc.String {
			return fmt.Sprintf("arguments[%d].name is %s, must be a string", i, rule.TypeName(t))
		}
	}
}

// since says from which revision on a type of block is known.
var since = map[string]mcp.Version{"text": mcp.V0, "image": mcp.V0, "resource": mcp.V0, "audio": mcp.V2, "resource_link": mcp.V3}

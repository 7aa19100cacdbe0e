package features

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/schema"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxRefusals is how many calls that do not fit their schema are kept until they
// are answered.
const maxRefusals = 64

// A toolsChecker follows what tools are listed and how they are called.
type toolsChecker struct {
	conns  rule.PerConn[toolbox]
	budget int64
}

// A refusal is a call whose arguments do not fit, and that was not answered yet.
type refusal struct {
	row uint32
	id  string
}

func (c *toolsChecker) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind == session.ConnEnded {
		c.conns.Drop(ev.Conn.ID)
		return
	}
	if ev.Kind != session.MessageSeen || ev.Method == nil {
		return
	}
	switch ev.Method.Name {
	case mcp.ToolsList:
		c.list(ev, r)
	case mcp.ToolsCall:
		c.call(ev, r)
	case mcp.PromptsGet:
		if ev.Message.Kind == jsonrpc.Request {
			objectArguments(ev, r)
		}
	case mcp.ToolsListChangedNotification:
		if ev.Frame.Stream == session.S2C {
			c.conns.Get(ev.Conn.ID).change(ev.T)
		}
	}
}

func (c *toolsChecker) list(ev *session.Event, r session.Reporter) {
	if ev.Exchange == nil || ev.Exchange.Sender != session.C2S {
		return
	}
	b := c.conns.Get(ev.Conn.ID)
	switch ev.Message.Kind {
	case jsonrpc.Request:
		b.asked.request(ev)
	case jsonrpc.Result:
		if rule.IsAnswer(ev) {
			c.page(b, ev, r)
		}
	case jsonrpc.Error:
		b.asked.take(ev)
	case jsonrpc.Notification, jsonrpc.Invalid:
	}
}

func (c *toolsChecker) call(ev *session.Event, r session.Reporter) {
	if ev.Exchange == nil || ev.Exchange.Sender != session.C2S {
		return
	}
	c.budget = min(rule.MaxBudget, c.budget+1)
	switch ev.Message.Kind {
	case jsonrpc.Request:
		if objectArguments(ev, r) {
			c.arguments(ev, r)
		}
	case jsonrpc.Result:
		if rule.IsAnswer(ev) {
			c.result(ev, r)
		}
	case jsonrpc.Error:
		if rule.IsAnswer(ev) {
			c.refused(ev, r)
		}
	case jsonrpc.Notification, jsonrpc.Invalid:
	}
}

// objectArguments reports whether the arguments of a request are an object, or
// absent.
func objectArguments(ev *session.Event, r session.Reporter) bool {
	arguments := ev.Message.Field(jsonrpc.ParamArguments)
	if arguments.Type == jsonrpc.Object || arguments.Type == jsonrpc.Absent {
		return true
	}
	if !rule.ByHand(ev) {
		f := argumentsNotObject.At(ev, "the arguments of %s are %s, must be an object", ev.Method.Name, rule.TypeName(arguments.Type))
		f.Key = ev.Method.Name
		r.Report(f)
	}
	return false
}

// arguments holds a call's arguments against the tool's schema.
func (c *toolsChecker) arguments(ev *session.Event, r session.Reporter) {
	b := c.conns.Get(ev.Conn.ID)
	t := b.current(ev)
	if t == nil || t.patient > ev.T || ev.Message.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8|jsonrpc.LoneSurrogate|jsonrpc.KeysUnchecked) != 0 {
		return
	}
	text := []byte("{}")
	if v := ev.Message.Field(jsonrpc.ParamArguments); v.Present() {
		text = rule.FieldText(ev, v)
	}
	wrong := c.validate(&t.in, t.input, text)
	if wrong == nil {
		return
	}
	if len(b.refused) == maxRefusals {
		b.refused = append(b.refused[:0], b.refused[1:]...)
	}
	b.refused = append(b.refused, refusal{ev.Exchange.Req, ev.Exchange.ID})
	if rule.ByHand(ev) {
		return
	}
	f := argumentsMismatch.At(ev, "calling %s: %s %s", rule.Excerpt([]byte(t.name)), rule.PathText("arguments", wrong.Path), rule.Printable(wrong.Text))
	f.Key = b.Key(t.name)
	r.Report(f)
}

// validate returns what is wrong with a value; nil also where that is not known.
func (c *toolsChecker) validate(with **compiled, declared, value []byte) *schema.Problem {
	if len(declared) == 0 || len(value) == 0 || c.budget < rule.PerCall {
		return nil
	}
	if *with == nil {
		*with = &compiled{}
		c.budget -= int64(len(declared)) / 64
		if schema.Fault(declared) == nil && schema.RemoteRef(declared) == "" {
			(*with).schema, _ = schema.Compile(declared)
		}
	}
	if (*with).schema == nil {
		return nil
	}
	wrong, steps, err := (*with).schema.Validate(value, max(1, min(rule.MaxOneCall, c.budget)))
	if c.budget -= steps + rule.PerCall; err != nil {
		return nil
	}
	return wrong
}

// result judges the structured part of a call's result.
func (c *toolsChecker) result(ev *session.Event, r session.Reporter) {
	b := c.conns.Get(ev.Conn.ID)
	b.answered(ev)
	v := rule.Version(ev)
	if !missingStructuredContent.In(v) {
		return
	}
	result := rule.ResultOf(ev)
	t := b.current(ev)
	if result == nil || (t == nil || t.output == nil) && !bytes.Contains(result, []byte("structuredContent")) {
		return
	}
	structured := rule.Member(result, "structuredContent")
	isError := string(rule.Member(result, "isError")) == "true"
	key := b.Key(ev.Exchange.Target)
	say := func(broken *rule.Rule, format string, args ...any) {
		f := broken.At(ev, "%s: %s", rule.Excerpt([]byte(ev.Exchange.Target)), fmt.Sprintf(format, args...))
		f.Key = key
		if broken == structuredContentMismatch && isError {
			f.Severity = session.Warning
		}
		r.Report(f)
	}
	switch {
	case structured == nil:
		if t != nil && t.output != nil && jsonrpc.TypeOf(t.output) == jsonrpc.Object && !isError {
			say(missingStructuredContent, "the tool lists an outputSchema, its result has no structuredContent")
		}
		return
	case structuredContentNotObject.In(v) && jsonrpc.TypeOf(structured) != jsonrpc.Object:
		say(structuredContentNotObject, "structuredContent is %s, must be an object", rule.TypeName(jsonrpc.TypeOf(structured)))
		return
	}
	if !isError && !hasText(rule.Member(result, "content")) {
		say(missingTextFallback, "the result has structuredContent and no text block beside it")
	}
	if t == nil || jsonrpc.TypeOf(t.output) != jsonrpc.Object {
		return
	}
	if wrong := c.validate(&t.out, t.output, structured); wrong != nil {
		say(structuredContentMismatch, "%s %s", rule.PathText("structuredContent", wrong.Path), rule.Printable(wrong.Text))
	}
}

// hasText reports whether there is a text block in content. What is no list of
// blocks is another rule's business.
func hasText(content []byte) bool {
	if jsonrpc.TypeOf(content) != jsonrpc.Array {
		return true
	}
	for w := rule.NewWalk(content); ; {
		_, block, ok := w.Next()
		if !ok {
			return false
		}
		if rule.IsText(rule.Member(block, "type"), "text") {
			return true
		}
	}
}

// answered forgets that a call's arguments do not fit, and reports whether they
// did not.
func (b *toolbox) answered(ev *session.Event) bool {
	for i, w := range b.refused {
		if w.row == ev.Exchange.Req && w.id == ev.Exchange.ID {
			b.refused = append(b.refused[:i], b.refused[i+1:]...)
			return true
		}
	}
	return false
}

// refused judges a call that was answered with an error.
func (c *toolsChecker) refused(ev *session.Event, r session.Reporter) {
	b := c.conns.Get(ev.Conn.ID)
	x := ev.Exchange
	misfit := b.answered(ev)
	code := string(ev.Message.Field(jsonrpc.ErrorCode).Raw)
	switch {
	case misfit && code == "-32602" && b.current(ev) != nil && validationAsProtocolError.In(rule.Version(ev)) && !unknownTool(ev):
		f := validationAsProtocolError.At(ev, "%s: the arguments do not fit its inputSchema, which was answered with error -32602", rule.Excerpt([]byte(x.Target)))
		f.Key = b.Key(x.Target)
		r.Report(f)
	case b.whole != nil && len(b.lists) == 0 && !ev.Conn.Gaps[session.S2C] && b.whole.began < x.ReqT && !b.whole.names[x.Target] && !rule.ByHand(ev) && (code == "-32602" || code == "-32601") && rule.WholeName(x.Target):
		f := unlistedToolCalled.At(ev, "%s is not in the last tools/list, which was complete", rule.Excerpt([]byte(x.Target)))
		f.Key, f.Row, f.N = b.Key(x.Target), x.Req, x.ReqN
		r.Report(f)
	}
}

// unknownTool reports whether an error says that there is no such tool.
func unknownTool(ev *session.Event) bool {
	said := strings.ToLower(string(ev.Message.Field(jsonrpc.ErrorMessage).Raw))
	return strings.Contains(said, "unknown tool") || strings.Contains(said, "not found") || strings.Contains(said, "no such")
}

// nameFault says why a name is not as names should be.
func nameFault(name string) string {
	switch {
	case name == "":
		return "the name is empty"
	case len(name) > 128:
		return fmt.Sprintf("the name has %d bytes, should have 128 at most", len(name))
	}
	for _, c := range name {
		if c >= 0x80 || !rule.IsNameByte(byte(c)) {
			return "the name has " + strings.Trim(rule.Excerpt([]byte(strconv.QuoteRune(c))), `"`)
		}
	}
	return ""
}

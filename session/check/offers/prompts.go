package offers

import (
	"fmt"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

var Prompts = rule.Family{
	Name:  "prompts",
	Title: "Prompts",
	Rules: []*rule.Rule{missingPromptArgument, promptResultInvalid},
	New:   func() session.Checker { return &promptsConn{} },
}

var missingPromptArgument = &rule.Rule{ID: "missing-prompt-argument", Severity: session.Warning, Fault: rule.Client}
var promptResultInvalid = &rule.Rule{ID: "prompt-result-invalid", Alone: true, Severity: session.Error, Fault: rule.Server}

// Bounds for prompts.
const (
	maxPrompts    = 1000
	maxPromptArgs = 32 // required arguments of one prompt
)

// promptsConn follows which prompts are listed and requested.
type promptsConn struct {
	rule.KeySet
	prompts map[string]*prompt
	changed int64 // changed is when the server last reported a change.
}

// A prompt is an entry of the latest list.
type prompt struct {
	required []string
	asked    int64 // asked is when its page was requested,
	from     int64 // and from is when it became known.
}

// Check implements session.Checker.
func (c *promptsConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Kind != session.MessageSeen || ev.Method == nil {
		return
	}
	switch name := ev.Method.Name; {
	case name == mcp.PromptsList && ev.Message.Kind == jsonrpc.Result && rule.IsAnswer(ev):
		c.page(ev)
	case name == mcp.PromptsListChangedNotification && ev.Frame.Stream == session.S2C:
		c.changed = ev.T
	case name == mcp.PromptsGet && ev.Message.Kind == jsonrpc.Request && ev.Exchange != nil:
		c.request(ev, r)
	}
}

// page stores a page of the list.
func (c *promptsConn) page(ev *session.Event) {
	for _, entry := range lex.Items(lex.Get(rule.ResultOf(ev), "prompts")) {
		name := lex.Unquote(lex.Get(entry, "name"))
		p := prompt{required: requiredOf(lex.Get(entry, "arguments")), asked: ev.Exchange.ReqT, from: ev.T}
		old := c.prompts[name]
		if len(name) > rule.MaxNameKept || old == nil && len(c.prompts) >= maxPrompts {
			continue
		}
		if old != nil {
			p.from += rule.ListGrace // It may differ from the one that the client knows.
			if fmt.Sprint(old.required) == fmt.Sprint(p.required) && !(c.changed > 0 && old.asked <= c.changed) {
				p.from = old.from
			}
		}
		rule.Put(&c.prompts, name, &p)
	}
}

// requiredOf returns the names of a prompt's required arguments.
func requiredOf(arguments []byte) []string {
	var required []string
	for _, argument := range lex.Items(arguments) {
		if len(required) == maxPromptArgs {
			break
		}
		if name := lex.Unquote(lex.Get(argument, "name")); name != "" && len(name) <= rule.MaxNameKept && string(lex.Get(argument, "required")) == "true" {
			required = append(required, name)
		}
	}
	return required
}

// request judges the arguments of a request.
func (c *promptsConn) request(ev *session.Event, r session.Reporter) {
	arguments := ev.Message.Field(jsonrpc.ParamArguments)
	if rule.ByHand(ev) || arguments.Present() && arguments.Type != jsonrpc.Object || ev.Message.Defects&(jsonrpc.DuplicateKey|jsonrpc.InvalidUTF8) != 0 {
		return
	}
	text := []byte("{}")
	if arguments.Present() {
		if text = rule.FieldText(ev, arguments); text == nil {
			return
		}
	}
	say := func(severity session.Severity, format string, args ...any) {
		f := missingPromptArgument.At(ev, "prompts/get %s: %s", rule.Excerpt([]byte(ev.Exchange.Target)), fmt.Sprintf(format, args...))
		r.Report(f.Graded(severity).Keyed(c.Key(ev.Exchange.Target)))
	}
	for key, value := range lex.Members(text) {
		if t := jsonrpc.TypeOf(value); t != jsonrpc.String {
			say(session.Error, "the argument %s is %s, must be a string", rule.Excerpt([]byte(lex.Unquote(key))), rule.TypeName(t))
			return
		}
	}
	p := c.prompts[ev.Exchange.Target]
	if p == nil || p.from > ev.T || ev.Conn.Gaps[session.S2C] || c.changed > 0 && p.asked <= c.changed {
		return
	}
	for _, name := range p.required {
		if lex.Get(text, name) == nil {
			say(session.Warning, "the argument %s is required", rule.Excerpt([]byte(name)))
			return
		}
	}
}

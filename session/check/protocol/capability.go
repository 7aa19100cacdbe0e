package protocol

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// use judges whether a message uses only what was agreed on: that the revision
// has it and the other side declared it.
func (c *lifecycleConn) use(ev *session.Event, r session.Reporter) {
	if ev.Frame.Stream == session.C2S && !rule.ByClient(ev) || ev.Method == nil {
		return
	}
	v := rule.Version(ev)
	if c.agreed && v.Era() == mcp.Legacy && ev.Conn.Era == mcp.Legacy {
		if c.tooNew(ev, r, v) {
			return
		}
	}
	name := ev.Method.Name
	if feature, ok := strings.CutSuffix(name, "/list_changed"); ok && ev.Frame.Stream == session.S2C {
		c.listChanged(ev, r, strings.TrimPrefix(feature, "notifications/"))
		return
	}
	if ev.Message.Kind == jsonrpc.Request && !strings.HasPrefix(name, "tasks/") {
		c.needs(ev, r, v)
	}
}

// tooNew reports a method that is newer than the negotiated revision.
func (c *lifecycleConn) tooNew(ev *session.Event, r session.Reporter, v mcp.Version) bool {
	m := ev.Method
	if v >= m.Since || m.Extension != "" {
		if ev.Message.Field(jsonrpc.ParamTask).Type == jsonrpc.Object && v < mcp.V4 && m.Name == mcp.ToolsCall {
			r.Report(featureNewerThanVersion.At(ev, "%s asks for a task, which %s does not have", rule.Describe(ev), v).Graded(session.Info).Keyed("task"))
		}
		return false
	}
	f := featureNewerThanVersion.At(ev, "%s was added in %s, but %s was agreed on", rule.MethodName(ev.Message), m.Since, v).Keyed(m.Name)
	if c.peer(ev)[c.needed(ev)] {
		f.Severity = session.Info
	}
	r.Report(f)
	return true
}

// peer returns the capabilities of the message's receiver, nil if they are
// unknown.
func (c *lifecycleConn) peer(ev *session.Event) rule.Capabilities {
	if ev.Frame.Stream == session.C2S {
		return c.server
	}
	return c.client
}

// needed returns the capability that the receiver of a request must have, empty
// for none.
func (c *lifecycleConn) needed(ev *session.Event) string {
	if ev.Frame.Stream == session.C2S {
		return ev.Method.ServerCap
	}
	return ev.Method.ClientCap
}

// needs judges whether the receiver of a request declared the required
// capability.
func (c *lifecycleConn) needs(ev *session.Event, r session.Reporter, v mcp.Version) {
	path, caps := c.needed(ev), c.peer(ev)
	if path == "" || caps == nil || v == mcp.NoVersion || caps[path] {
		return
	}
	side := mcp.ServerSide
	if ev.Frame.Stream == session.S2C {
		side = mcp.ClientSide
	}
	if row, ok := mcp.LookupCapability(side, path); !ok || !row.In(v) {
		return
	}
	f := capabilityNotNegotiated.At(ev, "%s was sent, but the %s did not declare %s", rule.NameOf(ev.Exchange), ev.Frame.Stream.Reverse().Sender(), path).Keyed(ev.Method.Name)
	switch {
	case strings.HasSuffix(ev.Method.Name, "/list") && side == mcp.ServerSide:
		f.Severity = session.Info
	case v < mcp.V3:
		f.Severity = session.Warning
	}
	r.Report(f)
}

// listChanged judges a list_changed notification by what the server declared.
func (c *lifecycleConn) listChanged(ev *session.Event, r session.Reporter, feature string) {
	if c.server == nil || c.server[feature+".listChanged"] {
		return
	}
	f := undeclaredListChanged.At(ev, "%s was sent, but the server did not declare %s.listChanged", rule.MethodName(ev.Message), feature).Keyed(feature)
	f.Ref = mcp.Ref(rule.Version(ev), "server/"+feature, "capabilities")
	r.Report(f)
}

// promised are methods with the capability that promises them.
var promised = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		mcp.ToolsList: "tools", mcp.PromptsList: "prompts", mcp.ResourcesList: "resources",
		mcp.ResourcesSubscribe: "resources.subscribe", mcp.LoggingSetLevel: "logging",
		mcp.CompletionComplete: "completions",
		mcp.RootsList:          "roots", mcp.SamplingCreateMessage: "sampling", mcp.ElicitationCreate: "elicitation",
	}
}}

// unimplemented judges an unknown method that the server's capabilities
// promise.
func (c *lifecycleConn) unimplemented(ev *session.Event, r session.Reporter) {
	x := ev.Exchange
	code, _ := ev.Message.Field(jsonrpc.ErrorCode).Int()
	path := promised.Get()[x.Method]
	who, has := session.Server, c.server
	if x.Sender == session.S2C {
		who, has = session.Client, c.client
	}
	if code != mcp.MethodNotFound || !has[path] || who == session.Client && !rule.ByClient(ev) || x.Cancel != 0 || ev.Method == nil {
		return
	}
	v := rule.Version(ev)
	if v == mcp.NoVersion || !ev.Method.In(v) || v.Era() == mcp.Legacy && !ev.Conn.Initialized {
		return
	}
	f := declaredButUnimplemented.At(ev, "the %s declared %s but does not know %s", who, path, x.Method).Keyed(x.Method)
	f.Fault = who
	if v.Era() == mcp.Modern {
		f.Severity = session.Error
	}
	r.Report(f)
}

// offers are the lists that show that a server has what a capability announces, with
// the member that holds their items.
var offers = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{mcp.ToolsList: "tools", mcp.PromptsList: "prompts", mcp.ResourcesList: "resources"}
}}

// unannounced judges a list that is not empty and whose capability the server did not
// declare.
func (c *lifecycleConn) unannounced(ev *session.Event, r session.Reporter) {
	name := offers.Get()[ev.Exchange.Method]
	if name == "" || c.server == nil || c.server[name] {
		return
	}
	for range lex.Items(lex.Get(rule.ResultOf(ev), name)) {
		f := servedButUndeclared.At(ev, "the server lists %s but did not declare the capability %s", name, name).Keyed(name)
		f.Hint = fmt.Sprintf(`declare the capability, as in "capabilities":{%q:{}}`, name)
		r.Report(f)
		return
	}
}

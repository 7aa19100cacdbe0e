package offers

import (
	"slices"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

const (
	maxLoggers    = 1024                   // maxLoggers is how many requests with a logLevel are stored.
	levelPatience = int64(1 * time.Second) // levelPatience is how long messages of the previous level may still come, in nanoseconds.
)

// loggingConn judges log messages. log-without-opt-in is the rule for log messages
// of a modern server that no request asked for.
type loggingConn struct {
	known    bool // known: the server's capabilities are known.
	declared bool // declared: logging is among them.

	level   int   // level is the index of the level that was set, -1 if it is unknown; it is valid if set is above 0.
	set     int64 // set is when it was set.
	asked   map[uint32]int
	forgot  bool // forgot: not all requests with a logLevel are stored.
	lowered lowered
}

// lowered is the lowest level of requests that ended a moment ago.
type lowered struct {
	level int
	until int64
}

// Check implements session.Checker.
func (c *loggingConn) Check(ev *session.Event, r session.Reporter) {
	switch ev.Kind {
	case session.MessageSeen:
		c.message(ev, r)
	case session.ExchangeGone:
		delete(c.asked, ev.Exchange.Req)
	}
}

func (c *loggingConn) message(ev *session.Event, r session.Reporter) {
	m, x := ev.Message, ev.Exchange
	switch {
	case m.Kind == jsonrpc.Notification && ev.Method != nil && ev.Frame.Stream == session.S2C && ev.Method.Name == mcp.LogNotification:
		c.log(ev, r)
	case x == nil || x.Sender != session.C2S:
	case m.Kind == jsonrpc.Request:
		if level := m.Field(jsonrpc.MetaLogLevel); level.Present() && rule.IsNew(ev) {
			c.ask(x.Req, level)
		}
		if x.Method == mcp.LoggingSetLevel {
			c.setLevel(ev, r)
		}
	case m.Kind.Response(), x.Cancel != 0:
		c.over(ev)
	}
}

// setLevel judges the level that a client sets.
func (c *loggingConn) setLevel(ev *session.Event, r session.Reporter) {
	level := ev.Message.Field(jsonrpc.ParamLevel)
	if rule.ByUser(ev) || level.Type != jsonrpc.String || levelOf(level) >= 0 {
		return
	}
	r.Report(invalidLogLevel.At(ev, "logging/setLevel requests the level %s", rule.RawText(level)))
}

// levelOf returns the index of a level, -1 for an unknown one.
func levelOf(v *jsonrpc.Value) int { return slices.IndexFunc(mcp.LogLevels, v.Is) }

// ask stores the level of a modern request.
func (c *loggingConn) ask(row uint32, level *jsonrpc.Value) {
	if len(c.asked) >= maxLoggers {
		c.forgot = true
		return
	}
	rule.Put(&c.asked, row, max(0, levelOf(level)))
}

// over records a response or a cancellation.
func (c *loggingConn) over(ev *session.Event) {
	x, m := ev.Exchange, ev.Message
	if level, ok := c.asked[x.Req]; ok {
		delete(c.asked, x.Req)
		if ev.T >= c.lowered.until || level < c.lowered.level {
			c.lowered.level = level
		}
		c.lowered.until = ev.T + levelPatience
	}
	if m.Kind != jsonrpc.Result {
		return
	}
	switch x.Method {
	case mcp.Initialize, mcp.ServerDiscover:
		if caps, ok := rule.ParseObject(rule.FieldText(ev, m.Field(jsonrpc.ResultCapabilities))); ok {
			c.known, c.declared = true, caps.Has("logging")
		}
	case mcp.LoggingSetLevel:
		if x.Kept {
			return // The server does not have it.
		}
		c.level, c.set = slices.Index(mcp.LogLevels, x.Target), max(1, ev.T)
	}
}

// log judges a log message.
func (c *loggingConn) log(ev *session.Event, r session.Reporter) {
	m := ev.Message
	if t := m.Params.Type; t != jsonrpc.Object && t != jsonrpc.Absent {
		return
	}
	if c.known && !c.declared {
		r.Report(logWithoutCapability.At(ev, "a log message came, but the server did not declare logging"))
	}
	level := m.Field(jsonrpc.ParamLevel)
	if level.Type != jsonrpc.String {
		r.Report(logShape.AtMember(ev, []string{"LoggingParams.level"}, "the level of a log message is %s, must be a string", rule.TypeName(level.Type)).Keyed("level"))
		return
	}
	if params := rule.SpanText(ev, m.Params); params != nil && lex.Get(params, "data") == nil && m.Defects&jsonrpc.KeysUnchecked == 0 {
		r.Report(logShape.AtMember(ev, []string{"LoggingParams.data"}, "a log message has no data: %s", rule.Excerpt(params)).Keyed("data"))
	}
	at := levelOf(level)
	if at < 0 {
		r.Report(invalidLogLevel.AtMember(ev, []string{"LoggingParams.level"}, "a log message has the level %s", rule.RawText(level)))
		return
	}
	if least := c.least(ev); at < least {
		r.Report(logBelowThreshold.At(ev, "a log message of level %s came, but the lowest requested level is %s", mcp.LogLevels[at], mcp.LogLevels[least]).Since(max(c.set, ev.T-levelPatience)))
	}
}

// least returns the index of the lowest level that is requested now, 0 if it is
// unknown.
func (c *loggingConn) least(ev *session.Event) int {
	if rule.Version(ev).Era() != mcp.Modern {
		if c.set == 0 || ev.T-c.set < levelPatience || c.level < 0 || c.pending(ev) {
			return 0
		}
		return c.level
	}
	if c.forgot || len(c.asked) == 0 && ev.T >= c.lowered.until {
		return 0
	}
	least := len(mcp.LogLevels)
	for _, level := range c.asked {
		least = min(least, level)
	}
	if ev.T < c.lowered.until {
		least = min(least, c.lowered.level)
	}
	return least
}

// pending reports whether the level is being changed.
func (c *loggingConn) pending(ev *session.Event) bool {
	open := ev.Conn.Open[session.C2S]
	if len(open) > rule.MaxScan {
		return true
	}
	return slices.ContainsFunc(open, func(x *session.Exchange) bool { return x.Method == mcp.LoggingSetLevel })
}

var Logging = rule.Family{
	Name:  "logging",
	Title: "Logging",
	Rules: []*rule.Rule{logWithoutCapability, invalidLogLevel, logBelowThreshold, logShape},
	New:   func() session.Checker { return &loggingConn{} },
}

var logWithoutCapability = &rule.Rule{ID: "log-without-capability", Severity: session.Info, Fault: rule.Server}
var invalidLogLevel = &rule.Rule{ID: "invalid-log-level", Alone: true, Severity: session.Error}
var logBelowThreshold = &rule.Rule{ID: "log-below-threshold", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var logShape = &rule.Rule{ID: "log-shape", Alone: true, Severity: session.Error, Fault: rule.Server}

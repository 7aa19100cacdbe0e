package protocol

import (
	"strconv"
	"time"

	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// Bounds for the tokens of one side. The oldest is forgotten first.
const (
	maxTokens = 4096 // tokens of requests in flight
	maxOver   = 4096 // tokens of completed requests
)

// A flood of progress is more than floodRate notifications a second for
// floodSeconds consecutive seconds.
const (
	floodRate    = 20
	floodSeconds = 3
)

// progressConn follows the tokens that requests carry.
//
//	a client's progress in the modern era           client-progress; none of these
//	progress for a task of the extension            task-progress
//	progress without a token, or without progress   missing-required-param
type progressConn struct {
	rule.Coverage
	rule.KeySet
	sides [2]tokens // sides are by the sender of the request.
}

// tokens are the tokens that one side sent.
type tokens struct {
	active map[uint64]token
	over   map[uint64]overToken
	order  rule.Ring[uint64] // order is the keys of over.
	forgot bool              // forgot: some were dropped.
	tasks  int               // tasks counts the active ones whose request became a task.
}

// A token belongs to a request in flight.
type token struct {
	row    uint32
	n      uint64
	method string
	at     int64
	cancel int64  // cancel is when the request was cancelled, 0 = not.
	shared bool   // shared: another request in flight has the same token.
	task   uint64 // task is the hash of the id of the task that the request became, 0 = none.

	seen   bool
	last   float64 // last is the last reported progress.
	second int64   // second is when the current second began,
	count  int     // count its notifications,
	streak int     // and streak the consecutive seconds before it that were floods.
}

// An overToken belonged to a completed request.
type overToken struct {
	n      uint64
	method string
	at     int64
	quiet  bool // quiet: more may follow, as the request became a task of the extension, or its stream ended before its response.
}

// Check implements session.Checker.
func (c *progressConn) Check(ev *session.Event, r session.Reporter) {
	c.Note(ev)
	switch {
	case ev.Kind == session.MessageSeen:
		c.message(ev, r)
	case ev.Kind == session.ExchangeGone && ev.Exchange.ProgressToken != "":
		s := &c.sides[ev.Exchange.Sender]
		if t, h, ok := s.take(ev.Exchange); ok && ev.Trip != nil {
			s.end(ev, h, t, true) // The connection goes on, and the request may.
		}
	}
}

func (c *progressConn) message(ev *session.Event, r session.Reporter) {
	m := ev.Message
	switch m.Kind {
	case jsonrpc.Request:
		if m.Field(jsonrpc.MetaProgressToken).Present() {
			c.request(ev, r)
		}
	case jsonrpc.Notification:
		if ev.Method == nil || ev.Frame.Stream == session.Stderr {
			return
		}
		switch ev.Method.Name {
		case mcp.ProgressNotification:
			c.progress(ev, r)
		case mcp.CancelledNotification:
			if x := ev.Exchange; x != nil && x.ProgressToken != "" {
				c.sides[x.Sender].cancelled(ev)
			}
		case mcp.TaskStatusNotification:
			s := &c.sides[ev.Frame.Stream.Reverse()]
			if s.tasks > 0 && rule.TaskEnded(lex.Unquote(lex.Get(rule.SpanText(ev, m.Params), "status"))) {
				s.finished(ev, m.Field(jsonrpc.ParamTaskID).Hash)
			}
		}
	case jsonrpc.Result, jsonrpc.Error:
		if x := ev.Exchange; x != nil {
			s := &c.sides[x.Sender]
			if x.ProgressToken != "" {
				s.answered(ev)
			}
			if status, ok := m.Field(jsonrpc.ResultStatus).Unquoted(); s.tasks > 0 && ok && rule.TaskEnded(status) {
				s.finished(ev, m.Field(jsonrpc.ResultTaskID).Hash)
			}
		}
	case jsonrpc.Invalid:
	}
}

// request stores the token of a request.
func (c *progressConn) request(ev *session.Event, r session.Reporter) {
	v := ev.Message.Field(jsonrpc.MetaProgressToken)
	if !rule.UsableID(v) {
		if !rule.ByUser(ev) {
			r.Report(progressTokenType.AtMember(ev, []string{".progressToken"}, "the progressToken of %s is %s", rule.MethodName(ev.Message), tokenText(v)).Keyed("request"))
		}
		return
	}
	x := ev.Exchange
	if x == nil || !rule.IsNew(ev) {
		return
	}
	s := &c.sides[x.Sender]
	h, ok := rule.HashID(v.Raw)
	if !ok || len(s.active) >= maxTokens {
		s.forgot = true
		return
	}
	t := token{row: x.Req, n: x.ReqN, method: x.Method, at: ev.T}
	if old, used := s.active[h]; used && old.cancel == 0 {
		t.shared = true
		if c.inFlight(ev, old) && !rule.ByUser(ev) {
			f := duplicateProgressToken.At(ev, "%s has the same progressToken %s as %s", rule.NameOf(x), rule.RawText(v), rule.RequestName(old.method, old.n, ""))
			r.Report(f.Keyed(c.Key(x.Method)))
		}
	}
	rule.Put(&s.active, h, t)
}

// inFlight reports whether a request certainly is unanswered when another one
// with the same token comes.
func (c *progressConn) inFlight(ev *session.Event, old token) bool {
	return ev.Match == session.MatchNew && old.task == 0 && c.Sees(ev, ev.Frame.Stream.Reverse()) &&
		ev.T-old.at < rule.TimeoutOf(ev.Conn, old.method)
}

// tokenText describes an invalid token.
func tokenText(v *jsonrpc.Value) string {
	if v.Type == jsonrpc.Number {
		return rule.RawText(v)
	}
	return rule.TypeName(v.Type)
}

// take removes the token of a request, and returns it with its hash. It reports
// false if it is unknown, or belongs to another request by now.
func (s *tokens) take(x *session.Exchange) (token, uint64, bool) {
	h, ok := rule.HashID(x.ProgressToken)
	t, known := s.active[h]
	if !ok || !known || t.row != x.Req {
		return token{}, 0, false
	}
	if t.task != 0 {
		s.tasks--
	}
	delete(s.active, h)
	return t, h, true
}

// answered records the response to a request. A request that became a task
// continues.
func (s *tokens) answered(ev *session.Event) {
	x, m := ev.Exchange, ev.Message
	t, h, ok := s.take(x)
	if !ok {
		return
	}
	if id := m.Field(jsonrpc.ResultTaskTaskID); m.Kind == jsonrpc.Result && id.Present() && x.Era != mcp.Modern {
		t.task = max(1, id.Hash)
		s.active[h] = t
		s.tasks++
		return
	}
	s.end(ev, h, t, m.Kind == jsonrpc.Result && m.Field(jsonrpc.ResultType).Is("task"))
}

// finished records the end of a task.
func (s *tokens) finished(ev *session.Event, task uint64) {
	for h, t := range s.active {
		if t.task == max(1, task) {
			delete(s.active, h)
			s.tasks--
			s.end(ev, h, t, false)
		}
	}
}

func (s *tokens) cancelled(ev *session.Event) {
	h, ok := rule.HashID(ev.Exchange.ProgressToken)
	if t, known := s.active[h]; ok && known && t.row == ev.Exchange.Req && t.cancel == 0 {
		t.cancel = max(1, ev.T)
		s.active[h] = t
	}
}

// end stores the token of a completed request.
func (s *tokens) end(ev *session.Event, h uint64, t token, quiet bool) {
	if _, again := s.over[h]; !again {
		if old, full := s.order.Push(h, maxOver); full {
			delete(s.over, old)
			s.forgot = true
		}
	}
	rule.Put(&s.over, h, overToken{n: t.n, method: t.method, at: ev.T, quiet: quiet})
}

// progress judges a notification.
func (c *progressConn) progress(ev *session.Event, r session.Reporter) {
	m := ev.Message
	v := m.Field(jsonrpc.ParamProgressToken)
	fromClient := ev.Frame.Stream == session.C2S
	if !v.Present() || fromClient && rule.IsModern(ev) || rule.ByUser(ev) {
		return
	}
	if !rule.UsableID(v) {
		r.Report(progressTokenType.AtMember(ev, []string{".progressToken"}, "the progressToken of a notification is %s", tokenText(v)).Keyed("echo"))
		return
	}
	s := &c.sides[ev.Frame.Stream.Reverse()]
	h, ok := rule.HashID(v.Raw)
	if !ok {
		return
	}
	t, known := s.active[h]
	old, over := s.over[h]
	switch {
	case known:
		if c.step(ev, &t, r); t.cancel == 0 {
			s.active[h] = t
		}
	case over:
		c.after(ev, old, r)
	case ev.Exchange == nil:
		c.unknown(ev, s, v, h, r)
	}
}

// step judges one progress step of a request in flight.
func (c *progressConn) step(ev *session.Event, t *token, r session.Reporter) {
	done, ok := rule.NumberOf(ev.Message.Field(jsonrpc.ParamProgress))
	if !ok || t.cancel != 0 || rule.Replayed(ev) {
		return
	}
	what := rule.RequestName(t.method, t.n, "")
	if t.seen && done <= t.last && !t.shared {
		r.Report(progressNotIncreasing.At(ev, "progress %s of %s comes after %s", amount(done), what, amount(t.last)).Keyed(c.Key(t.method)))
	}
	if total, ok := rule.NumberOf(ev.Message.Field(jsonrpc.ParamTotal)); ok && done > total {
		r.Report(progressOverTotal.At(ev, "progress %s of %s exceeds its total %s", amount(done), what, amount(total)).Keyed(c.Key(t.method)))
	}
	t.seen, t.last = true, done
	if ev.Frame.Way != session.WayOut && t.flooded(ev.T) { // What goes on later comes in a burst.
		r.Report(progressFlood.At(ev, "%s reported progress more than %d times a second for %d s", what, floodRate, floodSeconds).Keyed(c.Key(t.method)))
	}
}

// flooded counts a notification, and reports whether it completes a flood of
// its token.
func (t *token) flooded(now int64) bool {
	const second = int64(time.Second)
	switch gone := now - t.second; {
	case t.count > 0 && gone < second:
	case t.count > floodRate && gone < 2*second:
		t.streak++
		t.second, t.count = t.second+second, 0
	default:
		t.second, t.count, t.streak = now, 0, 0
	}
	t.count++
	return t.count == floodRate+1 && t.streak == floodSeconds-1
}

// after judges progress for a completed request.
func (c *progressConn) after(ev *session.Event, t overToken, r session.Reporter) {
	if t.quiet {
		return
	}
	after := ev.T - t.at
	f := progressAfterCompletion.At(ev, "progress of %s came %s after its end", rule.RequestName(t.method, t.n, ""), rule.FormatDuration(after)).Since(t.at)
	if after < rule.ProgressRace {
		f.Severity, f.Key = session.Info, "race"
	} else {
		f.Key = c.Key(t.method)
	}
	r.Report(f)
}

// unknown judges progress for an unknown token.
func (c *progressConn) unknown(ev *session.Event, s *tokens, v *jsonrpc.Value, h uint64, r session.Reporter) {
	if s.forgot || !c.Sees(ev, ev.Frame.Stream.Reverse()) {
		return
	}
	if t, known := s.active[h^rule.StringMark]; known {
		r.Report(progressTokenType.AtMember(ev, []string{".progressToken"}, "progress of %s names its token as %s, which has another JSON type", rule.RequestName(t.method, t.n, ""), rule.RawText(v)).Keyed("type"))
		return
	}
	if _, over := s.over[h^rule.StringMark]; over {
		return
	}
	r.Report(progressUnknownToken.At(ev, "progress names the token %s, which no request has", rule.RawText(v)))
}

// amount formats a number for display.
func amount(f float64) string { return strconv.FormatFloat(f, 'g', 12, 64) }

var Progress = rule.Family{
	Name:  "progress",
	Title: "Progress",
	Rules: []*rule.Rule{
		progressNotIncreasing, progressUnknownToken, progressAfterCompletion, duplicateProgressToken,
		progressTokenType, progressOverTotal, progressFlood,
	},
	New: func() session.Checker { return &progressConn{} },
}

var progressNotIncreasing = &rule.Rule{ID: "progress-not-increasing", Severity: session.Error, NeedsAll: true}
var progressUnknownToken = &rule.Rule{ID: "progress-unknown-token", Severity: session.Error, NeedsAll: true}
var progressAfterCompletion = &rule.Rule{ID: "progress-after-completion", Severity: session.Error, NeedsAll: true}
var duplicateProgressToken = &rule.Rule{ID: "duplicate-progress-token", Severity: session.Error, NeedsAll: true}
var progressTokenType = &rule.Rule{ID: "progress-token-type", Alone: true, Severity: session.Error}
var progressOverTotal = &rule.Rule{ID: "progress-over-total", Alone: true, Severity: session.Info}
var progressFlood = &rule.Rule{ID: "progress-flood", Severity: session.Warning}

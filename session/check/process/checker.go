package process

import (
	"bytes"
	"time"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/check/rule"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// processConn judges the server's process and the pipes: how it starts,
// whether both sides read and write, and how it ends.
//
// One fault causes one finding, and only the server's first action counts
// against it. The side that closes stdin or sends a signal ends the connection;
// the effects of the server's exit afterwards are not faults. A server that
// exits on its own has one of these, the first that applies:
//
//	it closed stdout and is alive 500 ms later   stdout-closed-while-running
//	it exits and the probe is what it read last  server-exit-on-probe, if its stderr names it
//	… a method that it does not know             server-exit-on-unknown-method, if its stderr names it
//	… it failed, or left requests unanswered     server-exited
//
// If stderr does not name the message, the first two are reported if another
// connection shows that the server lives without it: see history. They then
// replace server-exited, which was reported before.
//
// Requests that are lost with it are not reported one by one. A process that
// exits with code 0 and has no request unanswered is not reported, nor is one
// that was terminated from outside. After the client closed stdin, a crash with
// its reason on stderr and a request unanswered is the server's fault; a failure
// with none unanswered is fails-at-shutdown, unless the client sent a signal,
// stopped reading, or had sent something that is not a message.
//
// A client that sends only server/discover and ends the process has probed:
// that is probe-sibling, or server-silent-on-probe if it waited for its
// timeout.
type processConn struct {
	history *history
	life    *life // life is that of this connection; nil before its first event.

	end     rule.Ending
	words   *cause.Words // words are the last lines of stderr, and of stdout before the first response; nil before the first line.
	printed int          // printed counts the lines of stdout in words.
	latest  asked        // latest is the client's last message.
	before  asked        // before is the notification just before latest, without an answer since; empty = none. Each session has notifications/initialized, which does not count.
	sent    int          // sent counts the client's messages.
	probe   probed
	lost    lostRequests
	flow    flow
	hold    buffering

	garbled  bool  // garbled: the client has sent something that is not a message.
	greeted  bool  // greeted: the server has responded to a request.
	answered int64 // answered is when it last responded.
	judged   bool  // judged: the end of the process was judged.
	orphans  bool  // orphans: processes that it left running were reported.
	stayed   bool  // stayed: server-ignores-eof was reported.
	deaf     bool  // deaf: server-ignores-sigterm was reported.
	closed   bool  // closed: stdout-closed-while-running was reported.
	held     bool  // held: stdout-held-open was reported.
}

// asked is a message of the client.
type asked struct {
	method   string
	id       string
	row      uint32
	n        uint64
	t        int64
	request  bool
	unknown  bool // unknown: the server need not know the method.
	answered bool
	number   int // number counts the client's messages, from 1.
}

func requestOf(x *session.Exchange) asked {
	return asked{method: x.Method, id: x.ID, row: x.Req, n: x.ReqN, t: max(x.ReqT, x.Went), request: true}
}

func (a *asked) name() string { return rule.RequestName(a.method, a.n, a.id) }

// Check implements session.Checker.
func (conn *processConn) Check(ev *session.Event, r session.Reporter) {
	if ev.Conn.Trips > 0 {
		return // It has no process.
	}
	if conn.life == nil {
		conn.life = conn.history.begin(ev.Conn.ID)
	}
	if ev.Kind == session.ProcSeen && ev.Proc.Event == "orphans" {
		conn.orphaned(ev, r) // These may come after the end of the connection.
		return
	}
	if ev.Conn.Ended && ev.Kind != session.ExchangeGone && ev.Kind != session.ConnEnded {
		return
	}
	switch ev.Kind {
	case session.FrameSeen:
		conn.frame(ev, r)
	case session.MessageSeen:
		conn.message(ev, r)
	case session.ExchangeLate:
		conn.probe.late(ev, r)
	case session.ExchangeGone:
		conn.lost.add(ev.Exchange, conn.end.Begun)
	case session.IOSeen:
		conn.end.Note(ev)
		conn.leftAlive(ev, r)
		conn.io(ev, r)
	case session.ProcSeen:
		alive := conn.end.Exit == 0
		if alive {
			conn.signal(ev, r)
		}
		conn.end.Note(ev)
		conn.leftAlive(ev, r)
		conn.proc(ev, r)
	case session.Timer:
		conn.timer(ev, r)
	case session.ConnEnded:
		conn.judge(ev, r)
		conn.probe.ended(ev, r, conn)
	}
}

// maxPrinted bounds how many lines of stdout, behind a message of the client, are read for
// the reason of an end.
const maxPrinted = 1000

func (conn *processConn) frame(ev *session.Event, r session.Reporter) {
	switch f := ev.Frame; f.Stream {
	case session.Stderr:
		if conn.words == nil {
			conn.words = new(cause.Words)
		}
		conn.words.Add(f.T, f.Head)
	case session.S2C:
		if conn.printed < maxPrinted && conn.prints(f) {
			if conn.words == nil {
				conn.words = new(cause.Words)
			}
			conn.printed++
			conn.words.AddOutput(f.T, f.Head)
		}
		conn.flow.wrote(ev, r, &conn.end)
	case session.C2S:
		conn.garbled = conn.garbled || !f.Part && f.Text.Syntax != jsonrpc.Complete && f.Text.Syntax != jsonrpc.Empty
	}
}

// prints reports whether a line of stdout is text. After the first message, a line of JSON is
// not taken for text, because it may be a message too.
func (conn *processConn) prints(f *session.Frame) bool {
	return (!conn.greeted || f.Text.Syntax != jsonrpc.Complete) && !bytes.Contains(f.Head, []byte(`"jsonrpc"`))
}

func (conn *processConn) message(ev *session.Event, r session.Reporter) {
	if ev.Frame.Stream == session.C2S {
		if ev.Frame.Way == session.WayIn {
			return // The server does not have it: what goes on in its place counts.
		}
		conn.sent++
		conn.printed = 0
		conn.asks(ev)
		return
	}
	if !ev.Message.Kind.Response() || ev.Exchange == nil {
		return
	}
	if !conn.greeted {
		conn.greeted = true
		reportStartup(ev, r)
	}
	conn.answered = ev.T
	number := conn.latest.number
	if ev.Exchange.Req == conn.latest.row {
		conn.latest.answered = true
	} else {
		number--
	}
	conn.life.answers(number, ev.T-ev.Conn.StartT)
	conn.history.lived(r, conn.life)
	conn.probe.answer(ev, r)
	conn.hold.answer(ev, r)
}

// asks stores the client's last message.
func (conn *processConn) asks(ev *session.Event) {
	x, probing, before := ev.Exchange, false, conn.latest
	if before.request || conn.answered >= before.t || before.method == mcp.InitializedNotification {
		before = asked{}
	}
	switch ev.Message.Kind {
	case jsonrpc.Request:
		if x == nil {
			return
		}
		conn.hold.request(ev, &conn.latest)
		probing = conn.probe.request(ev, conn.sent)
		conn.latest = requestOf(x)
	case jsonrpc.Notification:
		conn.latest = asked{row: ev.Frame.Row, n: ev.Frame.N, t: ev.T, answered: true}
		if ev.Method != nil {
			conn.latest.method = ev.Method.Name
		} else {
			conn.latest.method = rule.MethodName(ev.Message)
		}
	case jsonrpc.Invalid:
		conn.garbled = true
		return
	case jsonrpc.Result, jsonrpc.Error:
		return
	}
	v := rule.Version(ev)
	conn.latest.unknown = ev.Method == nil || !ev.Method.In(v) || ev.Method.ExtensionIn(v) != ""
	conn.latest.number, conn.before = conn.sent, before
	conn.life.sends(&conn.latest, probing)
}

// leftAlive records that the client ended the connection, and the server had
// lived until then.
func (conn *processConn) leftAlive(ev *session.Event, r session.Reporter) {
	if e := &conn.end; e.By == session.Client && e.Begun == max(1, ev.T) {
		conn.life.answers(0, ev.T-ev.Conn.StartT)
		conn.history.lived(r, conn.life)
	}
}

// io records an event of a stream, and sets a timer for its effect. The rule in
// the timer's key says what it is for.
func (conn *processConn) io(ev *session.Event, r session.Reporter) {
	wake := func(after time.Duration, rule *rule.Rule) {
		r.At(ev.T+int64(after), ev.Conn.ID, session.TimerKey{Rule: rule.ID})
	}
	switch ev.IO.Event {
	case "eof", "closed":
		switch {
		case ev.Stream == session.C2S && conn.end.Stdin != 0:
			wake(eofGrace, ServerIgnoresEOF)
		case ev.Stream == session.S2C && conn.end.Given != 0:
			conn.heldOpen(ev, r)
		case ev.Stream == session.S2C && conn.end.Stdout != 0:
			wake(closedAfter, StdoutClosedWhileRunning)
		}
		conn.judgeIfDead(ev, r)
	case "blocked":
		conn.flow.blocked(ev, r, &conn.end)
	case "epipe":
		conn.flow.broken(ev, r)
	}
}

func (conn *processConn) proc(ev *session.Event, r session.Reporter) {
	switch ev.Proc.Event {
	case "exit":
		r.At(ev.T+int64(judgeAfter), ev.Conn.ID, session.TimerKey{Rule: ServerExited.ID})
		r.At(ev.T+int64(heldAfter), ev.Conn.ID, session.TimerKey{Rule: stdoutHeldOpen.ID})
		conn.heldOpen(ev, r)
		conn.judgeIfDead(ev, r)
	case "signal":
		if conn.end.Term == max(1, ev.T) {
			r.At(ev.T+int64(termGrace), ev.Conn.ID, session.TimerKey{Rule: serverIgnoresSIGTERM.ID})
		}
	}
}

func (conn *processConn) timer(ev *session.Event, r session.Reporter) {
	switch ev.Timer.Rule {
	case ServerExited.ID:
		conn.judge(ev, r)
	case ServerIgnoresEOF.ID:
		conn.overdue(ev, r)
	case serverIgnoresSIGTERM.ID:
		conn.ignoresTerm(ev, r)
	case StdoutClosedWhileRunning.ID:
		conn.closedStdout(ev, r)
	case stdoutHeldOpen.ID:
		conn.heldOpen(ev, r)
	case ServerNotReading.ID, clientNotReading.ID:
		conn.flow.stuck(ev, r, &conn.end)
	case writeAfterClose.ID:
		conn.flow.closedStdin(ev, r, &conn.end)
	case ServerSilentOnProbe.ID:
		conn.probe.expired(ev, r, &conn.end)
	}
}

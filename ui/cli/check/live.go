package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiretea/recorder/capture"
	"wiretea/recorder/verdict"
	"wiretea/recorder/verdict/report"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/transport"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// A checkup puts one server through its paces, in a session of its own:
//
//	start ─► for each era: connect ─► lists ─► calls ─► end ─► probes ─► judge
//
// What the wire shows is for the rules to judge; what only the caller knows
// becomes a finding of check's own.
type checkup struct {
	o     *checkOptions
	run   *capture.Run
	cfg   client.Config
	calls []json.RawMessage
	errw  io.Writer

	own    []session.Finding
	probes map[int]bool // probes are the connections that probe, by number.
	code   int          // code is the exit code so far.
	spoken mcp.Era      // spoken is the era of the latest session that came about.
}

// live starts a server, puts it through its paces and judges the session.
func (o *checkOptions) live(cmd *cobra.Command, rules *verdict.Policy) error {
	if err := errors.Join(o.Server.Check(), o.Record.Check()); err != nil {
		return err
	}
	both := o.Client.Era == "both"
	if both {
		o.Client.Era = "legacy"
	}
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	calls, err := parseCalls(o.calls)
	if err != nil {
		return err
	}
	errw := cmd.ErrOrStderr()
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), o.maxTime, capture.ErrTimeUp)
	defer cancel()
	cfg.Warn = errw
	run, err := capture.New(cfg)
	if err != nil {
		return o.Record.Failure(err)
	}
	c := &checkup{o: o, run: run, cfg: cfg.Client, calls: calls, errw: errw, probes: map[int]bool{}}
	connected := c.visits(ctx, both)
	if connected && o.probe {
		c.probe(ctx)
	}
	c.end(ctx)
	return c.report(cmd, rules)
}

// visits makes the session in each era that is wanted, and reports whether any
// came about. With both, a server need not speak more than one of them.
func (c *checkup) visits(ctx context.Context, both bool) bool {
	if !both {
		return c.visit(ctx, c.cfg, false)
	}
	connected := false
	var refused []session.Finding
	for _, era := range []client.EraChoice{client.Legacy, client.Modern} {
		if ctx.Err() != nil {
			break
		}
		cfg := c.cfg
		cfg.Era, cfg.ProtocolVersion = era, ""
		if connected {
			c.hangUp(ctx)
		}
		before, code := len(c.own), c.code
		if c.visit(ctx, cfg, true) {
			connected = true
			continue
		}
		refused = append(refused, c.own[before:]...)
		if isRefusal(c.own[before:]) {
			c.own, c.code = c.own[:before], code
			c.probes[c.conn()] = true
			fmt.Fprintf(c.errw, "the server does not speak the %s era\n", era)
		}
		c.hangUp(ctx)
	}
	if !connected {
		c.own = refused
		c.raise(term.ExitServer)
	}
	return connected
}

// isRefusal reports whether all that went wrong is that the server answered a
// handshake by an error.
func isRefusal(found []session.Finding) bool {
	return len(found) == 1 && found[0].Rule == verdict.NoHandshake.ID && found[0].Key == verdict.Refused
}

// visit connects, lists what is declared and makes the calls. It reports whether
// there was a session.
func (c *checkup) visit(ctx context.Context, cfg client.Config, only bool) bool {
	connect := c.run.Connect
	if only {
		connect = func(ctx context.Context) (*client.Client, error) { return c.run.Dial(ctx, cfg) }
	}
	peer, err := connect(ctx)
	if err != nil {
		c.unconnected(ctx, err)
		return false
	}
	server := peer.Server()
	c.spoken = server.Era
	for _, list := range declaredLists {
		if !server.Has(list.capability) || ctx.Err() != nil {
			continue
		}
		_, err := peer.List(ctx, list.method)
		var answer *client.RPCError
		// Servers with resources and no templates often have no such method.
		if err != nil && !(list.optional && errors.As(err, &answer)) {
			c.failed(ctx, list.method, err)
		}
	}
	for _, params := range c.calls {
		if ctx.Err() != nil {
			break
		}
		what := "tools/call " + verdict.ToolName(params)
		reply, err := peer.Call(ctx, "tools/call", params)
		switch {
		case err != nil:
			c.failed(ctx, what, err)
		case client.ToolFailed(reply.Result):
			c.found(verdict.CallFailed.ID, fmt.Sprintf("%s: the tool reports an error (isError): %s", what, toolComplaint(reply.Result)))
		}
	}
	return true
}

// found adds a finding of check's own.
func (c *checkup) found(rule, message string) *session.Finding {
	f := verdict.Found(verdict.RuleOf(rule), message)
	f.Conn = c.conn()
	c.own = append(c.own, f)
	return &c.own[len(c.own)-1]
}

// conn is the number of the latest connection; 0 before the first.
func (c *checkup) conn() int {
	if conn := c.run.Conn(); conn != nil {
		return conn.Number()
	}
	return 0
}

func (c *checkup) raise(code int) { c.code = max(c.code, code) }

// unconnected notes why there is no session.
func (c *checkup) unconnected(ctx context.Context, err error) {
	var notDone *transport.StartError
	var late *client.TimeoutError
	var answer *client.RPCError
	switch {
	case ctx.Err() != nil:
		return // That it was stopped is said.
	case errors.As(err, &notDone):
		f := c.found(verdict.NotStarted.ID, fmt.Sprintf("the server could not be started: %q: %s", notDone.Name, notDone.Why))
		if notDone.Hint != "" {
			f.Hint = notDone.Hint
		}
		c.raise(term.ExitServer)
		return
	case errors.As(err, &late):
		c.found(verdict.NoHandshake.ID, late.Error()).Key = verdict.Lapsed
		c.raise(term.ExitTimeout)
		return
	}
	f := c.found(verdict.NoHandshake.ID, "no handshake: "+err.Error())
	switch {
	case errors.As(err, &answer):
		f.Key, f.Hint = verdict.Refused, term.RefusedHint(answer)
	case errors.Is(err, client.ErrVersion):
		f.Hint = "--protocol-version asks for another one"
	case errors.Is(err, client.ErrClosed):
		f.Key, f.Hint = verdict.Lapsed, "its stderr and exit code say why"
	}
	c.raise(term.ExitServer)
}

// failed notes what became of a request that did not succeed.
func (c *checkup) failed(ctx context.Context, what string, err error) {
	var late *client.TimeoutError
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, client.ErrTooLong), errors.Is(err, client.ErrCursorLoop), errors.Is(err, client.ErrTooManyPages):
		return // The wire shows it.
	case errors.As(err, &late):
		c.found(verdict.CallFailed.ID, fmt.Sprintf("%s was not answered within %v", what, late.After.Round(time.Millisecond))).Key = verdict.Lapsed
		c.raise(term.ExitTimeout)
	case errors.Is(err, client.ErrClosed):
		c.found(verdict.CallFailed.ID, what+": the server went away before it answered").Key = verdict.Lapsed
		c.raise(term.ExitServer)
	default:
		method, _, _ := strings.Cut(what, " ")
		c.found(verdict.CallFailed.ID, what+": "+strings.TrimPrefix(err.Error(), method+": "))
	}
}

// end ends the server and the record, and notes why it was stopped before its
// end.
func (c *checkup) end(ctx context.Context) {
	why := "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	if fault := c.run.Close(ctx, why); fault != nil {
		fmt.Fprintf(c.errw, "wiretea: %v\n", fault)
	}
	switch {
	case context.Cause(ctx) == capture.ErrTimeUp:
		c.found(verdict.StoppedEarly.ID, fmt.Sprintf("stopped after %v (--max-time)", c.o.maxTime))
		c.raise(term.ExitTimeout)
	case ctx.Err() != nil:
		c.found(verdict.StoppedEarly.ID, "interrupted").Hint = ""
		c.raise(term.ExitInterrupted)
	}
}

func (c *checkup) hangUp(ctx context.Context) {
	if err := c.run.HangUp(ctx); err != nil {
		fmt.Fprintf(c.errw, "wiretea: ending the server: %v\n", err)
	}
}

// report judges the session, once it is over, and writes the report.
func (c *checkup) report(cmd *cobra.Command, rules *verdict.Policy) error {
	s := c.run.Snapshot()
	probing := func(conn int) bool { return c.probes[conn] }
	drift, err := c.o.hold.lockTools(s, c.run.Log(), probing, c.errw)
	var written error
	if err == nil {
		v := rules.Judge(verdict.Session{Snapshot: s, Log: c.run.Log(), Own: append(c.own, drift...), Probed: probing, Covered: c.provoked})
		if v.Failed() {
			c.raise(term.ExitFound)
		}
		r := report.New(strings.Join(c.o.Server.Argv, " "), v)
		r.Command = c.o.Server.Argv
		written = report.Write(cmd.OutOrStdout(), c.o.format, lookOf(cmd.OutOrStdout()), r)
		if c.o.format != "text" && c.o.format != "github" && c.code != term.ExitFine && v.Sentence != "" {
			fmt.Fprintf(c.errw, "wiretea: %s\n", term.Visible(v.Sentence))
			if v.Fix != "" {
				fmt.Fprintf(c.errw, "  hint: %s\n", term.Visible(v.Fix))
			}
		}
	}
	if path := c.run.FinalPath(); path != "" {
		fmt.Fprintf(c.errw, "recorded: %s\n", path)
	}
	display.ReportLoss(c.run, c.errw)
	if fault := c.run.Release(); fault != nil {
		fmt.Fprintf(c.errw, "wiretea: %v\n", fault)
	}
	c.o.Record.Prune(c.errw)
	if err := errors.Join(err, written); err != nil {
		return err
	}
	return term.Silently(c.code)
}

// toolComplaint is what a tool's result says of its failure: its first text, else
// all of it.
func toolComplaint(result json.RawMessage) string {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(result, &r) == nil {
		for _, block := range r.Content {
			if block.Text != "" {
				return format.Visible([]byte(block.Text), report.ExcerptLong)
			}
		}
	}
	return format.Visible(result, report.ExcerptLong)
}

var declaredLists = []struct {
	capability, method string
	optional           bool
}{
	{"tools", "tools/list", false},
	{"resources", "resources/list", false},
	{"resources", "resources/templates/list", true},
	{"prompts", "prompts/list", false},
}

// untilExit waits for the end of a server, at most that long.
func untilExit(ctx context.Context, child *transport.Child, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-child.Exited():
	case <-timer.C:
	case <-ctx.Done():
	}
}

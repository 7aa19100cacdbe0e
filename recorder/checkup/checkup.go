package checkup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"wiretea/recorder/capture"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// A Config says what a Checkup does with the server of its run.
type Config struct {
	Run     *capture.Run
	Client  client.Config                     // Client is the client for a connection of its own; Era and ProtocolVersion are set for each era.
	Both    bool                              // Both makes a session in each era; a server need not speak more than one.
	Calls   []json.RawMessage                 // Calls are parameters of tools/call.
	Probe   bool                              // Probe starts the server twice more and tries what clients may do to it.
	MaxTime time.Duration                     // MaxTime is named where the time was up; ctx ends the checkup.
	Timeout func(method string) time.Duration // Timeout is the limit for a request; probes wait 5 s at most, once the handshake is made.
	Warn    io.Writer                         // Warn takes warnings, a line each.
}

// An Outcome is how a checkup went, from best to worst. The findings are in Own.
type Outcome uint8

const (
	Completed    Outcome = iota
	ServerFailed         // ServerFailed: the server could not be started, or ended.
	TimedOut             // TimedOut: a request, or the checkup, took too long.
	Interrupted          // Interrupted: ctx was cancelled by the user.
)

// A Checkup puts one server through its paces, in a session of its own:
//
//	start ─► for each era: connect ─► lists ─► calls ─► end ─► probes
//
// What the wire shows is for the rules to judge; what only the caller knows is in
// Own. A Checkup is used once, by one goroutine.
type Checkup struct {
	cfg Config
	run *capture.Run

	own      []session.Finding
	probes   map[int]bool    // probes are the connections that probe, by number.
	tasked   []string        // tasked are the tools that must be called as tasks.
	uri      json.RawMessage // uri is that of a resource, nil = none is known.
	outcome  Outcome
	spoken   mcp.Era   // spoken is the era of the latest session that came about.
	began    time.Time // began is when the server was started last to be probed.
	died     bool      // died: the server ended by itself in such a session.
	noPing   bool      // noPing: the server does not answer ping.
	starting bool      // starting: the server is started anew to be probed, and makes the handshake.
	slow     bool      // slow: a list took longer than a probe waits, or was not answered.

	// What follows is for a server at a URL.
	doctor  *Doctor       // doctor is nil for a process.
	server  client.Server // server describes the server of the latest session,
	mode    http.Mode     // and mode its transport.
	failure error         // failure is why the latest handshake failed; nil = it did not.
}

// Run checks the server, ends it and closes the record.
func Run(ctx context.Context, cfg Config) *Checkup {
	c := &Checkup{cfg: cfg, run: cfg.Run, probes: map[int]bool{}}
	if remote, ok := cfg.Run.Server().(*capture.Remote); ok {
		c.doctor = NewDoctor(remote.Client())
		c.doctor.Look(ctx)
	}
	connected := c.visits(ctx, cfg.Both)
	switch {
	case c.doctor != nil && !connected && ctx.Err() == nil:
		c.refused(ctx)
	case !connected || !cfg.Probe || ctx.Err() != nil:
	case c.died:
		fmt.Fprintln(cfg.Warn, "the server ended although it was not probed: the probes are left out")
	default:
		c.probe(ctx)
	}
	c.end(ctx)
	c.recorded()
	return c
}

// Own returns the findings of the rules in verdict.OwnRules.
func (c *Checkup) Own() []session.Finding {
	if c.doctor != nil {
		return append(c.own, c.doctor.Found()...)
	}
	return c.own
}

// Steps returns what was done to find out how a server at a URL can be reached and what
// it takes; nil for a process.
func (c *Checkup) Steps() []verdict.Step {
	if c.doctor == nil {
		return nil
	}
	return c.doctor.Steps()
}

// Outcome returns how the checkup went.
func (c *Checkup) Outcome() Outcome { return c.outcome }

// Probed reports whether a connection, by its number, was made to probe the server.
func (c *Checkup) Probed(conn int) bool {
	return c.probes[conn] || c.doctor != nil && c.doctor.Probed(conn)
}

// visits makes the session in each era that is wanted, and reports whether any
// came about. With both, a server need not speak more than one of them.
func (c *Checkup) visits(ctx context.Context, both bool) bool {
	if !both {
		return c.visit(ctx, c.cfg.Client, false, "")
	}
	connected := false
	var refused []session.Finding
	var unspoken []client.EraChoice
	why := ""
	for _, era := range []client.EraChoice{client.Legacy, client.Modern} {
		if ctx.Err() != nil {
			break
		}
		cfg := c.cfg.Client
		cfg.Era, cfg.ProtocolVersion = era, ""
		if connected {
			c.hangUp(ctx)
		}
		before, outcome := len(c.own), c.outcome
		there := c.visit(ctx, cfg, true, why)
		if why = otherEra; there {
			connected = true
			continue
		}
		refused = append(refused, c.own[before:]...)
		if isRefusal(c.own[before:]) || connected && client.NotModern(c.failure) {
			c.own, c.outcome = c.own[:before], outcome
			c.probes[c.conn()] = true
			unspoken = append(unspoken, era)
			c.unspoken(era)
		}
		c.hangUp(ctx)
	}
	switch {
	case !connected:
		c.own = withoutRefusals(refused)
		c.raise(ServerFailed)
	case len(unspoken) > 0:
		fmt.Fprintf(c.cfg.Warn, "the server does not speak the %s era\n", unspoken[0])
	}
	return connected
}

// withoutRefusals leaves out that one era was refused if the other failed in
// another way, and otherwise the advice to try the other era.
func withoutRefusals(found []session.Finding) []session.Finding {
	other := slices.DeleteFunc(slices.Clone(found), func(f session.Finding) bool { return f.Key == verdict.Refused })
	if len(other) > 0 {
		return other
	}
	for i := range found {
		found[i].Hint = "both eras were tried; --protocol-version asks for another version"
	}
	return found
}

// isRefusal reports whether all that went wrong is that the server answered a
// handshake by an error.
func isRefusal(found []session.Finding) bool {
	return len(found) == 1 && found[0].Rule == verdict.NoHandshake.ID && found[0].Key == verdict.Refused
}

// visit connects, lists what is declared and makes the calls. It reports whether
// there was a session. why is why the server is started once more, empty = it is not.
func (c *Checkup) visit(ctx context.Context, cfg client.Config, only bool, why string) bool {
	connect := c.run.Connect
	if only {
		connect = func(ctx context.Context) (*client.Client, error) { return c.run.Dial(ctx, cfg, why) }
	}
	began := time.Now()
	peer, err := connect(ctx)
	c.greeted(peer, time.Since(began), err)
	if err != nil {
		c.unconnected(ctx, err)
		return false
	}
	server := peer.Server()
	c.spoken = server.Era
	items := map[string][]json.RawMessage{}
	for _, list := range declaredLists {
		if !server.Has(list.capability) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		all, err := peer.List(ctx, list.method)
		c.slow = c.slow || time.Since(began) > probeWait/2 || errors.Is(err, client.ErrTimeout)
		items[list.method] = all.Items
		var answer *client.RPCError
		// Servers with resources and no templates often have no such method.
		if err != nil && !(list.optional && errors.As(err, &answer)) {
			if f := c.failed(ctx, list.method, list.method, nil, err); f != nil && all.Pages > 0 && errors.As(err, &answer) && strings.HasPrefix(f.Hint, tryByHand) {
				f.Fault, f.Hint = session.Server, "accept a cursor that the server returned itself: it is the nextCursor of the page before"
			}
		}
	}
	c.tasked = requiringTasks(items[mcp.ToolsList])
	if params := completable(items); params != nil && server.Has("completions") && ctx.Err() == nil {
		c.try(ctx, peer, mcp.CompletionComplete, params)
	}
	if listed := items[mcp.ResourcesList]; len(listed) > 0 {
		c.uri = lex.Get(listed[0], "uri")
	}
	for _, params := range c.cfg.Calls {
		if ctx.Err() != nil {
			break
		}
		what := "tools/call " + verdict.ToolName(params)
		reply, err := peer.Do(ctx, "tools/call", params, c.calling(peer, params))
		switch {
		case err != nil:
			c.failed(ctx, what, "tools/call", params, err)
		case client.ToolFailed(reply.Result):
			c.found(verdict.CallFailed.ID, fmt.Sprintf("%s: the tool reports an error (isError): %s", what, toolComplaint(reply.Result))).Hint = c.advise(toolComplaint(reply.Result), "tools/call", params)
		}
	}
	c.awaitStreams(ctx)
	c.died = c.died || c.gone()
	if !server.Has("tools") && !server.Has("prompts") && !server.Has("resources") {
		c.tryUndeclared(ctx, peer)
	}
	return true
}

// calling are the options of a call: with a progress token, so that progress comes
// and is judged, and as a task where the tool requires it ([V4]
// basic/utilities/tasks §Tool-Level Negotiation).
func (c *Checkup) calling(peer *client.Client, params json.RawMessage) client.Options {
	opts := client.Options{Progress: func(client.Progress) {}}
	if server := peer.Server(); server.Has("tasks.requests.tools.call") && slices.Contains(c.tasked, verdict.ToolName(params)) {
		opts.Task = &client.TaskOptions{}
	}
	return opts
}

// requiringTasks returns the names of the tools that must be called as tasks.
func requiringTasks(tools []json.RawMessage) (names []string) {
	for _, tool := range tools {
		if lex.IsText(lex.Get(lex.Get(tool, "execution"), "taskSupport"), "required") {
			names = append(names, verdict.ToolName(tool))
		}
	}
	return names
}

// tryUndeclared asks for the lists that the server did not declare, as many clients
// do: the answer is for the rules to judge.
func (c *Checkup) tryUndeclared(ctx context.Context, peer *client.Client) {
	for _, list := range declaredLists {
		if server := peer.Server(); !list.optional && !server.Has(list.capability) && ctx.Err() == nil {
			c.try(ctx, peer, list.method, nil)
		}
	}
}

// try makes a request whose answer is for the rules alone.
func (c *Checkup) try(ctx context.Context, peer *client.Client, method string, params json.RawMessage) {
	_, _ = peer.Do(ctx, method, params, client.Options{Timeout: probeWait})
}

// found adds a finding of check's own.
func (c *Checkup) found(rule, message string) *session.Finding {
	f := verdict.Found(verdict.RuleOf(rule), message)
	f.Conn = c.conn()
	c.own = append(c.own, f)
	return &c.own[len(c.own)-1]
}

// conn is the number of the latest connection; 0 before the first.
func (c *Checkup) conn() int {
	if conn := c.run.Conn(); conn != nil {
		return conn.Number()
	}
	return 0
}

func (c *Checkup) raise(o Outcome) { c.outcome = max(c.outcome, o) }

// end ends the server and the record, and notes why it was stopped before its
// end.
func (c *Checkup) end(ctx context.Context) {
	why := "eof"
	if ctx.Err() != nil {
		why = "quit"
	}
	if fault := c.run.Close(ctx, why); fault != nil {
		fmt.Fprintf(c.cfg.Warn, "wiretea: %v\n", fault)
	}
	switch {
	case context.Cause(ctx) == capture.ErrTimeUp:
		c.found(verdict.StoppedEarly.ID, fmt.Sprintf("stopped after %v (--max-time)", c.cfg.MaxTime))
		c.raise(TimedOut)
	case ctx.Err() != nil:
		c.found(verdict.StoppedEarly.ID, "interrupted").Hint = ""
		c.raise(Interrupted)
	}
}

func (c *Checkup) hangUp(ctx context.Context) {
	if err := c.run.HangUp(ctx); err != nil {
		fmt.Fprintf(c.cfg.Warn, "wiretea: ending the server: %v\n", err)
	}
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

// untilEnd waits for the end of a server, at most that long.
func untilEnd(ctx context.Context, ended <-chan struct{}, limit time.Duration) {
	select {
	case <-ended:
	case <-time.After(limit):
	case <-ctx.Done():
	}
}

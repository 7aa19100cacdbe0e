package checkup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
	"time"

	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// probeWait is how long a probe waits for its answer at most: none of them needs
// work.
const probeWait = 5 * time.Second

// A wireProbe is something that clients do, or may do by mistake. It returns the
// rule that the server breaks and what it did; "" = none.
type wireProbe struct {
	name   string
	legacy bool   // legacy: there is no such thing in the modern era.
	needs  string // needs is the capability without which it makes no sense.
	quick  bool   // quick: it makes sense only if the server answers lists quickly.
	after  bool   // after: the answer that is waited for is that to a request after it.

	undeclared bool // undeclared: with a server that passes it, the lists that it did not declare are tried too.

	send func(ctx context.Context, c prober) (rule, message string, err error)
}

// A prober sends probes.
type prober struct {
	*client.Client
	uri   json.RawMessage // uri is that of a resource, nil = none is known.
	quick string          // quick is a method that the server answers quickly; empty = none is known.
}

// prober returns what sends the probes on a connection.
func (c *Checkup) prober(peer *client.Client) prober {
	p := prober{Client: peer, uri: c.uri}
	switch server := peer.Server(); {
	case server.Era == mcp.Modern:
		p.quick = mcp.ServerDiscover
	case !c.noPing:
		p.quick = mcp.Ping
	case server.Has("tools") && !c.slow:
		p.quick = mcp.ToolsList
	}
	return p
}

// wireProbes are sent in this order; what a server is most likely to die of
// stands last.
var wireProbes = []wireProbe{
	{name: "ping", legacy: true, send: probePing},
	{name: "an unknown method", send: probeUnknownMethod, undeclared: true},
	{name: "logging/setLevel", legacy: true, needs: "logging", send: probeSetLevel},
	{name: "resources/subscribe", legacy: true, needs: "resources.subscribe", send: probeSubscribe},
	{name: "an unknown notification", after: true, send: probeUnknownNotification},
	{name: "tools/call without a name", needs: "tools", send: probeBadParams},
	{name: "an unknown tool", needs: "tools", send: probeUnknownTool},
	{name: "a cancelled request", quick: true, after: true, send: probeCancellation},
	{name: "a line that is not JSON", send: probeBadJSON},
}

// probe starts the server anew and tries the probes, on as many connections as it
// takes: one that dies of a probe, or does not answer it, gets another. The last
// connection but one ends by SIGTERM, the last by SIGKILL. That stdin ends was
// tried before.
func (c *Checkup) probe(ctx context.Context) {
	cfg := c.cfg.Client
	cfg.Era, cfg.ProtocolVersion = client.Legacy, ""
	if c.spoken == mcp.Modern {
		cfg.Era = client.Modern
	}
	cfg.Timeout = func(method string) time.Duration {
		if c.starting { // A server that starts slowly was given that time before.
			return c.cfg.Timeout(method)
		}
		return min(probeWait, c.cfg.Timeout(method))
	}
	var peer *client.Client
	for _, p := range wireProbes {
		if ctx.Err() != nil {
			return
		}
		if peer == nil {
			if peer = c.reconnect(ctx, cfg, toProbe); peer == nil {
				return
			}
		}
		server := peer.Server()
		if p.legacy && server.Era == mcp.Modern || p.needs != "" && !server.Has(p.needs) || p.quick && c.slow {
			continue
		}
		rule, message, err := p.send(ctx, c.prober(peer))
		switch {
		case errors.Is(err, client.ErrClosed) || c.gone():
			if peer = c.without(ctx, cfg, rule, message); peer == nil {
				return
			}
			continue
		case errors.Is(err, client.ErrTimeout):
			peer = nil // What comes next would not be answered either.
			c.noPing = c.noPing || p.name == "ping"
		}
		c.judgeProbe(ctx, p, rule, message, err)
		if p.undeclared && rule == "" && err == nil {
			c.tryUndeclared(ctx, peer)
		}
	}
	c.awaitStreams(ctx)
	c.examine(ctx)
	for i, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if c.child() == nil || ctx.Err() != nil {
			return
		}
		if sig == syscall.SIGKILL || peer == nil || c.gone() {
			if peer = c.reconnect(ctx, cfg, "to see what it does on "+[...]string{"SIGTERM", "SIGKILL"}[i]); peer == nil {
				return
			}
		}
		child := c.child()
		_ = child.Signal(sig) // fails if the server has just exited
		untilEnd(ctx, child.Exited(), signalWait)
	}
}

// without starts the server again after it ended while it was probed, and waits as
// long as it had lived. If it lives without the probe, that is what ended it, and
// the finding of the probe holds. If it ends again, it ends by itself: without
// returns nil.
func (c *Checkup) without(ctx context.Context, cfg client.Config, rule, message string) *client.Client {
	ended, lived := c.conn(), time.Since(c.began)
	peer := c.reconnect(ctx, cfg, endedProbed)
	if peer == nil || ctx.Err() != nil {
		return nil
	}
	age := time.Since(c.began)
	if child := c.child(); child != nil {
		age = child.Age() // Starting a process takes its time on a busy machine.
	}
	if untilEnd(ctx, c.ended(), lived-age); c.gone() {
		fmt.Fprintln(c.cfg.Warn, "the server ends by itself: the other probes are left out")
		return nil
	}
	if rule != "" {
		c.found(rule, message).Conn = ended
	}
	return peer
}

// child is the process of the latest connection; nil for a server at a URL.
func (c *Checkup) child() *transport.Child {
	if conn, ok := c.run.Conn().(*transport.Conn); ok {
		return conn.Child
	}
	return nil
}

// ended is closed when the server of the latest connection has ended.
func (c *Checkup) ended() <-chan struct{} {
	if child := c.child(); child != nil {
		return child.Exited()
	}
	return c.run.Conn().Done()
}

// signalWait is how long a server may take to end on a signal: what the rule
// gives it, and a little for its finding.
const signalWait = 2*time.Second + 200*time.Millisecond

// gone reports whether the server of the latest connection has ended, or its
// stdout has.
func (c *Checkup) gone() bool {
	select {
	case <-c.run.Client().Done():
		return true
	case <-c.ended():
		return true
	default:
		return false
	}
}

// Reasons why a server is started once more, as they are recorded.
const (
	otherEra    = "to try the other era"
	toProbe     = "to probe it with unusual messages"
	endedProbed = "it had ended while it was probed"
)

// reconnect ends the server and starts it again, to be probed, for a reason in words; nil
// where that fails, which is noted.
func (c *Checkup) reconnect(ctx context.Context, cfg client.Config, why string) *client.Client {
	c.hangUp(ctx)
	c.began = time.Now()
	c.starting = true
	peer, err := c.run.Dial(ctx, cfg, why)
	c.starting = false
	c.probes[c.conn()] = true
	if err != nil {
		c.unconnected(ctx, fmt.Errorf("starting it again: %w", err))
		return nil
	}
	return peer
}

// judgeProbe notes what became of a probe.
func (c *Checkup) judgeProbe(ctx context.Context, p wireProbe, rule, message string, err error) {
	switch {
	case ctx.Err() != nil:
	case rule != "":
		c.found(rule, message)
	case errors.Is(err, client.ErrTimeout) && p.after:
		c.found(verdict.ProbeUnanswered.ID, "the server does not respond any more after "+p.name)
	case errors.Is(err, client.ErrTimeout):
		c.found(verdict.ProbeUnanswered.ID, p.name+" was not answered")
	}
}

// answered sorts the outcome of a request that wants an error: the result, nil
// for an error; err is set where neither came.
func answered(reply *client.Reply, failed error) (result json.RawMessage, err error) {
	var answer *client.RPCError
	switch {
	case errors.As(failed, &answer):
		return nil, nil
	case failed != nil:
		return nil, failed
	}
	return reply.Result, nil
}

// probePing leaves the judgement to the rule that knows what a ping brings.
func probePing(ctx context.Context, c prober) (rule, message string, err error) {
	_, err = answered(c.Call(ctx, "ping", nil))
	return "", "", err
}

// probeSetLevel asks for a level that most servers begin with. Whether it is known is
// for the rules.
func probeSetLevel(ctx context.Context, c prober) (rule, message string, err error) {
	_, err = answered(c.Call(ctx, mcp.LoggingSetLevel, json.RawMessage(`{"level":"info"}`)))
	return "", "", err
}

// probeSubscribe subscribes to a resource, and takes it back.
func probeSubscribe(ctx context.Context, c prober) (rule, message string, err error) {
	if !isText(c.uri) {
		return "", "", nil
	}
	params := fmt.Appendf(nil, `{"uri":%s}`, c.uri)
	if _, err = answered(c.Call(ctx, mcp.ResourcesSubscribe, params)); err == nil {
		_, err = answered(c.Call(ctx, mcp.ResourcesUnsubscribe, params))
	}
	return "", "", err
}

// probeUnknownMethod leaves it to the rules whether an error has the right code.
func probeUnknownMethod(ctx context.Context, c prober) (rule, message string, err error) {
	result, err := answered(c.Call(ctx, "wiretea/no-such-method", json.RawMessage(`{}`)))
	if err == nil && result != nil {
		return verdict.UnknownMethodAccepted.ID, fmt.Sprintf("the method wiretea/no-such-method returned a result: %.100s", result), nil
	}
	return "", "", err
}

// probeUnknownNotification wants the server to go on, and say nothing.
func probeUnknownNotification(ctx context.Context, c prober) (rule, message string, err error) {
	if err := c.Notify(ctx, "notifications/wiretea/no-such-notification", nil); err != nil {
		return "", "", err
	}
	return "", "", c.alive(ctx)
}

func probeBadParams(ctx context.Context, c prober) (rule, message string, err error) {
	result, err := answered(c.Call(ctx, "tools/call", json.RawMessage(`{"arguments":{}}`)))
	if err == nil && result != nil && !client.ToolFailed(result) {
		return verdict.BadParamsAccepted.ID, fmt.Sprintf("tools/call without a name returned a result: %.100s", result), nil
	}
	return "", "", err
}

func probeUnknownTool(ctx context.Context, c prober) (rule, message string, err error) {
	result, err := answered(c.Call(ctx, "tools/call", json.RawMessage(`{"name":"wiretea-no-such-tool","arguments":{}}`)))
	if err == nil && result != nil && !client.ToolFailed(result) {
		return verdict.UnknownToolAccepted.ID, fmt.Sprintf("a call of the tool wiretea-no-such-tool returned a result: %.100s", result), nil
	}
	return "", "", err
}

// probeCancellation withdraws a request as soon as it is sent. Whether it is
// answered anyway does not matter; the server must go on.
func probeCancellation(ctx context.Context, c prober) (rule, message string, err error) {
	server := c.Server()
	method := "ping"
	switch {
	case server.Has("tools"):
		method = "tools/list"
	case server.Era == mcp.Modern:
		method = "server/discover"
	}
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	_, err = c.Call(client.WithSent(asking, cancel), method, nil)
	if errors.Is(err, client.ErrClosed) {
		return "", "", err
	}
	return "", "", c.alive(ctx)
}

// probeBadJSON sends half a message on a line of its own.
func probeBadJSON(ctx context.Context, c prober) (broken, message string, err error) {
	if err := c.Send(ctx, []byte(rule.ProbeLine+"\n")); err != nil {
		return "", "", err
	}
	switch err := c.alive(ctx); {
	case errors.Is(err, client.ErrTimeout):
		return verdict.DeafAfterBadJSON.ID, "the server has not responded since it read a line that is not JSON", nil
	case errors.Is(err, client.ErrClosed):
		return verdict.EndsOnBadJSON.ID, "the server closed the connection when it read a line that is not JSON", nil
	default:
		return "", "", err
	}
}

// alive makes a request that the server is known to answer, by whatever it likes.
func (c prober) alive(ctx context.Context) error {
	if c.quick == "" {
		return nil
	}
	_, err := answered(c.Call(ctx, c.quick, nil))
	return err
}

// Covered reports whether a finding is what the probes are about, and told by a
// finding of check's own on the same connection.
func (c *Checkup) Covered(f *session.Finding) bool {
	if !c.probes[f.Conn] {
		return false
	}
	for i := range c.own {
		own := &c.own[i]
		switch {
		case own.Conn != f.Conn:
		case own.Rule == verdict.EndsOnBadJSON.ID && (f.Rule == "server-exited" || f.Rule == "server-exit-on-unknown-method" || f.Rule == "request-never-answered"):
			return true
		case (own.Rule == verdict.DeafAfterBadJSON.ID || own.Rule == verdict.ProbeUnanswered.ID) && (f.Rule == "unanswered-request" || f.Rule == "request-never-answered"):
			return true
		}
	}
	return false
}

// variable is the first variable of a URI template.
var variable = lazy.Regexp{Text: `\{[+#./;?&]?([A-Za-z0-9_]+)[^}]*\}`}

// completable returns the parameters of a completion: for the first argument of a
// prompt, else for the first variable of a template; nil where no list has either.
func completable(items map[string][]json.RawMessage) json.RawMessage {
	for _, prompt := range items[mcp.PromptsList] {
		name := lex.Get(prompt, "name")
		for _, argument := range lex.Items(lex.Get(prompt, "arguments")) {
			if of := lex.Get(argument, "name"); isText(name) && isText(of) {
				return fmt.Appendf(nil, `{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":""}}`, name, of)
			}
		}
	}
	for _, template := range items[mcp.ResourcesTemplatesList] {
		uri := lex.Get(template, "uriTemplate")
		if found := variable.Get().FindStringSubmatch(lex.Unquote(uri)); found != nil && isText(uri) {
			return fmt.Appendf(nil, `{"ref":{"type":"ref/resource","uri":%s},"argument":{"name":%q,"value":""}}`, uri, found[1])
		}
	}
	return nil
}

// isText reports whether a value is a string.
func isText(value []byte) bool { return jsonrpc.TypeOf(value) == jsonrpc.String }

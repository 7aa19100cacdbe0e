package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/verdict/account"
	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/text"
	"wiretea/ui/cli/display"
	"wiretea/ui/cli/flags"
	"wiretea/ui/cli/term"
)

// A caller makes one request in a session of its own:
//
//	start ─► connect ─► request ─► print ─► end the server ─► findings, or why not
//
// The result is printed before the server is ended: nobody waits for that.
type caller struct {
	o    *callOptions
	req  *callRequest
	run  *capture.Run
	out  io.Writer
	errw io.Writer
	wait *term.Waiting

	code      int        // code is the exit code so far.
	listening *listening // listening is the subscription that was made; nil = none.

	fromLog bool         // fromLog: what is printed must be read from the record, once that is whole.
	id      string       // id is that of the last request, empty before.
	pruned  bytes.Buffer // pruned is what is to be said of recordings that were removed; prepare writes it.
}

// run is all of call.
func (o *callOptions) run(cmd *cobra.Command, words []string) error {
	if err := term.LimitSettings(cmd); err != nil {
		return err
	}
	if err := o.check(cmd); err != nil {
		return err
	}
	// A file of parameters may be a pipe.
	req, err := atomicfile.Within(cmd.Context(), func() (*callRequest, error) { return parseRequest(words, cmd.InOrStdin()) })
	if err != nil {
		return err
	}
	o.listenFor = listenLimit(cmd, req.about())
	errw := cmd.ErrOrStderr()
	c := &caller{o: o, req: req, out: cmd.OutOrStdout(), errw: errw, wait: term.NewWaiting(errw)}
	defer c.wait.Stop()
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	if o.Client.Identity.Elicitation == "accept" {
		cfg.Client.Form = c.sayingNo(cfg.Client.Form)
	}
	if req.kind == callGreeting {
		cfg.Client.Era = map[string]client.EraChoice{"initialize": client.Legacy, "server/discover": client.Modern}[req.method]
	}
	cfg.Warn, cfg.Meanwhile, cfg.Slow = errw, c.prepare, c.slow
	if c.run, err = capture.New(cfg); err != nil {
		return o.Record.Failure(err)
	}
	return c.play(cmd.Context(), cfg.Client)
}

// sayingNo has it said, the first time, that a form was declined which was to be
// accepted: the server tells only what it made of that.
func (c *caller) sayingNo(ask client.Asker) client.Asker {
	var once sync.Once
	return client.AskerFunc(func(ctx context.Context, q client.Question) client.Answer {
		answer := ask.Ask(ctx, q)
		if bytes.Equal(answer.Result, client.Decline().Result) {
			once.Do(func() {
				c.wait.Say(c.errw, term.Visible("wiretea: elicitation declined: its form needs more than defaults: "+q.Elicitation().Message)+
					"\n  hint: --elicitation FILE gives answers")
			})
		}
		return answer
	})
}

// slow says that an answer takes its time.
func (c *caller) slow(w capture.Wait) {
	c.wait.Until(w.Limit)
	c.wait.Say(c.errw, "wiretea: "+display.WaitWords(w))
}

// prepare does, while the server starts, what would else be done at the end of the session:
// who calls waits for that.
func (c *caller) prepare() error {
	c.o.Record.Prune(&c.pruned)
	return nil
}

// play makes the request, ends the session and says what is to be said of it.
func (c *caller) play(ctx context.Context, cfg client.Config) error {
	why := c.talk(ctx, cfg)
	c.wait.Stop()
	end := "eof"
	switch {
	case ctx.Err() != nil:
		end = "quit"
	case why != nil:
		end = "error"
	}
	// What is written outlives this process; the disk need not have it before the
	// user goes on.
	c.run.Expedite()
	fault := c.run.Close(ctx, end)
	s := c.run.Snapshot()
	var printed error
	if c.fromLog && why == nil {
		printed = c.printRecorded(s)
	}
	if errors.As(why, new(*outputError)) {
		why, printed = nil, why
	} else if err := c.listening.rest(ctx); err != nil {
		printed = err
	}
	c.conclude(ctx, s, why)
	fault = errors.Join(fault, c.run.Release())
	if c.run.Conn() == nil {
		_ = c.prepare() // there was no server
	}
	_, _ = c.pruned.WriteTo(c.errw)
	if fault != nil {
		fmt.Fprintf(c.errw, "wiretea: %v\n", fault)
	}
	if printed != nil {
		return printed
	}
	return term.Silently(c.code)
}

// talk connects and makes the request. It returns why there is no result.
func (c *caller) talk(ctx context.Context, cfg client.Config) error {
	var peer *client.Client
	var err error
	c.wait.Begin("connecting")
	// It may take the place of the handshake.
	if method := c.req.about(); c.req.kind != callGreeting && (method == mcp.Initialize || method == mcp.ServerDiscover) {
		peer, err = c.run.Open(cfg)
	} else {
		peer, err = c.run.Connect(ctx)
	}
	switch {
	case err != nil && peer != nil:
		return fmt.Errorf("--log-level: %w", err)
	case err != nil:
		if answer := (*client.RPCError)(nil); c.req.kind == callGreeting && errors.As(err, &answer) {
			return answer // it is the answer that was asked for
		}
		return &account.NoConnection{Err: err}
	}
	c.wait.Begin(c.req.title())
	return c.request(ctx, peer)
}

// request makes the request as often as wanted, and prints.
func (c *caller) request(ctx context.Context, peer *client.Client) error {
	if c.req.kind == callTool || c.req.kind == callPrompt {
		if err := c.compose(ctx, peer); err != nil {
			return err
		}
	}
	switch {
	case c.o.repeat > 1:
		return c.measure(ctx, peer)
	case c.req.listens():
		return c.listen(ctx, peer)
	}
	switch c.req.kind {
	case callGreeting:
		c.fromLog = true
		return nil
	case callList:
		return c.list(ctx, peer)
	case callMessage:
		reply, err := peer.CallRaw(ctx, c.req.params)
		return c.took(reply, err)
	default:
		if client.IsNotification(c.req.method) {
			return peer.Notify(ctx, c.req.method, c.req.params)
		}
		reply, err := peer.Do(ctx, c.req.method, c.req.params, c.options())
		return c.took(reply, err)
	}
}

// options are what is wanted besides the result.
func (c *caller) options() client.Options {
	var opts client.Options
	switch {
	case c.wait.W != nil:
		opts.Progress = func(p client.Progress) { c.wait.Progress(p.Progress, p.Total, p.Message) }
	case c.o.progress:
		opts.Progress = func(p client.Progress) {
			fmt.Fprintln(c.errw, strings.TrimRight("progress: "+term.ProgressBar(p.Progress, p.Total)+" "+term.Visible(p.Message), " "))
		}
	}
	if c.o.Client.LogLevel != "" {
		opts.Log = func(m client.LogMessage) { c.wait.Say(c.errw, logLine(m)) }
	}
	if c.asTask() {
		opts.Task = &client.TaskOptions{TTL: c.o.ttl, Status: func(t client.Task) { c.wait.Begin(term.TaskLine(c.req.title(), t)) }}
	}
	return opts
}

// asTask reports whether the request is to be run as a task.
func (c *caller) asTask() bool {
	return c.o.task || capture.WantsTask(recorder.Request{Method: c.req.method, Params: c.req.params})
}

// logLine is a log message of the server on one line.
func logLine(m client.LogMessage) string {
	line := "log: " + m.Level
	if m.Logger != "" {
		line += " " + m.Logger
	}
	var text string
	if json.Unmarshal(m.Data, &text) != nil {
		text = string(m.Data)
	}
	return term.Visible(line + ": " + text)
}

// list prints all pages of a list as one.
func (c *caller) list(ctx context.Context, peer *client.Client) error {
	all, err := peer.List(ctx, c.req.method)
	if err != nil && !errors.Is(err, client.ErrCursorLoop) && !errors.Is(err, client.ErrPageLoop) && !errors.Is(err, client.ErrTooManyPages) {
		return err
	}
	c.wait.Stop()
	items := []byte{'['}
	for i, item := range all.Items {
		if i > 0 {
			items = append(items, ',')
		}
		items = append(items, item...)
	}
	written := c.printList(all.Items, lex.AppendObject(nil, lex.Member{Name: c.req.key, Value: append(items, ']')}))
	if err != nil {
		c.complain(term.ExitFound, err.Error(), "the list above is incomplete; the server must return each cursor once, and no nextCursor on the last page")
	}
	return written
}

// took prints what came back. A reply of nil is not a fault: nothing was asked.
func (c *caller) took(reply *client.Reply, err error) error {
	if reply != nil && len(reply.Legs) > 0 {
		c.id = reply.Legs[len(reply.Legs)-1].ID
	}
	switch {
	case errors.Is(err, client.ErrTooLong):
		c.fromLog = true
		return nil
	case err != nil:
		if answer := (*client.RPCError)(nil); c.o.raw && errors.As(err, &answer) {
			c.fromLog = true
			c.code = term.ExitFound
			return nil
		}
		return err
	case reply == nil:
		return nil
	case c.o.raw:
		c.fromLog = true
		return nil
	}
	c.wait.Stop()
	return c.printResult(reply.Result)
}

// complain says something of the result that makes the exit code.
func (c *caller) complain(code int, text, hint string) {
	c.code = max(c.code, code)
	fmt.Fprintf(c.errw, "wiretea: %s\n", term.Visible(text))
	if hint != "" {
		fmt.Fprintf(c.errw, "  hint: %s\n", hint)
	}
}

// exitCodes are those of the outcomes of an account.
var exitCodes = [...]int{
	account.Answered: term.ExitFine, account.Refused: term.ExitFound, account.Misused: term.ExitUsage,
	account.ServerFailed: term.ExitServer, account.TimedOut: term.ExitTimeout, account.Interrupted: term.ExitInterrupted,
}

// conclude says why there is no result, and what was found.
func (c *caller) conclude(ctx context.Context, s *session.Snapshot, why error) {
	errw, colour := term.Painted(c.errw)
	request := c.req.request()
	request.Task = c.asTask()
	a := account.Of(ctx, account.Session{Snapshot: s, Log: c.run.Log()}, request, why)
	c.code = max(c.code, exitCodes[a.Outcome])
	if a.Failed {
		c.code = max(c.code, term.ExitFound)
	}
	for _, line := range a.Lines {
		fmt.Fprintln(errw, line)
	}
	if c.o.quiet {
		return
	}
	for i := range a.Findings {
		fmt.Fprintln(errw, findingLine(&a.Findings[i], colour))
	}
	if path := c.run.FinalPath(); path != "" && (!a.Whole || len(a.Findings) > 0) {
		fmt.Fprintf(c.errw, "recorded: %s\n", path)
	}
	flags.ReportLoss(c.run, c.errw)
}

// findingLine is a finding on one line: what is wrong, and how to mend it.
func findingLine(f *session.Finding, colour bool) string {
	sign, paint := "⚠", "33"
	if f.Severity == session.Error {
		sign, paint = "✖", "31"
	}
	head := sign + " " + f.Rule
	if f.N > 0 {
		head += fmt.Sprintf(" #%d", f.N)
	}
	if colour {
		head = "\x1b[" + paint + "m" + head + "\x1b[m"
	}
	line := head + "  " + term.Visible(f.Message)
	if f.Repeated() {
		line += fmt.Sprintf(" (%s times)", text.Count(int64(f.Count)))
	}
	if f.Hint != "" {
		line += "; to mend it: " + term.Visible(f.Hint)
	}
	return line
}

// request is the request for an account.
func (r *callRequest) request() *account.Request {
	return &account.Request{Title: r.title(), Method: r.method, Bare: r.kind == callMethod && r.params == nil, Open: r.open, Forms: formWords()}
}

// title is the request in a few words.
func (r *callRequest) title() string {
	switch {
	case r.kind == callMessage:
		return "the message"
	case r.name != "":
		return r.method + " " + r.name
	}
	return r.method
}

// resultOf returns the result, or the error, in the text of a response.
func resultOf(response []byte) (part json.RawMessage, failed bool) {
	jsonrpc.Scan(response, func(m *jsonrpc.Message) {
		at := m.Result
		if failed = m.Kind == jsonrpc.Error; failed {
			at = m.Error
		}
		part = at.In(response)
	})
	return part, failed
}

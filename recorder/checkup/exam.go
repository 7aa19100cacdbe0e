package checkup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session/client"
	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// An exam is the probes of one server, one step after the other.
type exam struct {
	*Doctor
	conn    *trips.Conn
	version mcp.Version // version is that which was agreed on.
	name    string      // name is the version as the server wrote it.

	step    *verdict.Step // step is the one under way.
	number  int           // number is its connection.
	key     string        // key is the session of the step; empty = there is none.
	begun   []string      // begun are sessions that the step has begun besides.
	at      *url.URL      // at is where it was begun; nil for the Remote's URL.
	id      int           // id is that of the latest request.
	bare    bool          // bare: no credentials of the user's are sent.
	served  bool          // served: a step before has shown that the server takes a second client.
	sse     bool          // sse: the transport is HTTP+SSE of 2024-11-05.
	denied  http.Header   // denied is the header of the 401 to a handshake; nil = there was none.
	logins  []string      // logins are the authorization servers that the metadata names, as they are written there.
	unnamed bool          // unnamed: the server has no metadata at the places where clients look.
	list    string        // list is a list that the server has, tools/list; empty = there is none.
}

// examine makes steps, each on a connection of its own.
func (e *exam) examine(ctx context.Context, steps []exercise) {
	for _, x := range steps {
		if ctx.Err() != nil {
			return
		}
		s := verdict.Step{Name: x.name, Conn: e.conn.Fresh()}
		e.step, e.number, e.key, e.at = &s, s.Conn, "", nil
		e.ours[s.Conn] = true
		if err := x.try(e, ctx); err != nil && ctx.Err() == nil {
			s.State, s.Text = verdict.Skipped, err.Error()
		}
		e.leave(ctx)
		for _, e.key = range e.begun {
			e.leave(ctx)
		}
		e.begun = nil
		if ctx.Err() == nil {
			e.probes = append(e.probes, s)
		}
	}
}

// An exercise is a step of an exam. The error is why there was nothing to see.
type exercise struct {
	name string
	try  func(e *exam, ctx context.Context) error
}

// ask makes a request, and adds its time to that of the step.
func (e *exam) ask(ctx context.Context, q *trips.Request) (*trips.Response, error) {
	limited, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	q.Anonymous = q.Anonymous || e.bare
	r, err := e.conn.Try(limited, e.number, q)
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return nil, errSilent
	case err != nil:
		return nil, err
	}
	e.step.Took += r.Took
	if r.Status == http.StatusTooManyRequests {
		return nil, errBusy
	}
	return r, nil
}

// errSilent is the error of a request that has no answer.
var errSilent error = silentError{}

type silentError struct{}

func (silentError) Error() string { return fmt.Sprintf("no answer within %v", stepWait) }

var errBusy = errors.New("429: the server has had enough requests")

// hello is the first message of a client of that era: initialize, or server/discover.
func (e *exam) hello(era mcp.Era, version string) []byte {
	e.id++
	if era == mcp.Modern {
		return modern(e.id, mcp.ServerDiscover, version, "")
	}
	return jsonrpc.AppendRequest(nil, strconv.Itoa(e.id), mcp.Initialize,
		fmt.Appendf(nil, `{"protocolVersion":%s,"capabilities":{},"clientInfo":{"name":"wiretea","version":%s}}`, lex.Quote(version), lex.Quote(recorder.Version)))
}

// modern is a request of the modern era, with the members of its parameters; empty = it has
// none of its own.
func modern(id int, method, version, members string) []byte {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":%s,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"wiretea","version":%s}}`
	if members != "" {
		members += ","
	}
	return jsonrpc.AppendRequest(nil, strconv.Itoa(id), method, fmt.Appendf(nil, `{%s`+meta+`}`, members, lex.Quote(version), lex.Quote(recorder.Version)))
}

// word is what greet does: the method of hello, or of HTTP.
func (e *exam) word() string {
	if e.sse {
		return http.MethodGet
	}
	if e.version.Era() == mcp.Modern {
		return mcp.ServerDiscover
	}
	return mcp.Initialize
}

// greet posts hello with these fields, and keeps the session that it begins.
func (e *exam) greet(ctx context.Context, with http.Header) (*trips.Response, error) {
	return e.greetAt(ctx, &trips.Request{Header: with})
}

func (e *exam) greetAt(ctx context.Context, q *trips.Request) (*trips.Response, error) {
	if e.sse {
		return e.open(ctx, q, nil)
	}
	q.Method, q.Body = http.MethodPost, e.hello(e.version.Era(), e.name)
	e.leave(ctx)
	r, err := e.ask(ctx, q)
	if err == nil && r.Accepted() {
		e.key, e.at = r.Header.Get(mcp.SessionHeader), q.URL
	}
	return r, err
}

// leave ends the session that greet has begun.
func (e *exam) leave(ctx context.Context) {
	if e.key != "" {
		_, _ = e.remove(ctx)
	}
}

// remove ends the session of the step by DELETE.
func (e *exam) remove(ctx context.Context) (*trips.Response, error) {
	h := e.in(e.key)
	e.key = ""
	return e.ask(ctx, &trips.Request{Method: http.MethodDelete, URL: e.at, Header: h})
}

// in are the fields of a request in a session.
func (e *exam) in(key string) http.Header {
	h := http.Header{mcp.VersionHeader: {e.name}}
	if key != "" {
		h.Set(mcp.SessionHeader, key)
	}
	return h
}

// session begins a session, says that its client is ready, and makes sure that the server
// answers in it. The error is why there is none.
func (e *exam) session(ctx context.Context) error {
	if err := e.second(ctx); err != nil {
		return err
	}
	r, err := e.greet(ctx, nil)
	switch {
	case err != nil:
		return err
	case !r.Accepted():
		return fmt.Errorf("another session was refused: %s", outcome(r))
	}
	if _, err = e.ask(ctx, &trips.Request{Method: http.MethodPost, Header: e.in(e.key), Body: jsonrpc.AppendRequest(nil, "", mcp.InitializedNotification, nil)}); err != nil {
		return err
	}
	if r, err = e.ping(ctx, nil, e.in(e.key)); err == nil && !r.Accepted() {
		err = fmt.Errorf("ping in a session that has just begun is refused (%s), so that this shows nothing", outcome(r))
	}
	return err
}

// ping posts a request that every server answers, with these fields, to an endpoint; nil is
// the server's URL.
func (e *exam) ping(ctx context.Context, endpoint *url.URL, with http.Header) (*trips.Response, error) {
	e.id++
	return e.ask(ctx, &trips.Request{Method: http.MethodPost, URL: endpoint, Header: with, Body: jsonrpc.AppendRequest(nil, strconv.Itoa(e.id), mcp.Ping, nil)})
}

// second makes sure, once, that the server takes a second client, without which the
// probes would show nothing. The error says that it does not.
func (e *exam) second(ctx context.Context) error {
	if e.served {
		return nil
	}
	r, err := e.greet(ctx, nil)
	switch {
	case err != nil:
		return err
	case !r.Accepted():
		return fmt.Errorf("a second client is refused (%s), so that this shows nothing", outcome(r))
	}
	e.served = true
	return nil
}

// passed notes that all is well.
func (e *exam) passed(format string, args ...any) error {
	e.step.State, e.step.Text = verdict.Passed, fmt.Sprintf(format, args...)
	return nil
}

// failed notes a finding of a rule.
func (e *exam) failed(rule, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	e.step.State, e.step.Text, e.step.Rule = verdict.Failed, text, rule
	e.find(rule, e.version, e.number, text)
	return nil
}

// skipped notes what was seen, and that it is not a fault.
func (e *exam) skipped(format string, args ...any) error {
	e.step.State, e.step.Text = verdict.Skipped, fmt.Sprintf(format, args...)
	return nil
}

// outcome is what a response is, in a few words.
func outcome(r *trips.Response) string {
	switch {
	case r.RPC != nil:
		return fmt.Sprintf("%d, error %d", r.Status, r.RPC.Code)
	case r.Status/100 == 2 && r.Result == nil && r.Type != "":
		return fmt.Sprintf("%d, %s", r.Status, r.Type)
	}
	return fmt.Sprint(r.Status)
}

// sibling is the URL with the slash at the end of its path added or removed; nil where the
// path is only that.
func sibling(u *url.URL) *url.URL {
	other := *u
	other.RawPath = ""
	switch n := len(u.Path); {
	case n < 2:
		return nil
	case u.Path[n-1] == '/':
		other.Path = u.Path[:n-1]
	default:
		other.Path += "/"
	}
	return &other
}

// refusal is the response that a handshake ended with; nil where that is not the reason.
func refusal(err error) *client.HTTPError {
	refused, _ := errors.AsType[*client.HTTPError](err)
	if refused == nil || refused.Status == 0 {
		return nil
	}
	return refused
}

package checkup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiretea/recorder/verdict"
	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// rounds is how often the requests of responses are made: a mix-up needs the right moment.
const rounds = 4

// An asking is one of several requests that are made at the same time.
type asking struct {
	who    int // who asks: the first client, or the second.
	key    string
	id     int
	method string
	tool   string // tool is the name of a tool that is called, which no server has; empty = none is.
	answer *trips.Response
	err    error
}

// calling is a call of a tool that no server has: its error response names the tool with
// most servers, which tells whose it is, and nothing is done for it.
func (a asking) calling() *asking {
	a.method, a.tool = mcp.ToolsCall, fmt.Sprintf("wiretea-no-such-tool-%d-%d", a.who+1, a.id)
	return &a
}

// body is the request.
func (a *asking) body(e *exam) []byte {
	params := ""
	if a.tool != "" {
		params = fmt.Sprintf(`"name":%s,"arguments":{}`, lex.Quote(a.tool))
	}
	if e.version.Era() == mcp.Modern {
		return modern(a.id, a.method, e.name, params)
	}
	if params != "" {
		params = "{" + params + "}"
	}
	return jsonrpc.AppendRequest(nil, strconv.Itoa(a.id), a.method, []byte(params))
}

// responses looks whether each of several requests at the same time, of two clients with the
// same ids, gets its own response: a server that keeps one transport for all clients, or
// finds the stream of a response by the bare id, gives one client what another asked for.
func (e *exam) responses(ctx context.Context) error {
	keys, err := e.twoClients(ctx)
	if err != nil {
		return err
	}
	short := mcp.Ping
	if e.version.Era() == mcp.Modern {
		short = mcp.ServerDiscover
	}
	methods := []string{short, short}
	if e.list != "" {
		methods[1] = e.list
	}
	answered := 0
	for round := range rounds {
		e.id += 2
		all := []*asking{
			{who: 0, key: keys[0], id: e.id - 1, method: methods[0]}, {who: 0, key: keys[0], id: e.id, method: methods[1]},
			{who: 1, key: keys[1], id: e.id - 1, method: methods[1]}, {who: 1, key: keys[1], id: e.id, method: methods[0]},
		}
		if e.list == mcp.ToolsList && round%2 == 1 {
			for i, a := range all {
				all[i] = a.calling()
			}
		}
		if err := e.together(ctx, all); err != nil {
			return err
		}
		if text := mixedUp(all); text != "" {
			return e.failed("http-response-wrong-exchange", "%s", text)
		}
		for _, a := range all {
			if a.answer.Result != nil || a.answer.RPC != nil {
				answered++
			}
		}
	}
	if answered < 4*rounds {
		return e.skipped("%d of %d requests of 2 clients, 4 at the same time, were answered, each on its own exchange", answered, 4*rounds)
	}
	return e.passed("%d requests of 2 clients, 4 at the same time, were each answered on their own exchange", answered)
}

// twoClients begins two sessions, and returns their ids; empty where there are none.
func (e *exam) twoClients(ctx context.Context) (keys [2]string, err error) {
	for i := range keys {
		switch {
		case e.version.Era() == mcp.Modern:
			err = e.second(ctx)
		default:
			err = e.session(ctx)
		}
		if err != nil {
			return keys, err
		}
		if keys[i], e.key = e.key, ""; keys[i] != "" {
			e.begun = append(e.begun, keys[i])
		}
	}
	return keys, nil
}

// together makes requests at the same time.
func (e *exam) together(ctx context.Context, all []*asking) error {
	limited, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	began := time.Now()
	var asked sync.WaitGroup
	for _, a := range all {
		asked.Go(func() {
			a.answer, a.err = e.conn.Try(limited, e.number, &trips.Request{Method: http.MethodPost, Header: e.in(a.key), Body: a.body(e)})
		})
	}
	asked.Wait()
	e.step.Took += time.Since(began)
	for _, a := range all {
		switch {
		case limited.Err() != nil && ctx.Err() == nil:
			return fmt.Errorf("requests at the same time: no answer within %v", stepWait)
		case a.err != nil:
			return fmt.Errorf("requests at the same time: %w", a.err)
		case a.answer.Status == http.StatusTooManyRequests:
			return errBusy
		case a.answer.Status/100 != 2 && (a.tool == "" || a.answer.RPC == nil):
			return fmt.Errorf("%s at the same time as others is refused (%s), so that this shows nothing", a.method, outcome(a.answer))
		}
	}
	return nil
}

// mixedUp says which request got what answers another one; empty for none.
func mixedUp(all []*asking) string {
	for _, a := range all {
		id, err := strconv.Atoi(string(lex.Get(a.answer.Text, "id")))
		for _, other := range all {
			switch {
			case other == a || err != nil || id != other.id:
			case a.id != id && other.who == a.who:
				return fmt.Sprintf("%s %d was answered with the response to %s %d, a request at the same time", a.method, a.id, other.method, id)
			case a.id == id && other.who != a.who && a.of(other):
				return fmt.Sprintf("%s %d of one client was answered with the response to %s %d of another client", a.method, a.id, other.method, id)
			}
		}
	}
	return ""
}

// of reports whether the answer is told to be another request's, and not its own: by the
// name of a tool, or by the member that only the result of a method has.
func (a *asking) of(other *asking) bool {
	if a.tool != "" {
		return bytes.Contains(a.answer.Text, []byte(other.tool)) && !bytes.Contains(a.answer.Text, []byte(a.tool))
	}
	return a.has(other.method) && !a.has(a.method)
}

// has reports whether the answer has the member that only the result of a method has; the
// result of ping has none.
func (a *asking) has(method string) bool {
	member, ok := strings.CutSuffix(method, "/list")
	if method == mcp.ServerDiscover {
		member, ok = "supportedVersions", true
	}
	return ok && lex.Get(a.answer.Result, member) != nil
}

// getStream looks whether a session has a GET stream, which a server need not offer.
func (e *exam) getStream(ctx context.Context) error {
	if e.version.Era() == mcp.Modern {
		return e.skipped("%s has no GET stream", e.version)
	}
	if err := e.session(ctx); err != nil {
		return err
	}
	e.step.Took = 0
	r, err := e.ask(ctx, &trips.Request{Method: http.MethodGet, Header: e.in(e.key)})
	switch {
	case errors.Is(err, errSilent):
		return e.skipped("no head of a response within %v: clients wait for it; a proxy that holds streams back does this", stepWait)
	case err != nil:
		return err
	case r.Status == http.StatusOK && r.Type == eventStream:
		return e.passed("opened")
	case r.Status == http.StatusMethodNotAllowed:
		return e.passed("not offered (405)")
	case r.Status/100 != 2:
		return e.skipped("refused (%s)", outcome(r))
	}
	_ = e.skipped("GET in a session was answered %s, must be an event stream or 405", outcome(r))
	e.step.State, e.step.Rule = verdict.Failed, "http-get-status" // The GET of the session before the probes has the finding.
	return nil
}

// eventStream is the media type of an event stream.
const eventStream = "text/event-stream"

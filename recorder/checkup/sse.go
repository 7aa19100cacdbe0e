package checkup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	trips "wiretea/session/client/http"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// streamExercises are the probes of a server of HTTP+SSE, the transport of 2024-11-05: a GET
// opens a stream, whose first event is the URL that messages are posted to.
var streamExercises = []exercise{
	{"endpoint", (*exam).endpointEvent},
	{"host", (*exam).host},
	{"origin", (*exam).origin},
	{"bind", (*exam).bind},
	{"message", (*exam).message},
	{"session wrong", (*exam).endpointWrong},
	{"session over", (*exam).endpointOver},
	{"eras", (*exam).streamable},
	{"anonymous", (*exam).anonymous},
	{"cors", (*exam).cors},
}

// errNoEndpoint is the error of a stream that begins in another way than it must.
var errNoEndpoint = errors.New("the stream has not begun with an endpoint of the same origin")

// open opens a stream, and calls during, unless that is nil, while it is open. The response
// counts as accepted if the stream begins with the endpoint; its Result is then the path.
func (e *exam) open(ctx context.Context, q *trips.Request, during func(endpoint *url.URL)) (*trips.Response, error) {
	at := e.remote.URL()
	if q.URL != nil {
		at = q.URL
	}
	var path []byte
	q.Method, q.Body = http.MethodGet, nil
	q.First = func(name string, data []byte) {
		to, err := at.Parse(strings.TrimSpace(string(data)))
		if name != "endpoint" || err != nil || to.Scheme != at.Scheme || to.Host != at.Host {
			return
		}
		path = []byte(lex.Quote(to.EscapedPath()))
		if during != nil {
			during(to)
		}
	}
	r, err := e.ask(ctx, q)
	if err == nil {
		r.Result = path
	}
	return r, err
}

// inStream opens a stream, and posts ping to what URL makes of its endpoint while it is open.
func (e *exam) inStream(ctx context.Context, at func(endpoint *url.URL) *url.URL) (*trips.Response, error) {
	var r *trips.Response
	err := errNoEndpoint
	if _, opened := e.open(ctx, &trips.Request{}, func(endpoint *url.URL) {
		if endpoint = at(endpoint); endpoint == nil {
			err = errors.New("the endpoint names no session")
			return
		}
		e.step.Took = 0
		r, err = e.ping(ctx, endpoint, nil)
	}); opened != nil {
		return nil, opened
	}
	return r, err
}

// endpointEvent looks how a stream begins.
func (e *exam) endpointEvent(ctx context.Context) error {
	r, err := e.open(ctx, &trips.Request{}, nil)
	switch {
	case err != nil:
		return err
	case !r.Accepted():
		return fmt.Errorf("%w (%s)", errNoEndpoint, outcome(r))
	}
	return e.passed("messages are posted to %s", lex.Unquote(r.Result))
}

// message looks what a message is answered, whose response comes on the stream.
func (e *exam) message(ctx context.Context) error {
	r, err := e.inStream(ctx, func(endpoint *url.URL) *url.URL { return endpoint })
	switch {
	case err != nil:
		return err
	case r.Status/100 != 2:
		return e.skipped("ping at the endpoint was answered %s", outcome(r))
	}
	return e.passed("ping at the endpoint was answered %d", r.Status)
}

// endpointWrong looks what is answered to a message for a session that the server does not
// know.
func (e *exam) endpointWrong(ctx context.Context) error {
	r, err := e.inStream(ctx, func(endpoint *url.URL) *url.URL {
		if endpoint.RawQuery == "" {
			return nil
		}
		wrong := *endpoint
		values := wrong.Query()
		for name := range values {
			values.Set(name, rand.Text())
		}
		wrong.RawQuery = values.Encode()
		return &wrong
	})
	return e.toldOver(r, err, "a session that the server never issued")
}

// endpointOver looks what is answered to a message for a session whose stream has ended.
func (e *exam) endpointOver(ctx context.Context) error {
	var was *url.URL
	_, err := e.open(ctx, &trips.Request{}, func(endpoint *url.URL) { was = endpoint })
	switch {
	case err != nil:
		return err
	case was == nil:
		return errNoEndpoint
	}
	// The server may take a while to notice that its stream was closed.
	for until, pause := time.Now().Add(stepWait), 10*time.Millisecond; ; pause *= 2 {
		e.step.Took = 0
		r, err := e.ping(ctx, was, nil)
		if err != nil || r.Status/100 != 2 || time.Until(until) < pause {
			return e.toldOver(r, err, "a session whose stream was closed")
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// toldOver words the answer to a message that nobody can receive the response of.
func (e *exam) toldOver(r *trips.Response, err error, what string) error {
	switch {
	case errors.Is(err, errSilent):
		return e.skipped("a message for %s is not answered within %v", what, stepWait)
	case err != nil:
		return err
	case r.Status/100 == 2:
		return e.skipped("a message for %s was accepted (%d)", what, r.Status)
	}
	return e.passed("a message for %s is refused (%s)", what, outcome(r))
}

// streamable looks whether the URL serves Streamable HTTP too.
func (e *exam) streamable(ctx context.Context) error {
	r, err := e.ask(ctx, &trips.Request{Method: http.MethodPost, Body: e.hello(mcp.Legacy, mcp.LatestLegacy.String())})
	switch {
	case err != nil:
		return err
	case r.Accepted():
		e.key = r.Header.Get(mcp.SessionHeader)
		return e.passed("HTTP+SSE, and Streamable HTTP too")
	}
	return e.passed("HTTP+SSE only: initialize by POST was answered %s", outcome(r))
}

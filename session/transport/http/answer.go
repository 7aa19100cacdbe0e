package http

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"wiretea/session"
)

const (
	answerWait  = 10 * time.Second // answerWait is how long the server may take for an answer to its refused request.
	answerGrace = 2 * time.Second  // answerGrace is how long Close waits for it.
)

// answerServer answers a request of the server that the client does not get, in a round trip
// of its own. It outlives the one that brought the request: the client may leave before the
// server has its answer.
func (f *forward) answerServer(to *url.URL, text []byte, d session.Decided) {
	header := f.r.Header.Clone()
	removeHopByHop(header)
	for _, name := range []string{"Mcp-Method", "Mcp-Name", "Last-Event-Id", "Content-Length"} {
		header.Del(name)
	}
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, "+eventStream)
	f.post(to, header, text, d, nil)
}

// post sends a message to the server in a round trip of its own, turnGap after a channel was
// closed; nil = at once.
func (f *forward) post(to *url.URL, header http.Header, text []byte, d session.Decided, after <-chan struct{}) {
	t := f.log().begin(&session.HTTPEvent{Conn: f.conn, Method: http.MethodPost, Proto: "HTTP/1.1", Ours: true}, to, header, nil)
	t.decided(&t.sent, session.C2S, session.WayOut, d, text)
	t.SentAll()
	out := &http.Request{Method: http.MethodPost, URL: to, Host: f.host(), Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(text)), Body: io.NopCloser(bytes.NewReader(text))}
	p := f.p
	p.answers.Go(func() {
		if after != nil {
			p.follow(after)
		}
		ctx, cancel := context.WithTimeout(p.answering, answerWait)
		defer cancel()
		switch err := p.deliver(out.WithContext(ctx), t); {
		case err == nil:
			t.End("eof", nil)
		case p.answering.Err() != nil:
			t.End("wiretea", nil)
		case ctx.Err() != nil:
			t.End("timeout", nil)
		default:
			t.Failed(err)
			t.End("server", nil)
		}
	})
}

// follow waits until turnGap after a channel was closed, or until Close does not wait any longer.
func (p *Proxy) follow(after <-chan struct{}) {
	select {
	case <-after:
	case <-p.answering.Done():
	}
	select {
	case <-time.After(turnGap):
	case <-p.answering.Done():
	}
}

// deliver sends a request of the proxy's own. The response is only recorded.
func (p *Proxy) deliver(out *http.Request, t *TripRecorder) error {
	res, err := p.transport.RoundTrip(out)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	t.response(&session.HTTPEvent{Status: res.StatusCode, Proto: res.Proto}, res.Header)
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxWhole))
	t.Received(answer)
	return err
}

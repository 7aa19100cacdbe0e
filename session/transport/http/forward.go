package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"wiretea/session"
)

// hopByHop are the fields that belong to one connection, besides those that Connection
// names: RFC 9110 §7.6.1.
var hopByHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade"}

// A forward is one round trip through the proxy.
type forward struct {
	p      *Proxy
	w      http.ResponseWriter
	r      *http.Request
	target target
	query  request
	conn   int
	trip   *TripRecorder
	body   upload
	lost   bool // lost: the client went away while the response was written.

	// What follows is used by a Carrier.
	waits func() // waits is called when the request is to be sent later, or not at all; nil = nothing is.
	err   error  // err is what has broken the round trip.

	// What follows is used where a Judge decides.
	judged     bool           // judged: it decides on this round trip.
	ruling     session.Ruling // ruling is what became of the request's body.
	mark       int64          // mark is that of the body in the record.
	batch      bool           // batch: the body is a batch.
	unreadable bool           // unreadable: it cannot be decided on, and is denied.
	by         string         // by is the fault that ended the round trip; empty = none has.
	reset      bool           // reset: that fault resets the client's connection.
	written    chan struct{}  // written is closed when the request was sent, or never will be; nil = nobody waits for that.
	writing    sync.Once      // writing closes it.
}

// ServeHTTP forwards one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.handlers.Add(1)
	defer p.handlers.Done()
	f := &forward{p: p, w: w, r: r, query: requestOf(r.Method, r.Header)}
	if !f.standing() {
		p.busy.Add(1)
		defer p.busy.Add(-1)
	}
	if r.Method == http.MethodConnect {
		w.Header().Set("Allow", "GET, POST, DELETE")
		f.refuse(http.StatusMethodNotAllowed, "it opens no tunnels")
		return
	}
	if why := p.guard.refusal(r); why != "" {
		f.refuse(http.StatusForbidden, why)
		return
	}
	if f.target = p.router.route(r.URL); f.target.up == nil {
		why := "no server has this path"
		if p.router.secret != "" {
			why += "; the paths begin with the random segment that wiretea proxy printed at its start"
		}
		f.refuse(http.StatusNotFound, why)
		return
	}
	f.serve()
}

// serve forwards the request to its target.
func (f *forward) serve() {
	f.body.f = f
	f.identify()
	f.judged = f.target.up.judges()
	defer f.body.end()
	defer f.sent()
	if err := f.receive(); err != nil {
		if f.p.inner || f.r.ProtoMajor != 1 || isLost(err) || f.r.Context().Err() != nil {
			f.broken(err)
		}
		f.w.Header().Set("Connection", "close")
		f.answerRefusal(http.StatusBadRequest, fmt.Sprintf("the request's body cannot be read: %v", err))
		return
	}
	if f.breakRequest() {
		return
	}
	if f.refused() {
		f.answerRefused()
		return
	}
	f.carry()
}

// receive begins the round trip and reads its body, as far as that is read before the
// server gets the request. Where the head does not tell the connection, the body is read
// first.
func (f *forward) receive() error {
	if f.judge() != nil && f.hasBody() {
		return f.receiveJudged()
	}
	if f.query.byHead() || f.r.Method != http.MethodPost || f.p.cfg.Initialize == nil {
		f.begin()
		return f.body.read()
	}
	err := f.body.read()
	f.query.initialize = f.body.whole && f.p.cfg.Initialize(f.body.first)
	f.begin()
	f.body.recordFirst()
	return err
}

// identify fills in who asks.
func (f *forward) identify() {
	q := &f.query
	q.conn = f.target.conn
	if up := f.target.up; up != nil {
		q.caller.server = up.origin()
		q.stream = q.stream || f.r.Method == http.MethodGet && f.target.url.Path == up.URL.Path // Some accept */*.
	}
	q.caller.host, q.caller.agent = hostname(f.r.RemoteAddr), f.r.UserAgent()
	if auth := f.r.Header.Get("Authorization"); auth != "" {
		q.caller.auth = f.log().hash(auth)
	}
}

// log records the round trip.
func (f *forward) log() *Log {
	if f.target.up != nil {
		return f.target.up.Log
	}
	return f.p.cfg.Log
}

// begin assigns the connection and records the request's head.
func (f *forward) begin() {
	f.conn = f.log().conns.assign(f.query)
	ev := &session.HTTPEvent{Conn: f.conn, Method: f.r.Method, Proto: f.r.Proto, Remote: f.r.RemoteAddr}
	to := f.r.URL
	if f.target.up != nil {
		to = f.target.url
		host, origin := f.host(), f.origin()
		if host != f.r.Host {
			ev.Changed = append(ev.Changed, session.HTTPField{Name: "Host", Value: host})
		}
		if origin != f.r.Header.Get("Origin") {
			ev.Changed = append(ev.Changed, session.HTTPField{Name: "Origin", Value: origin})
		}
	}
	if coding := f.r.Header.Get("Accept-Encoding"); f.judge() != nil && coding != "" {
		ev.Changed = append(ev.Changed, session.HTTPField{Name: "Accept-Encoding", Value: "identity"})
	}
	if f.answersExpect() {
		ev.Changed = append(ev.Changed, session.HTTPField{Name: "Expect"})
	}
	f.trip = f.log().begin(ev, to, f.r.Header, []string{f.r.Host})
}

// host is the Host that the server gets.
func (f *forward) host() string {
	if f.p.cfg.KeepHost {
		return f.r.Host
	}
	return f.target.url.Host
}

// origin is the Origin that the server gets, empty for none. Only one that names the proxy
// is changed: the client means the server by it.
func (f *forward) origin() string {
	origin := f.r.Header.Get("Origin")
	if !f.p.cfg.KeepOrigin && strings.EqualFold(origin, f.p.scheme()+"://"+f.r.Host) {
		return f.target.up.origin()
	}
	return origin
}

// listenMethod is the method whose response stays open from 2026-07-28 on.
const listenMethod = "subscriptions/listen"

// standing reports whether the response may stay open.
func (f *forward) standing() bool {
	return f.r.Method == http.MethodGet || f.r.Header.Get("Mcp-Method") == listenMethod
}

// expects reports whether the client may wait for 100 (Continue) before it sends the body.
func (f *forward) expects() bool {
	return f.r.ProtoAtLeast(1, 1) && f.r.ContentLength != 0 && hasToken(f.r.Header, "Expect", "100-continue")
}

// answersExpect reports whether the client has sent a body that it would send after 100
// (Continue) only: what decides on bodies has read it, and the server is not asked.
func (f *forward) answersExpect() bool { return f.body.whole && f.expects() }

// carry sends the request to the server and its response to the client.
func (f *forward) carry() {
	ctx, cancel := context.WithCancel(f.r.Context())
	defer cancel()
	interim := &interim{f: f}
	if len(f.body.first) == 0 {
		f.body.before = interim.proceed
	}
	trace := f.trip.Trace()
	trace.Got1xxResponse = interim.forward
	var connected atomic.Bool
	record := trace.GotConn
	trace.GotConn = func(info httptrace.GotConnInfo) {
		connected.Store(true)
		record(info)
	}
	if f.judge() != nil {
		wrote := trace.WroteRequest
		trace.WroteRequest = func(info httptrace.WroteRequestInfo) {
			if wrote != nil {
				wrote(info)
			}
			f.log().next.sent()
			f.sent()
		}
	}
	transport := f.p.transport
	if f.standing() {
		transport = f.p.streams
	}
	res, err := transport.RoundTrip(f.outgoing(httptrace.WithClientTrace(ctx, trace)))
	interim.end()
	if err == nil {
		defer res.Body.Close()
		switch {
		case res.StatusCode == http.StatusSwitchingProtocols:
			err = errors.New("it switched to another protocol without being asked to")
		case res.StatusCode < 100 || res.StatusCode > 999: // net/http cannot write it.
			err = fmt.Errorf("its status is %03d", res.StatusCode)
		}
	}
	if err != nil {
		f.failed(err, connected.Load())
		return
	}
	f.respond(res)
}

// header is what the server gets.
func (f *forward) header() http.Header {
	header := f.r.Header.Clone()
	trailers := hasToken(header, "Te", "trailers")
	removeHopByHop(header)
	if f.judge() != nil {
		header["Accept-Encoding"] = []string{"identity"} // What is coded cannot be decided on.
	}
	if f.answersExpect() {
		delete(header, "Expect")
	}
	if trailers {
		header["Te"] = []string{"trailers"}
	}
	if _, ok := header["User-Agent"]; !ok {
		header["User-Agent"] = nil // The transport adds its own to none.
	}
	if origin := f.origin(); origin != f.r.Header.Get("Origin") {
		header["Origin"] = []string{origin}
	}
	return header
}

// outgoing is the request that the server gets.
func (f *forward) outgoing(ctx context.Context) *http.Request {
	out := &http.Request{
		Method: f.r.Method, URL: f.target.url, Host: f.host(), Header: f.header(), Trailer: f.r.Trailer,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: f.r.ContentLength,
	}
	f.body.attach(out)
	return out.WithContext(ctx)
}

// removeHopByHop removes the fields that belong to one connection.
func removeHopByHop(h http.Header) {
	for _, value := range h["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			h.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}

// hasToken reports whether a field's list has an item.
func hasToken(h http.Header, name, token string) bool {
	for item := range strings.SplitSeq(strings.Join(h.Values(name), ","), ",") {
		if strings.EqualFold(textproto.TrimString(item), token) {
			return true
		}
	}
	return false
}

// An interim forwards interim responses until the final one is there: the transport reads
// them in a goroutine of its own.
type interim struct {
	f     *forward
	mu    sync.Mutex
	ended bool
}

func (i *interim) end() {
	i.mu.Lock()
	i.ended = true
	i.mu.Unlock()
}

// forward forwards an interim response: RFC 9110 §15.2 requires it, but not to a client
// of HTTP/1.0.
func (i *interim) forward(status int, header textproto.MIMEHeader) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended || !i.f.r.ProtoAtLeast(1, 1) {
		return nil
	}
	i.f.trip.Response(status, "", http.Header(header))
	if status == http.StatusContinue && i.f.expects() {
		return nil // The client gets it when its body is read: see proceed.
	}
	h := i.f.w.Header()
	for name, values := range header {
		h[name] = values
	}
	i.f.w.WriteHeader(status)
	clear(h)
	i.f.trip.Forwarded()
	return nil
}

// proceed is called before the first byte of the body is read from the client. It sends 100
// (Continue) to a client that may wait for it: the server has sent that, or it has not within
// the transport's time. net/http would send it too, but while an interim response may be
// written; and with HTTP/2, whose frames do not mix, it does.
func (i *interim) proceed() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.ended && i.f.r.ProtoMajor == 1 && i.f.expects() {
		i.f.w.WriteHeader(http.StatusContinue)
	}
}

// failed answers for a server that gave no response. If the connection was there and was
// lost, the client's is closed as the server's was.
func (f *forward) failed(err error, connected bool) {
	why := f.why(err)
	if f.p.inner || why == "client" || why == "wiretea" || connected && isLost(err) {
		f.broken(err)
	}
	f.trip.Failed(err)
	text := "cannot reach %s: %v"
	if connected {
		text = "%s gave no valid response: %v"
	}
	text = fmt.Sprintf(text, f.target.up.origin(), err)
	f.notice(http.StatusBadGateway, text)
	f.answer(http.StatusBadGateway, text)
	f.trip.End(why, nil)
}

// isLost reports whether an error is the end of a connection.
func isLost(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &op) ||
		strings.Contains(err.Error(), "server closed idle connection") // net/http does not export it.
}

// broken records an error and closes the client's connection, or its stream. It does not
// return.
func (f *forward) broken(err error) {
	why := f.why(err)
	if why != "client" && why != "wiretea" {
		f.trip.Failed(err)
	}
	f.trip.End(why, nil)
	f.err = err
	panic(http.ErrAbortHandler)
}

// why is who or what ended a round trip with an error.
func (f *forward) why(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case f.p.closing.Err() != nil || f.by != "":
		return "wiretea"
	case f.lost || f.r.Context().Err() != nil || f.body.failed():
		return "client"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	}
	return "server"
}

// refuse answers in place of the server, and says why.
func (f *forward) refuse(status int, why string) {
	f.identify()
	f.begin()
	f.answerRefusal(status, why)
}

// answerRefusal is refuse for a round trip that has begun.
func (f *forward) answerRefusal(status int, why string) {
	f.notice(status, why)
	f.trip.Failed(fmt.Errorf("wiretea proxy refused the request: %s", why))
	f.answer(status, why)
	f.trip.End("eof", nil)
}

// answer sends a response of the proxy's own, one line of text.
func (f *forward) answer(status int, text string) {
	who := "wiretea proxy: "
	if f.p.inner {
		who = "wiretea: "
	}
	text = who + strings.ReplaceAll(text, "\n", " ") + "\n"
	h := f.w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	f.trip.response(&session.HTTPEvent{Status: status, Proto: f.r.Proto, Ours: true}, h)
	f.trip.Received([]byte(text))
	f.w.WriteHeader(status)
	_, _ = f.w.Write([]byte(text)) // The client may be gone: nothing else is to be done.
	f.trip.Forwarded()
}

// clientURL is the request's URL as the client has it.
func (f *forward) clientURL() *url.URL {
	u := *f.r.URL
	u.Scheme, u.Host = f.p.scheme(), f.r.Host
	return &u
}

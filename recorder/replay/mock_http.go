package replay

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// maxLive is the longest body of a live request, in bytes.
const maxLive = 64 << 20

// An HTTPMock is a recorded server of HTTP, as an http.Handler. A request gets the
// recorded response to the same request: its status, its fields, and its body in the
// recorded pieces. Sessions get ids of their own, as recordings do not have them.
type HTTPMock struct {
	cfg    Mock
	log    recorder.Log
	trips  []*trip
	noting sync.Mutex // noting is held while Note is called.

	opening uint64            // opening is the key of the first request that was not refused.
	keys    map[tripKey][]int // keys are the recorded requests that cannot be told apart,
	methods map[string][]int  // and methods those with the same JSON-RPC method.

	mu       sync.Mutex         // mu guards what follows.
	sessions map[string]playing // sessions are the live ones that have an id.
	latest   *run               // latest is played to requests without one.
}

// A run is one time that the recording is played. The mutex of the HTTPMock guards it.
type run struct {
	used  map[int]bool
	more  chan struct{}      // more is closed, and replaced, when used grows.
	given map[givenID][]byte // given are the live ids and tokens that stand for recorded ones.
}

func newRun() *run {
	return &run{used: map[int]bool{}, more: make(chan struct{}), given: map[givenID][]byte{}}
}

// playing is a recorded connection as it is played to one session.
type playing struct {
	*run
	conn int
}

// A tripKey is what a request is looked up by. Conn 0 stands for all connections.
type tripKey struct {
	conn int
	key  uint64
}

// A givenID is an id or a token of a recorded connection, as it is written.
type givenID struct {
	conn  int
	token bool
	raw   string
}

// NewHTTPMock reads a recording, which must stay open: bodies are read from it when they
// are needed. Healthy of cfg has no effect. It fails with ErrNoHTTP for a recording of
// another transport.
func NewHTTPMock(cfg Mock, log recorder.Log) (*HTTPMock, error) {
	trips, err := readTrips(log)
	if err != nil {
		return nil, err
	}
	m := &HTTPMock{
		cfg: cfg, log: log, trips: trips, latest: newRun(),
		sessions: map[string]playing{}, keys: map[tripKey][]int{}, methods: map[string][]int{},
	}
	for i, t := range trips {
		if m.opening == 0 && t.Response != nil && t.Response.Status < 300 {
			m.opening = t.key
		}
		for _, conn := range []int{0, t.Conn} {
			k := tripKey{conn, t.key}
			m.keys[k] = append(m.keys[k], i)
		}
		if t.method != "" {
			m.methods[t.method] = append(m.methods[t.method], i)
		}
	}
	return m, nil
}

// Path is where the recorded client found the server; every path leads there.
func (m *HTTPMock) Path() string { return endpoint(m.trips) }

// Serve serves on a listener until ctx ends, which ends all streams too. What package
// net/http logs, as panics, goes to errw. It returns the listener's error.
func (m *HTTPMock) Serve(ctx context.Context, l net.Listener, errw io.Writer) error {
	srv := &http.Server{
		Handler: m, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(errw, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	if err := srv.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (m *HTTPMock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !ownName(r.Host) {
		http.Error(w, "the Host is not this server's", http.StatusForbidden)
		return
	}
	if origin, err := url.Parse(r.Header.Get("Origin")); err != nil || origin.String() != "" && origin.Host != r.Host && !mcp.IsLoopback(origin) {
		http.Error(w, "the Origin is foreign", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLive))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	live := newRequest(r.Method, body)
	id := r.Header.Get(mcp.SessionHeader)
	live.session = id
	m.mu.Lock()
	s, known := m.sessions[id]
	if !known {
		s.run = m.latest
	}
	at, ok := -1, false
	if id == "" || known || live.modern {
		at, ok = m.match(&live, &s)
	}
	m.mu.Unlock()
	switch {
	case id != "" && !known && !live.modern:
		m.note("a session that this mock did not begin: 404")
		refuseHTTP(w, http.StatusNotFound, &live, mcp.InvalidRequest, "no such session")
	case ok:
		m.play(r.Context(), w, s.run, m.trips[at], &live)
	default:
		m.unmatched(w, &live, at)
	}
}

// ownName reports whether a Host is an address or this machine's own name: no other
// name leads here by itself.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(host, "localhost") || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// match finds the recorded request that a live one stands for. Without one it returns a
// request like it that was used already; -1 for none. What begins a session, and is used up,
// begins another run. The caller holds mu.
func (m *HTTPMock) match(live *request, s *playing) (at int, ok bool) {
	var list []int
	for _, c := range slices.Compact([]int{s.conn, 0}) {
		list = append(list, m.keys[tripKey{c, live.key}]...)
	}
	repeats := live.greets() || m.cfg.Unmatched == Nearest
	if len(list) == 0 && repeats {
		for _, i := range m.methods[live.method] {
			if m.trips[i].modern == live.modern {
				list = append(list, i)
			}
		}
	}
	if len(list) == 0 {
		return -1, false
	}
	i := slices.IndexFunc(list, func(i int) bool { return !s.used[i] })
	switch {
	case i >= 0:
	case live.session == "" && (live.greets() || live.key == m.opening):
		m.latest = newRun()
		s.run, i = m.latest, 0
	case !repeats:
		return list[len(list)-1], false
	default:
		i = len(list) - 1
		if !live.greets() {
			m.note("%s: no recorded response left: the last one again", live.words())
		}
	}
	m.take(s.run, list[i], live)
	return list[i], true
}

// take lets a live request stand for a recorded one.
func (m *HTTPMock) take(r *run, at int, live *request) {
	t := m.trips[at]
	for i := range min(len(t.ids), len(live.ids)) {
		r.given[givenID{t.Conn, false, t.ids[i]}] = []byte(live.ids[i])
		if t.tokens[i] != "" && live.tokens[i] != "" {
			r.given[givenID{t.Conn, true, t.tokens[i]}] = []byte(live.tokens[i])
		}
	}
	r.used[at] = true
	close(r.more)
	r.more = make(chan struct{})
}

// play sends a recorded response.
func (m *HTTPMock) play(ctx context.Context, w http.ResponseWriter, r *run, t *trip, live *request) {
	start := time.Now()
	if t.Response == nil {
		m.note("%s: the recorded server did not answer this", live.words())
		<-ctx.Done()
		return
	}
	if !m.until(ctx, start, t.ResT-t.ReqT) {
		return
	}
	m.head(w, r, t, live)
	flush := http.NewResponseController(w).Flush
	if t.Stream {
		// A connection that is broken ends ctx.
		_ = flush()
	}
	for _, p := range t.body {
		if !m.until(ctx, start, p.t-t.ReqT) || !m.answered(ctx, r, t, p.t) {
			return
		}
		text, err := m.text(r, t, p, live)
		if err != nil {
			m.note("%s: %v", live.words(), err)
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(text)
		_ = flush()
	}
	if !m.until(ctx, start, t.EndT-t.ReqT) {
		return
	}
	switch t.Why {
	case "eof":
	case "", "client":
		if t.Stream {
			<-ctx.Done() // it was open until the client, or the recording, ended
		}
	default:
		panic(http.ErrAbortHandler) // it was cut
	}
}

// until waits until a time after the request as in the recording. It reports false if
// the client has gone.
func (m *HTTPMock) until(ctx context.Context, start time.Time, after int64) bool {
	if m.cfg.Pace != Recorded || after <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(time.Until(start.Add(time.Duration(after)))):
		return true
	case <-ctx.Done():
		return false
	}
}

// answered waits for what the recorded client had sent before the server wrote a piece
// of a response: answers to questions, and on a stream that belongs to no request
// everything. It reports false if the client has gone.
func (m *HTTPMock) answered(ctx context.Context, r *run, t *trip, before int64) bool {
	standing := !t.expected || t.method == mcp.SubscriptionsListen
	for i, other := range m.trips {
		if other.ReqT >= before {
			break
		}
		if other.Conn != t.Conn || other.ReqT <= t.ReqT || !other.answers && (!standing || !other.message) {
			continue
		}
		for {
			m.mu.Lock()
			came, more := r.used[i], r.more
			m.mu.Unlock()
			if came {
				break
			}
			select {
			case <-more:
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// head sends the head of a recorded response to a live request. In a session every
// response has its id, where the recorded one had one.
func (m *HTTPMock) head(w http.ResponseWriter, r *run, t *trip, live *request) {
	h := w.Header()
	for _, f := range t.Response.Fields {
		name := http.CanonicalHeaderKey(f.Name)
		switch {
		case name == mcp.SessionHeader:
			if live.session == "" {
				live.session = m.begin(playing{r, t.Conn})
			}
			h.Set(name, live.session)
		case f.Secret != nil || slices.Contains(notPlayed, name) || name == "Content-Encoding" && t.Response.Coding != "":
		default:
			h.Add(name, f.Value)
		}
	}
	status := t.Response.Status
	if status < http.StatusOK || status > 999 { // net/http cannot write it.
		m.note("%s: the recorded status %d is sent as 502", live.words(), status)
		status = http.StatusBadGateway
	}
	w.WriteHeader(status)
}

// begin begins a session, and returns its id.
func (m *HTTPMock) begin(s playing) string {
	id := rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[id] = s
	return id
}

// notPlayed are fields that belong to the recorded connection.
var notPlayed = []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "Date"}

// text is a piece of a response with the live client's ids and tokens.
func (m *HTTPMock) text(r *run, t *trip, p piece, live *request) ([]byte, error) {
	var rec session.Record
	if err := recorder.NewReader(m.log, p.off).Next(&rec); err != nil {
		return nil, fmt.Errorf("reading the recording: %w", err)
	}
	var list []splice
	if rec.Kind == session.RecFrame {
		list = m.splices(r, t, rec.Body, live)
	}
	if len(list) == 0 {
		return recorder.AppendWire(nil, &rec), nil
	}
	for _, cut := range rec.Mid {
		list = append(list, splice{int64(cut.Off), 0, []byte(cut.Text)})
	}
	return slices.Concat(rec.Pre, apply(rec.Body, list), rec.Post, rec.Term), nil
}

// splices put the live client's ids and tokens into a message.
func (m *HTTPMock) splices(r *run, t *trip, body []byte, live *request) (list []splice) {
	m.mu.Lock()
	defer m.mu.Unlock()
	put := func(v *jsonrpc.Value, token bool) {
		raw := string(v.Raw)
		with, own := t.own(live, raw, token)
		if !own {
			with = r.given[givenID{t.Conn, token, raw}]
		}
		if with != nil {
			list = spliceAt(list, body, v.Span, with)
		}
	}
	scanMessages(body, func(msg *jsonrpc.Message) {
		if msg.Kind.Response() {
			put(&msg.ID, false)
		}
		put(msg.Field(jsonrpc.ParamProgressToken), true)
		put(msg.Field(jsonrpc.MetaSubscriptionID), false)
	})
	return list
}

// own is the live id or token for one of the round trip's own request: several live
// requests may stand for one recorded.
func (t *trip) own(live *request, raw string, token bool) (with []byte, ok bool) {
	was, now := t.ids, live.ids
	if token {
		was, now = t.tokens, live.tokens
	}
	i := slices.Index(was, raw)
	if i < 0 || i >= len(now) || raw == "" || now[i] == "" {
		return nil, false
	}
	return []byte(now[i]), true
}

// unmatched answers a request that there is no recorded response for, or none left; at
// is one that was used, -1 for none.
func (m *HTTPMock) unmatched(w http.ResponseWriter, live *request, at int) {
	switch {
	case live.verb != http.MethodPost:
		m.note("%s: not recorded: 405", live.words())
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case !live.expected:
		if !live.answers {
			m.note("%s: not recorded: 202", live.words())
		}
		w.WriteHeader(http.StatusAccepted)
		return
	case live.method == mcp.Ping || m.cfg.Unmatched == Empty && !live.greets():
		if live.method != mcp.Ping {
			m.note("%s: no recorded response: an empty result", live.words())
		}
		result := "{}"
		if live.modern {
			result = `{"resultType":"complete"}`
		}
		writeHTTP(w, http.StatusOK, string(jsonrpc.AppendAnswer(nil, live.ids[0], false, []byte(result))))
		return
	}
	status, code, why := http.StatusOK, mcp.InternalError, "not recorded with these parameters"
	switch {
	case at >= 0:
		why = "the recorded responses to this are used up; --on-unmatched nearest repeats the last one"
	case len(m.methods[live.method]) == 0:
		code, why = mcp.MethodNotFound, "the recording has no "+live.method
		if live.modern {
			status = http.StatusNotFound
		}
	}
	if live.greets() {
		status = http.StatusBadRequest
	}
	m.note("%s: %s", live.words(), why)
	refuseHTTP(w, status, live, code, why)
}

// refuseHTTP answers with an error of our own.
func refuseHTTP(w http.ResponseWriter, status int, live *request, code int64, why string) {
	id := ""
	if len(live.ids) > 0 {
		id = live.ids[0]
	}
	writeHTTP(w, status, string(jsonrpc.AppendError(nil, id, code, "wiretea mock: "+why, nil)))
}

func writeHTTP(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone needs no answer.
	_, _ = io.WriteString(w, body)
}

// words are a request in a few words.
func (r *request) words() string {
	switch {
	case r.method != "":
		return r.method
	case r.answers:
		return "an answer"
	}
	return r.verb
}

func (m *HTTPMock) note(format string, args ...any) {
	if m.cfg.Note != nil {
		m.noting.Lock()
		defer m.noting.Unlock()
		m.cfg.Note(fmt.Sprintf(format, args...))
	}
}

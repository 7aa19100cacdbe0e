package http

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/session"
	"wiretea/session/framing"
)

const (
	smallRead = 2 << 10
	largeRead = 64 << 10

	// flushDelay is how long the first bytes of a response wait for the next ones, which
	// mostly came in the same packet. Event streams do not wait.
	flushDelay = 2 * time.Millisecond
)

// large are buffers for what comes fast; a stream that waits holds a small one.
var (
	large = sync.Pool{New: func() any { return new([largeRead]byte) }}
	small = sync.Pool{New: func() any { return new([smallRead]byte) }}
)

// A download is a response on its way to the client.
type download struct {
	f       *forward
	res     *http.Response
	out     *http.ResponseController
	scan    *endpointScan // scan is nil where no endpoint is expected.
	posts   *url.URL      // posts is where the server takes messages, nil = nowhere that the proxy may post to.
	unlearn func()        // unlearn has the router forget the stream; nil where it does not know it.
	fast    bool          // fast: the next read may return more than smallRead bytes.
	small   *[smallRead]byte

	// What follows is used where a Judge decides.
	whole  *wholeBody  // whole is the body, read and decided on; nil where it is not.
	length string      // length is its length, as it is forwarded; empty where whole is nil.
	events *eventJudge // events decides on an event stream; nil where it does not.
	headed bool        // headed: the head is recorded.
	late   bool        // late: a Judge may begin to decide on the stream, at the end of an event.

	announced int // announced is how many trailers the head has announced.
	status    int // status is what a fault has the response say in place of the server's; 0 = the server's.

	mu    sync.Mutex // mu guards what follows, events and late; it is held while a chunk is written.
	eager bool       // eager: what is written is sent at once.
	ended bool       // ended: nothing may be written any more.
}

// respond sends the server's response to the client as it comes.
func (f *forward) respond(res *http.Response) {
	f.judged = f.judged || f.target.up.judgesResponse(res)
	d := f.download(res)
	if f.r.Method == http.MethodGet && f.query.session == "" && res.StatusCode == http.StatusOK && isEvents(res.Header) {
		d.scan = newEndpointScan()
	}
	f.tellLogin(res)
	if err := d.decideWhole(); errors.Is(err, errFault) {
		f.abort(err)
		return
	} else if err != nil {
		f.failed(err, true)
		return
	}
	d.send()
}

// continues is respond for an event stream of which the client has the head and the first
// events.
func (f *forward) continues(res *http.Response) {
	d := f.download(res)
	d.headed = true
	d.send()
}

// download returns the download of a response.
func (f *forward) download(res *http.Response) *download {
	return &download{f: f, res: res, out: http.NewResponseController(f.w), fast: res.ContentLength > smallRead, posts: f.target.url, eager: isEvents(res.Header)}
}

// send sends the head, where that does not wait for the first message, and the body.
func (d *download) send() {
	f := d.f
	if d.events == nil || !d.events.headless {
		d.announced = d.head()
	}
	err := d.body()
	if err == nil && f.by != "" {
		err = errFault
	}
	if err != nil && d.events != nil {
		d.events.abandon(err)
	}
	if err != nil && !errors.Is(err, errEnded) {
		if d.events == nil {
			_ = d.out.Flush() // What came before the error is the client's, if it is there.
		}
		f.abort(err)
		return
	}
	d.trailers(d.announced)
	f.trip.End("eof", d.res.Trailer)
}

// head sends the status and the fields, and returns how many trailers they announce.
func (d *download) head() (announced int) {
	f, res := d.f, d.res
	ev := &session.HTTPEvent{Status: res.StatusCode, Proto: res.Proto}
	fields := res.Header.Clone()
	removeHopByHop(fields)
	if was := fields.Get("Location"); was != "" && !f.p.inner {
		if is := f.p.router.location(f.target.up, was, f.p.scheme(), f.r.Host); is != was {
			fields["Location"] = []string{is}
			ev.Changed = []session.HTTPField{f.log().field("Location", is)}
		}
	}
	if was := fields.Get("Content-Length"); d.length != "" && was != d.length {
		fields["Content-Length"] = []string{d.length}
		ev.Changed = append(ev.Changed, session.HTTPField{Name: "Content-Length", Value: d.length})
	}
	if d.events != nil {
		fields.Del("Content-Length")
	}
	status := d.change(fields, ev)
	f.log().conns.answered(f.query, f.conn, status, fields.Get("Mcp-Session-Id")) // As far as the client knows.
	d.recordHead(ev)
	h := f.w.Header()
	h["Date"], h["Content-Type"] = nil, nil // net/http adds its own to none.
	for name, values := range fields {
		h[name] = values
	}
	if len(res.Trailer) > 0 {
		var names []string
		for name := range res.Trailer {
			names = append(names, name)
		}
		slices.Sort(names)
		h["Trailer"] = []string{strings.Join(names, ", ")}
		if f.r.ProtoMajor == 1 {
			h.Del("Content-Length") // HTTP/2 has both, HTTP/1.1 trailers only in chunked bodies.
		}
	}
	if res.ContentLength < 0 && d.length == "" && f.r.ProtoMajor == 1 && !f.p.inner {
		h["Transfer-Encoding"] = []string{"chunked"} // Else net/http counts a short body, and names its length.
	}
	f.w.WriteHeader(status)
	return len(res.Trailer)
}

// recordHead records the head, unless it is recorded.
func (d *download) recordHead(ev *session.HTTPEvent) {
	if !d.headed {
		d.f.trip.response(ev, d.res.Header)
		d.headed = true
	}
}

// body forwards the body until its end, which is not an error.
func (d *download) body() error {
	defer d.end()
	if d.whole != nil {
		d.whole.record(d.f.trip)
	}
	left := d.res.ContentLength
	if left == 0 || d.res.Body == http.NoBody {
		return nil
	}
	if !d.eager {
		timer := time.AfterFunc(flushDelay, d.flushLate)
		defer timer.Stop()
	} else if err := d.flush(); err != nil {
		return err
	}
	if d.events != nil {
		d.events.begin()
	}
	d.late = d.mayJudge()
	d.small = small.Get().(*[smallRead]byte)
	defer small.Put(d.small)
	for {
		n, err := d.chunk()
		left -= int64(n)
		d.fast = n >= smallRead || left > smallRead
		if err == io.EOF && d.events != nil {
			return d.events.end()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// flushLate sends what was written, and from now on all at once.
func (d *download) flushLate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.eager = true
		_ = d.out.Flush() // The next write fails too.
	}
}

// chunk forwards what one read of the body returns, and returns how much that was.
func (d *download) chunk() (int, error) {
	buf := d.small[:]
	if d.fast {
		b := large.Get().(*[largeRead]byte)
		defer large.Put(b)
		buf = b[:]
	}
	n, err := d.res.Body.Read(buf)
	d.mu.Lock()
	defer d.mu.Unlock()
	if n == 0 {
		return 0, err
	}
	f := d.f
	d.judgeLate()
	if d.events == nil && d.whole == nil {
		f.trip.Received(buf[:n])
	}
	if d.scan != nil {
		d.learn(buf[:n])
	}
	if d.events != nil {
		if failed := d.events.push(buf[:n]); failed != nil {
			return n, failed
		}
		f.trip.Forwarded()
		return n, err
	}
	if _, err := d.f.w.Write(buf[:n]); err != nil {
		f.lost = f.lost || f.by == ""
		return n, err
	}
	if d.eager {
		if err := d.flush(); err != nil {
			return n, err
		}
	}
	f.trip.Forwarded()
	d.late = d.mayJudge() && endsEvent(buf[:n])
	return n, err
}

// learn looks for the endpoint of the old HTTP+SSE transport in the next bytes of a stream.
func (d *download) learn(chunk []byte) {
	f := d.f
	if where, ok := d.scan.push(chunk); ok {
		d.unlearn = f.p.router.learn(endpoint{f.target.up, f.conn, d}, f.clientURL(), where)
		d.posts = sameOrigin(f.target.url, where)
	}
	if d.scan.over {
		d.scan = nil
	}
}

// judgeLate has the Judge decide on a stream from its next event on, where it has to; mu is
// held.
func (d *download) judgeLate() {
	if d.late && d.f.target.up.judges() {
		d.events, d.late = newEventJudge(d), false
	}
}

// tell writes messages of the proxy's own into an event stream that is open, and reports
// whether it has done so: not in the middle of an event that nobody decides on.
func (d *download) tell(by string, of int64, texts [][]byte) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.judgeLate(); d.ended || d.events == nil || d.events.passes {
		return false
	}
	for _, text := range texts {
		text = event(framing.Fields{Name: "message"}, text)
		d.f.trip.decided(&d.f.trip.received, session.S2C, session.WayOut, session.Decided{By: by, Of: of}, text)
		d.events.write(text)
	}
	d.f.trip.Forwarded()
	return true
}

// end has nothing more written.
func (d *download) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended = true; d.unlearn != nil {
		d.unlearn()
	}
}

// mayJudge reports whether a Judge can decide on the stream from the next event on.
func (d *download) mayJudge() bool {
	return d.f.target.up.Judge != nil && d.whole == nil && d.events == nil && judgeable(d.res)
}

// judgeable reports whether a Judge can decide on a response from the end of an event on.
func judgeable(res *http.Response) bool {
	return res.ContentLength < 0 && isEvents(res.Header) && res.Header.Get("Content-Encoding") == ""
}

// endsEvent reports whether a part of an event stream ends together with an event.
func endsEvent(chunk []byte) bool {
	return bytes.HasSuffix(chunk, []byte("\n\n")) || bytes.HasSuffix(chunk, []byte("\r\n\r\n"))
}

// flush sends what was written.
func (d *download) flush() error {
	if d.events != nil && d.events.headless {
		return nil
	}
	err := d.out.Flush()
	d.f.lost = d.f.lost || err != nil
	return err
}

// trailers sends the trailers, those that were not announced too.
func (d *download) trailers(announced int) {
	h, prefix := d.f.w.Header(), ""
	if len(d.res.Trailer) != announced {
		prefix = http.TrailerPrefix
	}
	for name, values := range d.res.Trailer {
		h[prefix+name] = values
	}
}

// isEvents reports whether a head is that of an event stream.
func isEvents(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == eventStream
}

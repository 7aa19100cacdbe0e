package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"wiretea/session/mcp"
)

// stubborn is how long a behaviour that ignores its end runs, so that nothing
// is left behind forever if it is not killed.
const stubborn = time.Minute

// A server is one run of a behaviour. The main loop reads and dispatches; only
// slow tools and tasks run concurrently.
type server struct {
	ctx   context.Context
	fault *fault
	in    *source
	out   io.Writer
	errw  io.Writer

	wmu sync.Mutex // wmu makes each write to out one piece.

	// Used only by the main loop.
	exit       int         // exit is the exit code, once quit is set.
	quit       bool        // quit ends the main loop.
	version    mcp.Version // version agreed on by initialize; NoVersion before it.
	clientCaps clientCaps
	subscribed map[string]bool // subscribed are the legacy subscriptions' uris.
	asked      map[string]open // asked are the tool calls that wait for the client's response, by the id of the server's request.
	askedN     int
	touched    int       // touched counts the changes of the note.
	level      int       // level is the lowest log level that is sent, an index of mcp.LogLevels.
	listens    []*listen // listens are the open subscriptions.

	stateless bool    // stateless: every request is of the modern era.
	standing  *stream // standing is where messages go that belong to no request; nil on stdio.

	smu     sync.Mutex
	running map[*request]context.CancelFunc // running are the slow calls; nil = cancelled by the client.
	workers sync.WaitGroup
	tasks   []*task // tasks are the created tasks, the oldest first.
	tasksN  int
}

func (s *server) run(name string) int {
	if s.fault.start != nil {
		s.fault.start(s)
	}
	s.log("wiretea demo server %q ready on stdio", name)
	for !s.quit {
		line, err := s.in.next(s.ctx)
		if len(bytes.TrimSpace(line)) > 0 {
			s.line(line)
		}
		if err != nil && !s.quit {
			s.ended()
			break
		}
	}
	s.workers.Wait()
	return s.exit
}

// ended handles the end of stdin: open requests are answered or closed, and the
// server exits at once ([V5] basic/transports/stdio §Shutdown).
func (s *server) ended() {
	s.smu.Lock()
	for _, cancel := range s.running {
		if cancel != nil {
			cancel()
		}
	}
	for _, t := range s.tasks {
		t.cancel()
	}
	s.smu.Unlock()
	s.workers.Wait()
	for _, waits := range s.asked {
		s.toolError(waits.of, "The client closed the connection before it answered "+waits.asks.method+".")
	}
	s.closeListens()
	if s.fault.eof != nil {
		s.fault.eof(s)
	}
}

// sleep waits, and reports false if the server is stopped meanwhile.
func (s *server) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.ctx.Done():
		return false
	}
}

// leave ends the main loop.
func (s *server) leave(code int) { s.quit, s.exit = true, code }

// log writes a line to stderr, where a server may write anything.
func (s *server) log(format string, args ...any) {
	fmt.Fprintf(s.errw, format+"\n", args...)
}

// A request is a request or a notification from the client.
type request struct {
	ID     json.RawMessage `json:"id"` // ID is nil for a notification.
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`

	version mcp.Version // version that applies to the request.
	meta    requestMeta
	via     *stream // via is where the messages of the request go; nil on stdio.
	status  int     // status is the HTTP status of the response; 0 = 200.
}

// requestMeta is params._meta.
type requestMeta struct {
	ProgressToken json.RawMessage `json:"progressToken"`
	Version       *string         `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities  *clientCaps     `json:"io.modelcontextprotocol/clientCapabilities"`
	LogLevel      string          `json:"io.modelcontextprotocol/logLevel"`
}

// modern reports whether the request has the metadata of the modern era.
func (r *request) modern() bool { return r.version.Era() == mcp.Modern }

// param decodes the parameters into a struct; absent ones leave it unchanged.
func (r *request) param(into any) error {
	if len(r.Params) == 0 {
		return nil
	}
	return json.Unmarshal(r.Params, into)
}

// line handles one line of stdin.
func (s *server) line(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		var batch []json.RawMessage
		if s.version == mcp.V2 && json.Unmarshal(line, &batch) == nil && len(batch) > 0 {
			// This revision requires support for batches; separate responses
			// are allowed.
			for _, one := range batch {
				s.line(one)
			}
			return
		}
		if json.Valid(line) {
			s.refuse(mcp.InvalidRequest, "Invalid request: not a single message")
		} else {
			s.refuse(mcp.ParseError, "Parse error")
		}
		return
	}
	s.handle(&m)
}

// A message is what a client sends: a request, a notification, or a response to a
// request of the server.
type message struct {
	request
	Result json.RawMessage `json:"result"`
}

// handle handles one message.
func (s *server) handle(m *message) {
	r := &m.request
	if r.Method == "" {
		s.clientAnswered(string(m.ID), m.Result)
		return
	}
	r.readMeta()
	if r.version = s.version; r.asksModern() || s.stateless {
		r.version = mcp.LatestModern
	}
	if s.fault.request != nil && s.fault.request(s, r) {
		return
	}
	if r.ID == nil {
		s.notified(r)
		return
	}
	s.dispatch(r)
}

func (r *request) readMeta() {
	var p struct {
		Meta requestMeta `json:"_meta"`
	}
	// The method rejects parameters of a wrong type.
	_ = r.param(&p)
	r.meta = p.Meta
}

// asksModern reports whether the body says that the request is of the modern era.
func (r *request) asksModern() bool { return r.meta.Version != nil || r.Method == mcp.ServerDiscover }

// refuse answers a line that is not a request. Before 2025-11-25 an error must
// have an id, which is unknown here.
func (s *server) refuse(code int64, what string) {
	s.log("refused a line: %s", what)
	if s.version != mcp.NoVersion && s.version < mcp.V4 {
		return
	}
	s.send(nil, errorMessage(nil, code, what, ""))
}

// A source reads lines, one at a time and only on demand, so that a server that
// stops reading really leaves its stdin alone. Its goroutine ends with stop,
// once the current read returns.
type source struct {
	ask   chan struct{}
	lines chan sourceLine
}

type sourceLine struct {
	data []byte
	err  error
}

func newSource(r io.Reader, contentLength bool) *source {
	in := &source{ask: make(chan struct{}), lines: make(chan sourceLine, 1)}
	go func() {
		buf := bufio.NewReader(r)
		for range in.ask {
			data, err := buf.ReadBytes('\n')
			if n, ok := bodyLength(data); ok && contentLength && err == nil {
				data, err = readBody(buf, n)
			}
			in.lines <- sourceLine{data, err}
		}
	}()
	return in
}

// next returns the next line. It fails at the end of the stream and when ctx
// ends.
func (in *source) next(ctx context.Context) ([]byte, error) {
	in.ask <- struct{}{}
	select {
	case l := <-in.lines:
		return l.data, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (in *source) stop() { close(in.ask) }

// bodyLength parses a Content-Length header line.
func bodyLength(line []byte) (int, bool) {
	const name = "content-length:"
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return 0, false
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(line[len(name):])))
	return n, err == nil && n >= 0 && n <= maxBody
}

// maxBody is the maximum body that a Content-Length header may announce, in
// bytes.
const maxBody = 64 << 20

// readBody reads the rest of a header block, and the body.
func readBody(r *bufio.Reader, n int) ([]byte, error) {
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	body := make([]byte, n)
	got, err := io.ReadFull(r, body)
	return body[:got], err
}

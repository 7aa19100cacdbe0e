package screen_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/screen"
	"wiretea/ui/source"
	"wiretea/ui/termtest"
)

// TestMain keeps what the program writes for its user out of the user's home.
func TestMain(m *testing.M) {
	time.Local = time.UTC // times of day are shown
	dir, err := os.MkdirTemp("", "wiretea-ui")
	if err == nil {
		err = errors.Join(os.Setenv("XDG_CACHE_HOME", dir), os.Setenv("EDITOR", "true"), os.Setenv("VISUAL", ""))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(200) // The tests make much garbage.
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// A scripted session is a session written by hand, for the screen.
type scripted struct {
	written *panetest.Session
	title   string
	path    string
	reason  error
	wake    chan struct{}

	mu  sync.Mutex // mu guards what follows.
	ctx pane.Context
}

// sourceOf gives the screen what was written of a session so far.
func sourceOf(written *panetest.Session, title string) *scripted {
	s := &scripted{written: written, title: title, wake: make(chan struct{}, 1), ctx: *written.Context()}
	if s.ctx.Live {
		s.path = "/sessions/" + title
	}
	written.Cleanup(func() { letGo(s.wake) })
	return s
}

func (s *scripted) Title() string         { return s.title }
func (s *scripted) Wake() <-chan struct{} { return s.wake }
func (s *scripted) Path() string          { return s.path }
func (s *scripted) Reason() error         { return s.reason }

func (s *scripted) Snapshot() *session.Snapshot { s.mu.Lock(); defer s.mu.Unlock(); return s.ctx.Snap }
func (s *scripted) Log() recorder.Log           { return growing{s} }
func (s *scripted) Now() int64                  { s.mu.Lock(); defer s.mu.Unlock(); return s.ctx.Now }
func (s *scripted) Live() bool                  { s.mu.Lock(); defer s.mu.Unlock(); return s.ctx.Live }

// more shows what was written since.
func (s *scripted) more() {
	ctx := *s.written.Context()
	s.mu.Lock()
	s.ctx = ctx
	s.mu.Unlock()
	s.wake <- struct{}{}
}

// breakOff ends the session as a kill of who records it does.
func (s *scripted) breakOff() {
	s.mu.Lock()
	s.ctx.Live = false
	s.mu.Unlock()
	s.wake <- struct{}{}
}

// letGo wakes all that wait: a screen that waits for ever is kept in memory.
func letGo(wake chan<- struct{}) {
	for {
		select {
		case wake <- struct{}{}:
		default:
			return
		}
	}
}

// growing is the log of a source that grows.
type growing struct{ *scripted }

func (g growing) log() recorder.Log                       { g.mu.Lock(); defer g.mu.Unlock(); return g.ctx.Log }
func (g growing) ReadAt(p []byte, off int64) (int, error) { return g.log().ReadAt(p, off) }
func (g growing) Size() int64                             { return g.log().Size() }
func (g growing) Wait(ctx context.Context, size int64) error {
	return g.log().Wait(ctx, size)
}

// A server is a source with a server of ours.
type server struct {
	*scripted
	sent      chan string
	resent    chan recorder.Request
	cancelled chan string // cancelled are the ids of requests that were.
	restarted chan struct{}
	closing   chan struct{} // closing is closed by Close.
	stubborn  bool          // stubborn: Close waits until it is given no more time.
	sendErr   error
}

func serverOf(written *panetest.Session, title string) *server {
	return &server{scripted: sourceOf(written, title), sent: make(chan string, 16), resent: make(chan recorder.Request, 16),
		cancelled: make(chan string, 16), restarted: make(chan struct{}, 1), closing: make(chan struct{})}
}

func (s *server) Send(_ context.Context, line string) error {
	select {
	case s.sent <- line:
	default: // nobody looks any more
	}
	return s.sendErr
}

func (s *server) Resend(_ context.Context, m recorder.Request) error {
	select {
	case s.resent <- m:
	default: // nobody looks any more
	}
	return s.sendErr
}

func (s *server) Cancel(_ context.Context, id string) error {
	select {
	case s.cancelled <- id:
	default: // nobody looks any more
	}
	return nil
}

func (s *server) Restart(context.Context) error {
	select {
	case s.restarted <- struct{}{}:
	default: // once is enough
	}
	return errors.New("it does not start")
}

func (s *server) Close(ctx context.Context) error {
	close(s.closing)
	if s.stubborn {
		<-ctx.Done()
	}
	return nil
}

// An attached is a source whose session another process has.
type attached struct {
	*server
	who   source.Attachment
	ended chan struct{} // ended has a token once End was called.
}

func attachedTo(written *panetest.Session, title string) *attached {
	s := serverOf(written, title)
	return &attached{server: s, who: source.Attachment{Tee: 4000, Client: 3999, ClientName: "desk"}, ended: make(chan struct{}, 1)}
}

func (a *attached) Attachment() source.Attachment { return a.who }

func (a *attached) End(context.Context) error { a.ended <- struct{}{}; return nil }

// notOurs hides what only the owner of a server can do.
type notOurs struct {
	source.Source
	source.Sender
	source.Ender
	source.Attached
}

func (a *attached) Source() source.Source { return notOurs{a.server.scripted, a, a, a} }

// clipboard waits for what was copied; it is kept in a file as well.
func clipboard(s *termtest.Session, has string) string {
	var text string
	s.WaitTerminal(func(term *termtest.Terminal) bool {
		text = term.Clipboard()
		return strings.Contains(text, has)
	})
	return text
}

// show runs the screen on sessions.
func show(t *testing.T, w, h int, opt screen.Options, sources ...source.Source) *termtest.Session {
	t.Helper()
	opt.Sources, opt.Dark = sources, true
	return termtest.Run(t, screen.New(opt), w, h, termtest.SessionOptions{Program: []tea.ProgramOption{tea.WithFilter(screen.Coalesce())}})
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"tea","version":"1.2.3"}}}`
)

// handshake writes the beginning of a session of the legacy era.
func handshake(s *panetest.Session) *panetest.Session {
	return handshakeDeclaring(s, "")
}

// handshakeDeclaring is handshake with more declared capabilities: JSON members, each with a comma after it.
func handshakeDeclaring(s *panetest.Session, capabilities string) *panetest.Session {
	s.Proc(0, session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "pipe", "pipe"}})
	s.Client(1, initialize)
	s.Stderr(20, "listening on stdio")
	s.Server(41, strings.Replace(initialized, `"tools":`, capabilities+`"tools":`, 1))
	s.Client(42, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// handshakeOf writes the first line of a handshake and no more.
func handshakeOf(t *testing.T, line string) *panetest.Session {
	s := panetest.New(t)
	s.Proc(0, session.Proc{Event: "start", PID: 4711})
	s.Client(1, line)
	return s
}

// talk writes a session with something of everything, up to a request that
// waits.
func talk(t *testing.T) *panetest.Session {
	s := handshake(panetest.New(t))
	s.Client(100, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.Server(112, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","description":"gives back what it gets","inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}},{"name":"brew","description":"makes tea","inputSchema":{"type":"object"}}]}}`)
	s.Client(200, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello there"}}}`)
	s.Stderr(210, "echo: called with 1 argument")
	s.Server(223.4, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Echo: hello there"}]}}`)
	s.Server(300, "Server started!")
	s.Client(400, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"pour","arguments":{}}}`)
	s.Server(401, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: pour"}}`)
	s.Server(500, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"the kettle is on"}}`)
	s.Client(600, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"brew","arguments":{"leaves":"green"}}}`)
	s.Stderr(4000, "brew: this takes a while")
	return s
}

// over writes how the session ends.
func over(s *panetest.Session) *panetest.Session {
	s.Server(5000, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"tea"}]}}`)
	s.IO(6000, session.C2S, session.IOEvent{Event: "eof", Side: "client"})
	s.IO(6001, session.S2C, session.IOEvent{Event: "eof", Side: "server"})
	s.Proc(6002, session.Proc{Event: "exit"})
	s.End()
	return s
}

// sane checks that nothing but the screen has reached the terminal.
func sane(t *testing.T, s *termtest.Session) {
	t.Helper()
	s.Terminal(func(term *termtest.Terminal) {
		if u := term.Unknown(); len(u) > 0 {
			t.Errorf("the terminal does not understand %q", u)
		}
		if term.Bells() > 0 {
			t.Errorf("the bell rang %d times", term.Bells())
		}
	})
}

// whole checks that every row between header and footer, but those that say what is
// wrong, begins and ends in a border: nothing on the screen is out of line.
func whole(t *testing.T, term *termtest.Terminal) {
	t.Helper()
	w, h := term.Size()
	if w < 20 || h < 5 {
		return
	}
	first := 1
	for text, _ := term.Cell(0, first); first < 4 && text == " "; text, _ = term.Cell(0, first) {
		first++ // says what is wrong
	}
	for y := first; y < h-1; y++ {
		for _, x := range []int{0, w - 1} {
			if text, _ := term.Cell(x, y); !strings.Contains("│┃╭╮╰╯", text) || text == "" {
				t.Errorf("row %d has %q in column %d:\n%s", y, text, x, term)
				return
			}
		}
	}
}

// restored checks that a program that has ended left the terminal as it was.
func restored(t *testing.T, s *termtest.Session) {
	t.Helper()
	s.Terminal(func(term *termtest.Terminal) {
		if _, _, shown := term.Cursor(); !shown || term.AltScreen() {
			t.Errorf("the terminal is left with its cursor %t, the alternate screen %t", shown, term.AltScreen())
		}
		for _, mode := range term.Modes() {
			if mode != 7 && mode != 25 {
				t.Errorf("the terminal is left in mode %d", mode)
			}
		}
	})
}

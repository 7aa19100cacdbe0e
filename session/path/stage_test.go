package path

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
	"wiretea/session/transport"
)

// A stage is a client and a server, both played by the test, with an Interceptor between
// them and a place in it.
type stage struct {
	t              *testing.T
	i              *Interceptor
	tap            *transport.Tap
	place          session.Intercept
	client, server *io.PipeWriter // client and server are what they write.
	toServer       *sink          // toServer and toClient are what they read.
	toClient       *sink
	c2s, s2c       *transport.Relay

	mu    sync.Mutex
	notes []string
}

// perform runs a test with a stage whose time is the test's own. The client's timeout is a
// minute.
func perform(t *testing.T, rules string, act func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, tap: transport.NewTap(time.Now(), transport.TapConfig{}), toServer: &sink{}, toClient: &sink{}}
		cfg := InterceptConfig{
			Timeout: func(_ session.Stream, method string) time.Duration {
				if method == "elicitation/create" {
					return 0
				}
				return time.Minute
			},
			Note: func(ev session.PathEvent) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.notes = append(s.notes, ev.Event+" "+ev.What+": "+ev.Text)
			},
		}
		if rules != "" {
			p, err := ParsePolicy([]byte(rules))
			if err != nil {
				t.Fatal(err)
			}
			cfg.Policy = p
		}
		s.i = NewInterceptor(cfg)
		gate := transport.NewGate(nil, 0)
		defer s.i.Guard(gate)()
		var in, out *io.PipeReader
		in, s.client = io.Pipe()
		out, s.server = io.Pipe()
		s.c2s = &transport.Relay{Tap: s.tap, Conn: 1, Stream: session.C2S, Src: in, Dst: s.toServer, Gate: gate}
		s.s2c = &transport.Relay{Tap: s.tap, Conn: 1, Stream: session.S2C, Src: out, Dst: s.toClient, Gate: gate}
		s.c2s.Start()
		s.s2c.Start()
		s.place = s.open("screen")
		act(s)
		s.client.Close()
		<-s.c2s.Done()
		s.server.Close()
		<-s.s2c.Done()
		s.i.Close()
		s.tap.Close()
		synctest.Wait()
	})
}

func (s *stage) open(by string) session.Intercept {
	s.t.Helper()
	place, err := s.i.Open(by)
	if err != nil {
		s.t.Fatal(err)
	}
	return place
}

// hold has the place hold what a filter matches.
func (s *stage) hold(filter string) {
	s.t.Helper()
	if err := s.place.Intercept(s.t.Context(), session.Interception{Filter: filter}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) says(w *io.PipeWriter, lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(w, line+"\n")
	}
	synctest.Wait()
}

// took checks what a side has read since the last call.
func (s *stage) took(side *sink, lines ...string) {
	s.t.Helper()
	synctest.Wait()
	side.mu.Lock()
	defer side.mu.Unlock()
	want := ""
	for _, line := range lines {
		want += line + "\n"
	}
	if got := side.text.String(); got != want {
		s.t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	side.text.Reset()
}

// choose decides on what is held.
func (s *stage) choose(c session.Choice, ids ...uint64) {
	s.t.Helper()
	if err := s.place.Decide(s.t.Context(), ids, c); err != nil {
		s.t.Errorf("%v: %v", c.Verb, err)
	}
	synctest.Wait()
}

func (s *stage) held() (ids []uint64) {
	for _, h := range s.place.State().Held {
		ids = append(ids, h.ID)
	}
	return ids
}

func asks(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, id, method, params)
}

func answers(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s}}`, id, result)
}

var (
	echo      = asks(1, "tools/call", `"name":"echo","arguments":{"message":"a \"b\"","n":[1,{"x":2}]},"_meta":{"progressToken":"p"}`)
	pinging   = asks(2, "ping", "")
	list      = asks(3, "tools/list", "")
	cancel    = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	progress  = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	progress9 = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}`
)

package pane_test

import (
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/keys"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
)

// TestDropped holds that a request which was dropped is not said to be held, and that nothing is
// said where it is not known what is held.
func TestDropped(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, session.C2S, session.WayIn, "hold: t:echo", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
	c := s.Context()
	c.Live, c.Now = true, int64(10*time.Second)
	for name, tt := range map[string]struct {
		held []session.Held
		want bool
	}{
		"not known": {nil, false},
		"held":      {[]session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowRequest, MessageID: "2"}}, false},
		"dropped":   {[]session.Held{}, true},
	} {
		if c.Held = tt.held; c.Dropped(0) != tt.want {
			t.Errorf("%s: %t", name, !tt.want)
		}
	}
}

// TestRenamed holds that a request which was edited and went on with another id is not said to be
// dropped, whether that has a response or not.
func TestRenamed(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, session.C2S, session.WayIn, "hold: t:echo", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
	s.Replaced(3000, session.C2S, "hold: t:echo; edited and released by screen", `{"jsonrpc":"2.0","id":999,"method":"tools/call","params":{"name":"echo"}}`)
	for range 2 {
		c := s.Context()
		c.Live, c.Now, c.Held = true, int64(10*time.Second), []session.Held{}
		if c.Dropped(0) {
			t.Errorf("dropped, with %d rows", c.Snap.Len())
		}
		s.Server(3100, `{"jsonrpc":"2.0","id":999,"result":{"content":[]}}`)
	}
}

// TestHangingWords holds what is said of a request that waits, and that nothing is said
// of one that does not hang, or for which something else is waited for.
func TestHangingWords(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow\u001b_query"}}`
	greeted := func(s *panetest.Session) {
		s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
		s.Client(3, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	for name, tt := range map[string]struct {
		play  func(s *panetest.Session)
		after time.Duration
		look  func(c *pane.Context)
		want  string
	}{
		"soon":  {func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 4 * time.Second, nil, ""},
		"hangs": {func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39*time.Second + 10*time.Millisecond, nil, "slow␛_query waits for 39 s; wiretea gives up at 60 s; ctrl-x cancels"},
		"two": {func(s *panetest.Session) {
			greeted(s)
			s.Client(10, call)
			s.Client(30, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"other"}}`)
		}, 39*time.Second + 10*time.Millisecond, nil, "slow␛_query waits for 39 s; wiretea gives up at 60 s; ctrl-x on #5 cancels"},
		"selected": {func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39*time.Second + 10*time.Millisecond, func(c *pane.Context) { c.Cursor = 4 }, "slow␛_query waits for 39 s; wiretea gives up at 60 s; ctrl-x cancels"},
		"over the limit": {
			func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 130*time.Second + 10*time.Millisecond, func(c *pane.Context) { c.Cursor = 4 }, "slow␛_query waits for 2m10s; ctrl-x cancels",
		},
		"held": {
			func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39 * time.Second,
			func(c *pane.Context) {
				c.Held = []session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowRequest, MessageID: "2"}}
			}, "",
		},
		"what the server asks is held": {
			func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39 * time.Second,
			func(c *pane.Context) {
				c.Held = []session.Held{{Conn: 1, Stream: session.S2C, Kind: session.RowRequest, MessageID: "2"}}
			}, "",
		},
		"what the client answers is held": {
			func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39 * time.Second,
			func(c *pane.Context) {
				c.Held = []session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowResult, MessageID: "7"}}
			}, "",
		},
		"another request is held": {
			func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39*time.Second + 10*time.Millisecond,
			func(c *pane.Context) {
				c.Held = []session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowRequest, MessageID: "9"}}
			},
			"slow␛_query waits for 39 s; wiretea gives up at 60 s; ctrl-x cancels",
		},
		"recorded": {func(s *panetest.Session) { greeted(s); s.Client(10, call) }, 39 * time.Second, func(c *pane.Context) { c.Live = false }, ""},
		"answered": {func(s *panetest.Session) {
			greeted(s)
			s.Client(10, call)
			s.Server(20, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`)
		}, 39 * time.Second, nil, ""},
		"asks": {func(s *panetest.Session) {
			greeted(s)
			s.Client(10, call)
			s.Server(20, `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}`)
		}, 39 * time.Second, nil, ""},
		"a client of another": {func(s *panetest.Session) {
			s.Header().Mode = "tee"
			greeted(s)
			s.Client(10, call)
		}, 39*time.Second + 10*time.Millisecond, func(c *pane.Context) { c.Cursor = 4 }, "slow␛_query waits for 39 s; ctrl-x cancels"},
		"handshake": {func(s *panetest.Session) {
			s.Client(10, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
		}, 8*time.Second + 10*time.Millisecond, nil, "initialize waits for 8 s; wiretea gives up at 60 s"},
		"probe": {func(s *panetest.Session) {
			s.Client(10, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`)
		}, 8*time.Second + 10*time.Millisecond, nil, "server/discover waits for 8 s"},
		"fetched": {func(s *panetest.Session) {
			s.Client(10, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
		}, 8*time.Second + 10*time.Millisecond, func(c *pane.Context) { c.Launcher = "npx" }, "initialize waits for 8 s: npx has not started the server, it may be downloading or building it"},
		"a subscription": {func(s *panetest.Session) {
			s.Client(10, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`)
		}, time.Hour, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			s.Proc(0, session.Proc{Event: "start", PID: 4711})
			tt.play(s)
			c := s.Context()
			c.Keys, c.Live, c.Now = keys.Map{}, true, int64(tt.after)
			if tt.look != nil {
				tt.look(c)
			}
			if got := c.HangingWords(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

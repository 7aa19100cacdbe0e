package session

import (
	"testing"

	"wiretea/session/mcp"
)

// injected is a message that was put into the stream to the server, and taken is
// one that was taken out of the stream to the client.
func injected(at int64, body string) Record {
	r := client(at, body)
	r.Way = WayOut
	return r
}

func taken(at int64, body string) Record {
	r := server(at, body)
	r.Way = WayIn
	return r
}

// handshake is a legacy connection that has begun.
func handshake() []Record {
	return []Record{
		client(0, request("0", "initialize", `{"protocolVersion":"2025-06-18"}`)),
		server(1, result("0", `{"protocolVersion":"2025-06-18"}`)),
		client(2, notification("notifications/initialized", `{}`)),
	}
}

func TestOutstanding(t *testing.T) {
	a, _ := play(t, Config{}, handshake()...)
	for i, step := range []struct {
		rec  Record
		want int
	}{
		{client(10, request("1", "tools/list", "")), 0},
		{injected(11, request(`"wiretea-x-1"`, "tools/list", "")), 1},
		{injected(12, request(`"wiretea-x-2"`, "tools/call", "")), 2},
		{server(13, result("1", `{}`)), 2},
		{taken(14, result(`"wiretea-x-1"`, `{}`)), 1},
		{taken(15, result(`"wiretea-x-1"`, `{}`)), 1}, // answered twice
		{injected(16, notification("notifications/roots/list_changed", `{}`)), 1},
		{injected(17, notification("notifications/cancelled", `{"requestId":"wiretea-x-2"}`)), 1}, // withdrawn: its answer may still come
		{taken(18, failure(`"wiretea-x-2"`, -1)), 0},
		{injected(19, request(`"wiretea-x-3"`, "ping", "")), 1},
		{injected(20, request(`"wiretea-x-4"`, "ping", "")), 2},
		{end(21), 0},
	} {
		feed(a, step.rec)
		if got := a.Snapshot().Outstanding(); got != step.want {
			t.Errorf("after step %d: %d outstanding, want %d", i, got, step.want)
		}
	}
}

// TestInjectedEra checks that an injected request is judged by the revision that it
// names itself, and by that of the session if it names none.
func TestInjectedEra(t *testing.T) {
	for params, want := range map[string]struct {
		era     mcp.Era
		version mcp.Version
	}{
		`{}`: {mcp.Legacy, mcp.V3},
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`: {mcp.Modern, mcp.V5},
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}`:            {mcp.Legacy, mcp.V3},
	} {
		var era mcp.Era
		var version mcp.Version
		a, w := play(t, Config{}, handshake()...)
		w.seen = func(ev *Event, _ Reporter) {
			if ev.Kind == MessageSeen && ev.Exchange != nil {
				era, version = ev.Exchange.Era, ev.Exchange.Version
			}
		}
		feed(a, injected(10, request(`"wiretea-x-1"`, "tools/list", params)))
		if era != want.era || version != want.version {
			t.Errorf("%s: it is of %v, %v; want %v, %v", params, era, version, want.era, want.version)
		}
	}
}

// TestInjectedChangesNothing holds that what the client speaks, and how its own
// messages are, does not depend on what was injected between them.
func TestInjectedChangesNothing(t *testing.T) {
	a, w := play(t, Config{}, handshake()...)
	feed(a,
		client(10, "{\"jsonrpc\":\"2.0\","),
		injected(11, request(`"wiretea-x-1"`, "server/discover", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`)),
		injected(12, notification("notifications/initialized", `{}`)),
		client(13, `"id":7,"method":"ping"}`),
		taken(14, result(`"wiretea-x-1"`, `{"resultType":"complete","supportedVersions":["2026-07-28"]}`)),
		server(15, result("7", `{}`)),
	)
	c := a.Snapshot().Conns()[0]
	if c.Phase != PhaseLegacy || c.Era != mcp.Legacy || c.ProbeT != 0 || c.ProbeDone {
		t.Errorf("the connection is in phase %v, era %v, probed at %d", c.Phase, c.Era, c.ProbeT)
	}
	same(t, "messages", w.only("message")[3:], []string{
		`message c2s request new #"wiretea-x-1" server/discover`,
		`message c2s notification none`,
		`message c2s request new #7 ping`,
		`message s2c result answer #"wiretea-x-1" server/discover`,
		`message s2c result answer #7 ping`,
	})
}

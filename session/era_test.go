package session

import (
	"fmt"
	"testing"

	"wiretea/session/mcp"
)

// modern returns params that carry a modern _meta.
func modern(version string) string {
	return fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{}}}`, version)
}

func initialize(id, version string) string {
	return request(id, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, version))
}

func initialized(id, version string) string {
	return result(id, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, version))
}

func discover(id string) string { return request(id, "server/discover", modern("2026-07-28")) }

const discovered = `{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`

func unsupported(id, versions string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no","data":{"supported":[%s],"requested":"x"}}}`, id, versions)
}

func TestEra(t *testing.T) {
	// Each message is followed by the state after it: phase, era and version of
	// the connection; era and version of the exchange; what the server showed.
	tests := []struct {
		name  string
		steps []string
	}{
		{"legacy", []string{
			"> " + initialize("0", "2025-11-25"), "initialize legacy - | legacy - | ",
			"< " + initialized("0", "2025-06-18"), "legacy legacy 2025-06-18 | legacy - | legacy",
			"> " + notification("notifications/initialized", "{}"), "legacy legacy 2025-06-18 | | legacy",
			"> " + request("1", "tools/list", ""), "legacy legacy 2025-06-18 | legacy 2025-06-18 | legacy",
			"< " + request("1", "roots/list", ""), "legacy legacy 2025-06-18 | legacy 2025-06-18 | legacy",
		}},
		{"modern without a probe", []string{
			"> " + request("1", "tools/list", modern("2026-07-28")), "modern modern 2026-07-28 | modern 2026-07-28 | ",
			"< " + result("1", `{"resultType":"complete","tools":[]}`), "modern modern 2026-07-28 | modern 2026-07-28 | modern",
			"> " + request("2", "tools/list", ""), "modern modern 2026-07-28 | modern 2026-07-28 | modern",
		}},
		{"a server that answers is not modern for that", []string{
			"> " + request("1", "tools/list", modern("2026-07-28")), "modern modern 2026-07-28 | modern 2026-07-28 | ",
			"< " + result("1", `{"tools":[]}`), "modern modern 2026-07-28 | modern 2026-07-28 | ",
		}},
		{"probe of a modern server", []string{
			"> " + discover(`"d"`), "probing - - | - - | ",
			"< " + result(`"d"`, discovered), "modern modern 2026-07-28 | modern 2026-07-28 | modern",
		}},
		{"probe of a legacy server", []string{
			"> " + discover("1"), "probing - - | - - | ",
			"< " + failure("1", -32601), "probing - - | - - | legacy",
			"> " + initialize("2", "2025-11-25"), "initialize legacy - | legacy - | legacy",
			"< " + initialized("2", "2025-11-25"), "legacy legacy 2025-11-25 | legacy - | legacy",
		}},
		{"probe answered with a strange result", []string{
			"> " + discover("1"), "probing - - | - - | ",
			"< " + result("1", "{}"), "probing - - | - - | legacy",
		}},
		{"late answer to the probe", []string{
			"> " + discover("1"), "probing - - | - - | ",
			"> " + initialize("2", "2025-11-25"), "initialize legacy - | legacy - | ",
			"< " + result("1", discovered), "initialize legacy - | - - | modern",
			"< " + initialized("2", "2025-11-25"), "legacy legacy 2025-11-25 | legacy - | legacy modern",
		}},
		{"refused with a modern list", []string{
			"> " + discover("1"), "probing - - | - - | ",
			"< " + unsupported("1", `"2026-07-28"`), "modern modern - | modern - | modern",
		}},
		{"refused with a legacy list", []string{
			"> " + discover("1"), "probing - - | - - | ",
			"< " + unsupported("1", `"2025-11-25"`), "probing - - | - - | modern",
			"> " + initialize("2", "2025-11-25"), "initialize legacy - | legacy - | modern",
		}},
		{"modern-only server asked to initialize", []string{
			"> " + initialize("1", "2025-11-25"), "initialize legacy - | legacy - | ",
			"< " + unsupported("1", `"2026-07-28"`), "initialize legacy - | legacy - | modern",
			"> " + request("2", "tools/list", modern("2026-07-28")), "modern modern 2026-07-28 | modern 2026-07-28 | modern",
		}},
		{"a modern request after the handshake", []string{
			"> " + initialize("1", "2025-11-25"), "initialize legacy - | legacy - | ",
			"< " + initialized("1", "2025-11-25"), "legacy legacy 2025-11-25 | legacy - | legacy",
			"> " + request("2", "tools/list", modern("2026-07-28")), "legacy legacy 2025-11-25 | modern 2026-07-28 | legacy",
			"> " + request("3", "tools/list", ""), "legacy legacy 2025-11-25 | legacy 2025-11-25 | legacy",
		}},
		{"versions that were never published", []string{
			"> " + initialize("1", "DRAFT-2025-v3"), "initialize legacy - | legacy - | ",
			"< " + initialized("1", "DRAFT-2025-v3"), "legacy legacy - | legacy - | legacy",
		}},
		{"a modern request that names a legacy revision", []string{
			"> " + request("1", "tools/list", modern("2025-11-25")), "modern modern - | modern - | ",
		}},
		{"requests before anything", []string{
			"> " + request("1", "tools/list", ""), "new - - | - - | ",
			"< " + result("1", `{"tools":[]}`), "new - - | - - | ",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &witness{}
			var got string
			w.seen = func(ev *Event, _ Reporter) {
				if ev.Kind != MessageSeen {
					return
				}
				x := ""
				if ev.Exchange != nil {
					x = word(ev.Exchange.Era) + " " + word(ev.Exchange.Version) + " "
				}
				got = fmt.Sprintf("%v %s %s | %s| %s", ev.Conn.Phase, word(ev.Conn.Era), word(ev.Conn.Version), x, shown(ev.Conn))
			}
			a := NewAnalyzer(Config{Checkers: []Checker{w}})
			for i := 0; i < len(tt.steps); i += 2 {
				d := C2S
				if tt.steps[i][0] == '<' {
					d = S2C
				}
				feed(a, frame(int64(i), d, tt.steps[i][2:]))
				if got != tt.steps[i+1] {
					t.Errorf("after %s\n got  %s\n want %s", tt.steps[i], got, tt.steps[i+1])
				}
			}
		})
	}
}

func TestVersionText(t *testing.T) {
	a, _ := play(t, Config{}, client(0, initialize("1", "DRAFT-2025-v3")), server(0, initialized("1", "DRAFT-2025-v3")))
	if c := a.Snapshot().Conns()[0]; c.VersionText != "DRAFT-2025-v3" || c.Version != mcp.NoVersion {
		t.Errorf("version %q, %v", c.VersionText, c.Version)
	}
}

func word(v fmt.Stringer) string {
	if s := v.String(); s != "" {
		return s
	}
	return "-"
}

func shown(c *Conn) string {
	switch {
	case c.ServerLegacy && c.ServerModern:
		return "legacy modern"
	case c.ServerLegacy:
		return "legacy"
	case c.ServerModern:
		return "modern"
	}
	return ""
}

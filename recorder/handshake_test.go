package recorder_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/panetest"
)

func read(s *panetest.Session) *recorder.Handshake {
	c := s.Context()
	return recorder.ReadHandshake(c.Log, c.Snap, c.Snap.Len())
}

func TestHandshake(t *testing.T) {
	none := recorder.Peer{Row: session.NoRow}
	for name, c := range map[string]struct {
		client, server []string
		want           recorder.Handshake
	}{
		"nothing": {want: recorder.Handshake{Client: none, Server: none}},
		"initialize": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2","title":"S"},"instructions":"be kind"}}`},
			want: recorder.Handshake{
				Client:       recorder.Peer{Name: "c", Version: "1", Capabilities: []byte(`{"roots":{}}`), Row: 0},
				Server:       recorder.Peer{Name: "s", Version: "2", Title: "S", Capabilities: []byte(`{"tools":{}}`), Row: 1},
				Instructions: "be kind",
			},
		},
		"discover": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}`},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28",7],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}}`},
			want: recorder.Handshake{
				Client:   recorder.Peer{Name: "c", Capabilities: []byte(`{}`), Row: 0},
				Server:   recorder.Peer{Name: "s", Capabilities: []byte(`{}`), Row: 1},
				Versions: []string{"2026-07-28", ""},
			},
		},
		"modern without discover": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}`},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}}}`},
			want:   recorder.Handshake{Client: recorder.Peer{Name: "c", Row: 0}, Server: recorder.Peer{Name: "s", Row: 1}},
		},
		"modern, in any message": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","capabilities":7,"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"c"}}}}`},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"content":[],"capabilities":{},"instructions":"x","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"3"}}}}`},
			want:   recorder.Handshake{Client: recorder.Peer{Name: "c", Row: 0}, Server: recorder.Peer{Name: "s", Version: "3", Row: 1}},
		},
		"twice": {
			client: []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"c","version":"1"}}}`,
				`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"clientInfo":{"name":"d"}}}`,
			},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}`, `{"jsonrpc":"2.0","id":2,"result":{"serverInfo":{"name":"t"}}}`},
			want:   recorder.Handshake{Client: recorder.Peer{Name: "d", Row: 1}, Server: recorder.Peer{Name: "t", Row: 3}},
		},
		"not what it should be": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":["clientInfo"]}`},
			server: []string{`{"jsonrpc":"2.0","id":1,"result":{"capabilities":[],"serverInfo":"s","ServerInfo":{"name":"S"},"instructions":7,"supportedVersions":{}}}`},
			want:   recorder.Handshake{Client: none, Server: none},
		},
		"over several lines": {
			client: []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`},
			server: []string{`{"jsonrpc":"2.0",`, `  "id":1,`, `  "result":{"serverInfo":{"name":"s"}}}`},
			want:   recorder.Handshake{Client: none, Server: recorder.Peer{Name: "s", Row: 3}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := panetest.New(t)
			for _, line := range c.client {
				s.Client(1, line)
			}
			for _, line := range c.server {
				s.Server(2, line)
			}
			if diff := cmp.Diff(&c.want, read(s)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Who is known is not read again from every listing.
func TestKnown(t *testing.T) {
	s := panetest.New(t)
	s.Client(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"c"}}}`)
	s.Server(2, `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"s"}}}`)
	s.Client(3, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"x"}}}}`)
	if h := read(s); h.Client.Name != "c" {
		t.Errorf("%+v", h)
	}
}

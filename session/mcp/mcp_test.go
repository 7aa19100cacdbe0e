package mcp

import (
	"strings"
	"testing"
)

func TestMethodsAreConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		t.Run(m.Name, func(t *testing.T) {
			if seen[m.Name] {
				t.Error("named twice")
			}
			seen[m.Name] = true
			if got := strings.HasPrefix(m.Name, "notifications/"); got != m.Notification {
				t.Errorf("Notification = %v", m.Notification)
			}
			if m.Since == NoVersion || m.Until < m.Since {
				t.Errorf("revisions %v to %v", m.Since, m.Until)
			}
			for side, path := range map[Side]string{ServerSide: m.ServerCap, ClientSide: m.ClientCap} {
				if path == "" {
					continue
				}
				if _, ok := LookupCapability(side, path); !ok {
					t.Errorf("capability %q is in no table", path)
				}
			}
			if got, ok := Lookup(m.Name); !ok || got.Name != m.Name {
				t.Errorf("Lookup = %v, %v", got, ok)
			}
		})
	}
	if _, ok := Lookup("Tools/Call"); ok {
		t.Error("names are not compared exactly")
	}
}

func TestMethodIn(t *testing.T) {
	tests := []struct {
		method string
		v      Version
		in     bool
		dir    Direction
		ext    string
	}{
		{"initialize", V4, true, ClientToServer, ""},
		{"initialize", V5, false, ClientToServer, ""},
		{"initialize", NoVersion, true, ClientToServer, ""},
		{"server/discover", V4, false, ClientToServer, ""},
		{"server/discover", V5, true, ClientToServer, ""},
		{"elicitation/create", V2, false, ServerToClient, ""},
		{"elicitation/create", V3, true, ServerToClient, ""},
		{"tasks/get", V3, false, Both, ""},
		{"tasks/get", V4, true, Both, ""},
		{"tasks/get", V5, true, ClientToServer, TasksExtension},
		{"tasks/result", V5, false, Both, ""},
		{"tasks/update", V5, true, ClientToServer, TasksExtension},
		{"notifications/progress", V4, true, Both, ""},
		{"notifications/progress", V5, true, ServerToClient, ""},
		{"notifications/cancelled", V5, true, Both, ""},
	}
	for _, tt := range tests {
		t.Run(tt.method+" "+tt.v.String(), func(t *testing.T) {
			m, ok := Lookup(tt.method)
			if !ok {
				t.Fatal("not in the table")
			}
			if m.In(tt.v) != tt.in || m.DirIn(tt.v) != tt.dir || m.ExtensionIn(tt.v) != tt.ext {
				t.Errorf("In %v, DirIn %v, ExtensionIn %q", m.In(tt.v), m.DirIn(tt.v), m.ExtensionIn(tt.v))
			}
		})
	}
}

func TestVersions(t *testing.T) {
	for v := V0; v <= V5; v++ {
		got, ok := ParseVersion(v.String())
		if !ok || got != v {
			t.Errorf("ParseVersion(%q) = %v, %v", v, got, ok)
		}
		want := Legacy
		if v == V5 {
			want = Modern
		}
		if v.Era() != want {
			t.Errorf("%v has era %v", v, v.Era())
		}
	}
	for _, bad := range []string{"", "DRAFT-2025-v3", "2025-11-26", "2024-11-5"} {
		if v, ok := ParseVersion(bad); ok {
			t.Errorf("ParseVersion(%q) = %v", bad, v)
		}
	}
}

func TestRef(t *testing.T) {
	tests := []struct {
		v            Version
		page, anchor string
		want         string
	}{
		{V4, "basic/transports", "stdio", "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio"},
		{V0, "basic/messages", "", "https://modelcontextprotocol.io/specification/2024-11-05/basic/messages"},
		{NoVersion, "basic", "_meta", "https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta"},
	}
	for _, tt := range tests {
		if got := Ref(tt.v, tt.page, tt.anchor); got != tt.want {
			t.Errorf("Ref = %s, want %s", got, tt.want)
		}
	}
}

func TestCapabilities(t *testing.T) {
	tests := []struct {
		side Side
		path string
		v    Version
		in   bool
	}{
		{ServerSide, "completions", V1, false},
		{ServerSide, "completions", V2, true},
		{ServerSide, "tasks", V5, false},
		{ClientSide, "elicitation.url", V3, false},
		{ClientSide, "roots", NoVersion, true},
	}
	for _, tt := range tests {
		c, ok := LookupCapability(tt.side, tt.path)
		if !ok || c.In(tt.v) != tt.in {
			t.Errorf("%s in %v: %v, %v", tt.path, tt.v, c, ok)
		}
	}
	if _, ok := LookupCapability(ClientSide, "tools"); ok {
		t.Error("a client has no tools")
	}
}

func TestClientsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Clients() {
		if c.Name == "" || seen[c.Name] {
			t.Errorf("name %q", c.Name)
		}
		seen[c.Name] = true
		if c.ProbeTimeout > 0 && !c.Probe {
			t.Errorf("%s: a probe timeout without a probe", c.Name)
		}
	}
}

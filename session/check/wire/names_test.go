package wire

import (
	"testing"

	"wiretea/session/mcp"
)

func TestMetaKeys(t *testing.T) {
	tests := []struct {
		key   string
		wrong bool
	}{
		{"progressToken", false}, {"a", false}, {"9", false}, {"a-b_c.d", false},
		{"com.example/x", false}, {"com.example/", false}, {"my-co.x1/a", false}, {"anthropic/maxResultSizeChars", false},
		{"", true}, {"_a", true}, {"a_", true}, {"a b", true}, {"ä", true}, {"/x", true}, {"a/b/c", true},
		{"1co/x", true}, {"co-/x", true}, {".co/x", true}, {"co./x", true}, {"c_o/x", true}, {"co/-x", true},
	}
	for _, tt := range tests {
		if got := metaFault(tt.key); got != tt.wrong {
			t.Errorf("metaFault(%q) = %v", tt.key, got)
		}
	}
}

func TestReserved(t *testing.T) {
	tests := []struct {
		prefix   string
		old, now bool // in 2025-06-18, and after
	}{
		{"io.modelcontextprotocol", false, true},
		{"dev.mcp", false, true},
		{"com.mcp.tools", true, true},
		{"mcp.dev", true, false},
		{"api.modelcontextprotocol.org", true, true},
		{"com.example.mcp", false, false},
		{"mcp", false, false},
		{"com.mcpx", false, false},
	}
	for _, tt := range tests {
		if got := reserved(tt.prefix, mcp.V3); got != tt.old {
			t.Errorf("reserved(%q) in %v = %v", tt.prefix, mcp.V3, got)
		}
		for v := mcp.V4; v <= mcp.V5; v++ {
			if got := reserved(tt.prefix, v); got != tt.now {
				t.Errorf("reserved(%q) in %v = %v", tt.prefix, v, got)
			}
		}
	}
}

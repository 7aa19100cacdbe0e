package check

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/check/features"
)

// pagesOf is a conversation with that many pages, each with a cursor of its own.
func pagesOf(t *testing.T, pages int) *session.Snapshot {
	t.Helper()
	var b strings.Builder
	params := ""
	for i := range pages {
		fmt.Fprintf(&b, "%dms c2s {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"%s}\n", 10+2*i, i, params)
		fmt.Fprintf(&b, "%dms s2c {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[],\"nextCursor\":\"p%d\"}}\n", 11+2*i, i, i)
		params = fmt.Sprintf(`,"params":{"cursor":"p%d"}`, i)
	}
	return analyze(parseConversation(t, b.String()).raw())
}

// endlessPages is how many pages a listing may have before it is reported as endless.
const endlessPages = 1000

// TestEndless holds that a listing which does not end is told of, once, and that
// one with very many pages is not a circle.
func TestEndless(t *testing.T) {
	for pages, want := range map[int]int{endlessPages - 1: 0, endlessPages: 1, 2*endlessPages + 500: 1} {
		var found []session.Finding
		for _, f := range pagesOf(t, pages).Findings() {
			if f.Rule == features.CursorLoop.ID {
				found = append(found, f)
			}
		}
		if len(found) != want {
			t.Errorf("%d pages bring %d findings: %v", pages, len(found), found)
		}
		for _, f := range found {
			if f.Severity != session.Info || f.Fault != session.Server || !strings.Contains(f.Message, "has not ended") {
				t.Errorf("%d pages bring %+v", pages, f)
			}
		}
	}
}

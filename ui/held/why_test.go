package held

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wiretea/session"
	"wiretea/ui/panetest"
)

// TestWhy holds that the pane says whose filter holds a message, and who waits meanwhile.
func TestWhy(t *testing.T) {
	c := panetest.New(t).Context()
	p := New()
	p.factsSeen = true
	p.Show(&session.InterceptState{Own: session.Interception{Filter: "t:echo"}})
	for by, want := range map[string]string{
		"hold: t:echo":                "held by your filter t:echo",
		"hold: m:tools/list":          "held by the filter m:tools/list",
		"hold: " + session.ByFollowed: "held as its request was",
		"policy: no-shell":            "held by policy: no-shell",
	} {
		if got := p.why(c, &session.Held{By: by}); got != want {
			t.Errorf("%s: %s", by, got)
		}
	}
	for _, tt := range []struct {
		kind   session.RowKind
		stream session.Stream
		want   string
	}{
		{session.RowRequest, session.C2S, "held by your filter t:echo · the client gives up in 57 s"},
		{session.RowResult, session.S2C, "held by your filter t:echo · the client gives up in 57 s"},
		{session.RowError, session.C2S, "held by your filter t:echo · the server gives up in 57 s"},
	} {
		if got := p.why(c, &session.Held{By: "hold: t:echo", Kind: tt.kind, Stream: tt.stream, Timeout: c.Wall().Add(57 * time.Second)}); got != tt.want {
			t.Errorf("%v %v: %s", tt.kind, tt.stream, got)
		}
	}
}

// TestWhyWraps holds that no line of it begins with a separator.
func TestWhyWraps(t *testing.T) {
	c := panetest.New(t).Context()
	p := New()
	one := session.Held{ID: 1, By: "hold: t:echo", Kind: session.RowRequest, MessageID: "16", Timeout: c.Wall().Add(57 * time.Second)}
	p.Show(&session.InterceptState{Own: session.Interception{Filter: "t:echo"}, Held: []session.Held{one}})
	for w := 20; w < 100; w++ {
		for _, line := range p.text(c, w, 6) {
			if strings.HasPrefix(strings.TrimSpace(ansi.Strip(line)), "·") {
				t.Errorf("%d cells: %q", w, line)
			}
		}
	}
}

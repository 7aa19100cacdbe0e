package traffic_test

import (
	"strings"
	"testing"
	"time"

	"wiretea/session"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/traffic"
)

// TestDroppedRow holds that the row of a request which was held and then dropped says so, and has
// no timer that goes on.
func TestDroppedRow(t *testing.T) {
	s := panetest.New(t)
	s.Decided(100, session.C2S, session.WayIn, "hold: t:echo", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}`)
	c := s.Context()
	c.Live, c.Now = true, int64(10*time.Second)
	p := traffic.New()
	for _, tt := range []struct {
		held      []session.Held
		says, lat string
	}{
		{[]session.Held{{Conn: 1, Stream: session.C2S, Kind: session.RowRequest, MessageID: "2"}}, "echo  held by t:echo", "‖ 9.9 s"},
		{[]session.Held{}, "echo  dropped, held by t:echo", " dropped "},
		{nil, "echo  dropped, held by t:echo", " dropped "}, // The session is over.
	} {
		c.Held, c.Live = tt.held, tt.held != nil
		panetest.Tell(t, p, c, pane.MovedMsg{})
		if got := panetest.Text(t, p, c, 100, 6); !strings.Contains(got, tt.says) || !strings.Contains(got, tt.lat) {
			t.Errorf("want %q and %q:\n%s", tt.says, tt.lat, got)
		}
	}
}

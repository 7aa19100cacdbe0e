package cli

import (
	"strings"
	"testing"
)

// TestOpenSubscription holds that a subscription that was open until our time was
// up is nobody's fault, and that one the server never took is silence.
func TestOpenSubscription(t *testing.T) {
	const discovered, acknowledged = "the result of server/discover (id 1)", "notifications/subscriptions/acknowledged"
	for _, tt := range []struct {
		method string
		came   []string
		amiss  bool
	}{
		{"subscriptions/listen", []string{discovered, acknowledged}, false},
		{"subscriptions/listen", []string{discovered}, true},
		{"tools/call", []string{discovered, "notifications/progress"}, true},
	} {
		call := trouble{method: tt.method}
		reason, _ := call.silence(&evidence{came: tt.came})
		if amiss := !strings.HasPrefix(reason, "nothing is amiss"); amiss != tt.amiss {
			t.Errorf("%s after %q: %s", tt.method, tt.came, reason)
		}
	}
}

package account

import (
	"strings"
	"testing"

	"wiretea/recorder/analysis"
)

// TestSilentSubscription holds that a subscription that was not acknowledged is not
// taken for a slow answer: it has none before its end.
func TestSilentSubscription(t *testing.T) {
	came := []string{"the result of server/discover (id 1)", "notifications/message"}
	for method, acknowledged := range map[string]bool{"subscriptions/listen": true, "tools/call": false} {
		call := trouble{method: method}
		reason, mend := call.silence(&analysis.Evidence{Came: came})
		if strings.Contains(reason, "acknowledged") != acknowledged || !strings.Contains(mend, "--timeout "+method+"=2m") {
			t.Errorf("%s: %s; %s", method, reason, mend)
		}
	}
}

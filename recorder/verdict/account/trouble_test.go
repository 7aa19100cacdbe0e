package account

import (
	"strings"
	"testing"

	"wiretea/recorder/analysis"
	"wiretea/session/client"
)

// TestAsksNothing holds that answers are not proposed to a server that asks for nothing.
func TestAsksNothing(t *testing.T) {
	for name, asks := range map[string][]string{"nothing": nil, "a question": {"elicitation/create"}} {
		why := &client.InputRequiredError{Method: "tools/call", Asks: asks, Legs: 16}
		if got := troubleOf(t.Context(), &Request{}, nil, why); (got.hint != "") != (asks != nil) {
			t.Errorf("%s: the hint is %q", name, got.hint)
		}
	}
}

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

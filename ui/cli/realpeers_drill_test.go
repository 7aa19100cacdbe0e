//go:build realpeers

package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/ui/cli/term"
)

// drillPlan uses server-everything, and fails where a step does. The server asks for the
// roots 350 ms after the handshake: the plan is longer than that.
func drillPlan() peerPlan {
	p := newPeerPlan(
		peerStep{Do: "call", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":0.1,"steps":1}`), Logs: 1},
		peerStep{Do: "tools"},
		peerStep{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":"hi"}`)},
	)
	p.Strict = true
	return p
}

// A drilled fault is one of a drill: how the client ends, what it says at the least, and how
// the server is; empty = that is not known.
type drilled struct {
	fault, client, says, server string
	unapplied                   bool
}

// stdioDrill, hungDrill and httpDrill are faults of which the outcome is known.
var (
	stdioDrill = []drilled{
		{fault: "t:echo is:response: result-to-error(out of tea) n=1", client: "told", says: "out of tea", server: "healthy"},
		{fault: "t:echo is:request: duplicate n=1", client: "recovered", server: "healthy"},
		{fault: "t:echo is:response: junk-line n=1", client: "recovered", server: "healthy"},
		{fault: "t:echo is:response: reset n=1", client: "told", says: "onnection closed"}, // Whether the server fails at writing first is chance.
		{fault: "m:prompts/list: drop", client: "recovered", server: "healthy", unapplied: true},
	}
	hungDrill = []drilled{{fault: "t:echo is:request: hang n=1", client: "hung", server: "healthy"}}
	httpDrill = []drilled{
		{fault: "t:echo is:response: result-to-error(out of tea) n=1", client: "told", says: "out of tea", server: "healthy"},
		{fault: "t:echo is:request: status(503) n=1", client: "told", server: "healthy"},
		{fault: "t:echo is:request: delay(200ms) n=1", client: "recovered", server: "healthy"},
	}
)

// TestRealPeerDrill drills server-everything with clients of two SDKs, over stdio and over
// HTTP: the report says of each fault what the client and the server did.
func TestRealPeerDrill(t *testing.T) {
	for _, name := range []string{"ts1 legacy", "py2 legacy"} {
		client := peerNamed(sdkClients, name)
		t.Run(name+", stdio", func(t *testing.T) {
			t.Parallel()
			drillWith(t, client, "{server}", programPatience, stdioDrill, peerNamed(sdkServers, "everything").argv(t))
		})
		t.Run(name+", HTTP", func(t *testing.T) {
			t.Parallel()
			drillWith(t, client, "{url}", programPatience, httpDrill, []string{httpServers[0].serve(t)})
		})
	}
	t.Run("hung", func(t *testing.T) {
		t.Parallel()
		drillWith(t, peerNamed(sdkClients, "ts1 legacy"), "{server}", hungPatience, hungDrill, peerNamed(sdkServers, "everything").argv(t))
	})
}

// programPatience is longer than any client takes; hungPatience is as long as can be before the
// SDK gives up, after 60 s.
const (
	programPatience = "5m"
	hungPatience    = "55s"
)

// drillWith looks at the report as JSON, and with one of the clients also as text and as
// JUnit, of the first fault.
func drillWith(t *testing.T, client sdkPeer, place, timeout string, faults []drilled, server []string) {
	_, era, _ := strings.Cut(client.name, " ")
	program := strings.Join(append(client.argv(t), era, drillPlan().write(t), "--", place), " ")
	drill := func(format string, faults []drilled) outcome {
		args := []string{"drill", "--client", program, "--timeout", timeout, "--format", format}
		for _, f := range faults {
			args = append(args, "--fault", f.fault)
		}
		return wiretea(t, "", append(append(args, "--"), server...)...)
	}
	got := drill("json", faults)
	var r report.Drilled
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v\n%v", err, got)
	}
	hung := faults[len(faults)-1].client == "hung"
	if (got.code == term.ExitFound) != hung || len(r.Trials) != len(faults) || r.Plain.Client.Verdict != "recovered" || r.Plain.Server.Verdict != "healthy" {
		t.Fatalf("%v", got)
	}
	for i, want := range faults {
		trial := r.Trials[i]
		if trial.Applied == want.unapplied || string(trial.Client.Verdict) != want.client || !strings.Contains(trial.Client.Said, want.says) ||
			want.server != "" && string(trial.Server.Verdict) != want.server || trial.Duplicates != 0 || trial.Restarts != 0 {
			t.Errorf("%s: %+v", want.fault, trial)
		}
	}
	if client.name != "ts1 legacy" || hung {
		return
	}
	text := drill("text", faults[:1])
	for _, line := range []string{faults[0].fault, "client failed and told its user: ", "out of tea", "server healthy", "1 of 1 fault"} {
		if !strings.Contains(text.out, line) || text.code != term.ExitFine {
			t.Errorf("the text lacks %q: %v", line, text)
		}
	}
	junit := drill("junit", faults[:1])
	for _, word := range []string{`tests="2"`, `failures="0"`, faults[0].fault} {
		if !strings.Contains(junit.out, word) || junit.code != term.ExitFine {
			t.Errorf("JUnit lacks %q: %v", word, junit)
		}
	}
}

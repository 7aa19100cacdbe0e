//go:build realpeers

package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"wiretea/recorder/checkup"
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
	fault     string
	code      int // code is the exit code of the client; -1 where it hangs.
	says      string
	server    checkup.Verdict
	unapplied bool
}

// stdioDrill, hungDrill and httpDrill are faults of which the outcome is known.
var (
	stdioDrill = []drilled{
		{fault: "t:echo is:response: result-to-error(out of tea) n=1", code: 1, says: "out of tea", server: checkup.Survived},
		{fault: "t:echo is:request: duplicate n=1", server: checkup.Survived},
		{fault: "t:echo is:response: junk-line n=1", server: checkup.Survived},
		{fault: "t:echo is:response: reset n=1", code: 1}, // Whether the server fails at writing first is chance.
		{fault: "m:prompts/list: drop", server: checkup.Survived, unapplied: true},
	}
	hungDrill = []drilled{{fault: "t:echo is:request: hang n=1", code: -1, server: checkup.Survived}}
	httpDrill = []drilled{
		{fault: "t:echo is:response: result-to-error(out of tea) n=1", code: 1, says: "out of tea", server: checkup.Survived},
		{fault: "t:echo is:request: status(503) n=1", code: 1, server: checkup.Survived},
		{fault: "t:echo is:request: delay(200ms) n=1", server: checkup.Survived},
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

// drillWith looks at the report as JSON, and with one of the clients also as text, of the first
// fault.
func drillWith(t *testing.T, client sdkPeer, place, timeout string, faults []drilled, server []string) {
	_, era, _ := strings.Cut(client.name, " ")
	program := strings.Join(append(client.argv(t), era, drillPlan().write(t), "--", place), " ")
	run := func(format string, faults []drilled) outcome {
		args := []string{"drill", "--client", program, "--timeout", timeout, "--format", format}
		for _, f := range faults {
			args = append(args, "--fault", f.fault)
		}
		return wiretea(t, "", append(append(args, "--"), server...)...)
	}
	got := run("json", faults)
	var r struct{ Trials []checkup.Trial }
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v\n%v", err, got)
	}
	hung := faults[len(faults)-1].code < 0
	if (got.code == term.ExitFound) != hung || len(r.Trials) != len(faults)+1 || r.Trials[0].ExitCode != 0 || !r.Trials[0].Fine() {
		t.Fatalf("%v", got)
	}
	for i, want := range faults {
		trial := r.Trials[i+1]
		if trial.Applied == want.unapplied || trial.ExitCode != want.code || !strings.Contains(trial.Client.Said, want.says) || want.server != "" && trial.Server.Verdict != want.server {
			t.Errorf("%s: %+v", want.fault, trial)
		}
	}
	if client.name != "ts1 legacy" || hung {
		return
	}
	text := run("text", faults[:1])
	for _, line := range []string{faults[0].fault, "client survived: exit code 1: ", "out of tea", "server survived", "1 of 1 fault"} {
		if !strings.Contains(text.out, line) || text.code != term.ExitFine {
			t.Errorf("the text lacks %q: %v", line, text)
		}
	}
}

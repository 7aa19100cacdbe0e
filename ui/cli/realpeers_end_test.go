//go:build realpeers

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealPeerEnd measures how long clients take to close, alternately with a tee
// and without. Clients give a server 2 s before they send SIGTERM: what the tee
// adds is a small part of that.
func TestRealPeerEnd(t *testing.T) {
	const (
		runs     = 5
		nearly   = 200  // ms that the best close behind the tee may take longer than the median without.
		markedly = 1000 // ms that the medians may be apart, on a machine that does other things too.
	)
	short := newPeerPlan(
		peerStep{Do: "tools"},
		peerStep{Do: "call", Name: "echo", Args: json.RawMessage(`{"message":"hi"}`)},
	)
	// While server-everything waits for the roots, it does not end.
	everything := newPeerPlan(append(short.Steps, peerStep{Do: "call", Name: "trigger-long-running-operation", Args: json.RawMessage(`{"duration":0.1,"steps":1}`), Logs: 1})...)
	for _, pair := range []struct {
		client, server string
		plan           peerPlan
	}{
		{"ts1 legacy", "everything", everything},
		{"go modern", "everything", everything},
		{"py2 auto", "everything", everything},
		{"ts2 modern", "go", short},
		{"go legacy", "go", short},
		{"go modern", "go", short},
		{"py1 legacy", "go", short},
	} {
		t.Run(pair.server+"/"+pair.client, func(t *testing.T) {
			client, server, plan := peerNamed(sdkClients, pair.client), peerNamed(sdkServers, pair.server).argv(t), pair.plan.write(t)
			tee := append([]string{"wiretea", "tee", "--record", filepath.Join(t.TempDir(), "session.mcpcap.jsonl"), "--"}, server...)
			var with, without []float64
			for range runs {
				without = append(without, client.play(t, plan, server).Closing)
				with = append(with, client.play(t, plan, tee).Closing)
			}
			slices.Sort(with)
			slices.Sort(without)
			t.Logf("closes in %.1f ms (%.1f to %.1f), and without the tee in %.1f ms (%.1f to %.1f)",
				with[runs/2], with[0], with[runs-1], without[runs/2], without[0], without[runs-1])
			if with[0] > without[runs/2]+nearly || with[runs/2] > without[runs/2]+markedly {
				t.Errorf("closing takes %.1f ms behind the tee, and %.1f ms without", with, without)
			}
		})
	}
}

func peerNamed(peers []sdkPeer, name string) sdkPeer {
	return peers[slices.IndexFunc(peers, func(p sdkPeer) bool { return p.name == name })]
}

// TestRealPeerKills lets clients close servers that do not end with their input.
// The signals that the clients send then arrive, and the end that they cause comes
// back.
func TestRealPeerKills(t *testing.T) {
	plan := newPeerPlan(peerStep{Do: "tools"})
	for _, name := range []string{"ts1 legacy", "ts2 modern", "go modern", "py1 legacy", "py2 auto"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, server, file := peerNamed(sdkClients, name), append(peerNamed(sdkServers, "ts2").argv(t), "lingering"), plan.write(t)
			without := client.play(t, file, server)
			dir := t.TempDir()
			tee := append([]string{"wiretea", "tee", "--record", filepath.Join(dir, "session.mcpcap.jsonl"), "--"}, server...)
			with := client.play(t, file, tee)
			wantSame(t, "behind the tee", with, without)
			t.Logf("closes in %.0f ms, and without the tee in %.0f ms", with.Closing, without.Closing)
			if with.Closing > without.Closing+1500 { // the clients' next patience is 2 s or more
				t.Errorf("closing takes %.0f ms, and without the tee %.0f ms", with.Closing, without.Closing)
			}

			outer, inner := t.TempDir(), t.TempDir()
			tee = append([]string{"witness", outer, "wiretea", "tee", "--record", filepath.Join(dir, "witnessed.mcpcap.jsonl"), "--", "witness", inner}, server...)
			wantSame(t, "behind the tee and two witnesses", client.play(t, file, tee), without)
			was, is := seenEnd(t, filepath.Join(inner, "1")), seenEnd(t, filepath.Join(outer, "1"))
			if was != is || !strings.Contains(was, "came terminated") || !strings.Contains(was, "signal: terminated") {
				t.Errorf("at the server:\n%s\nat the client:\n%s", was, is)
			}
			last := recordings(t, dir)
			text, err := os.ReadFile(last[len(last)-1])
			if err != nil || !strings.Contains(string(text), `"sig":"SIGTERM"`) {
				t.Errorf("the recording does not say how it ended: %v\n%s", err, text[max(0, len(text)-1000):])
			}
		})
	}
}

// seenEnd is how a witness saw the end. The Python SDK signals the whole group: then
// the server has the signal itself, and it may come once more by way of the others.
func seenEnd(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join(slices.Compact(strings.Split(readFile(t, dir, "how"), "\n")), "\n")
}

//go:build realpeers

package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wiretea/session"
)

// TestRealPeerEnd measures how long clients take to close, alternately with a tee
// and without, until the tee has cost next to nothing twice. Clients give a server
// 2 s before they send SIGTERM: what the tee adds is a small part of that.
func TestRealPeerEnd(t *testing.T) {
	const (
		next  = 200 // ms that the tee may cost; what else the machine does costs more at times.
		often = 2
		tries = 8
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
		{"ts2 modern", "go", short},
		{"go legacy", "go", short},
		{"py2 auto", "go", short},
	} {
		t.Run(pair.server+"/"+pair.client, func(t *testing.T) {
			client, server, plan := peerNamed(sdkClients, pair.client), peerNamed(sdkServers, pair.server).argv(t), pair.plan.write(t)
			tee := append([]string{"wiretea", "tee", "--record", filepath.Join(t.TempDir(), "session.mcpcap.jsonl"), "--"}, server...)
			for cheap, try := 0, 0; cheap < often; try++ {
				if try == tries {
					t.Fatalf("the tee costs %d ms and more in %d of %d ends", next, tries-cheap, tries)
				}
				without, with := client.play(t, plan, server).Closing, client.play(t, plan, tee).Closing
				t.Logf("closes in %.1f ms, and without the tee in %.1f ms", with, without)
				if with < without+next {
					cheap++
				}
			}
		})
	}
}

func peerNamed(peers []sdkPeer, name string) sdkPeer {
	return peers[slices.IndexFunc(peers, func(p sdkPeer) bool { return p.name == name })]
}

// impatience is how much longer a close may take, in ms, before the client goes on to
// its next step: 2 s or more.
const impatience = 1500

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
			with := client.inTime(t, file, tee, without)
			wantSame(t, "behind the tee", with, without)
			t.Logf("closes in %.0f ms, and without the tee in %.0f ms", with.Closing, without.Closing)
			wantTerminated(t, dir, client)

			outer, inner, dir := t.TempDir(), t.TempDir(), t.TempDir()
			tee = append([]string{"witness", outer, "wiretea", "tee", "--record", filepath.Join(dir, "session.mcpcap.jsonl"), "--", "witness", inner}, server...)
			wantSame(t, "behind the tee and two witnesses", client.inTime(t, file, tee, without), without)
			was, is := seenEnd(t, inner), seenEnd(t, outer)
			if was != is || !strings.Contains(was, "came terminated") || !strings.Contains(was, "signal: terminated") {
				t.Errorf("at the server:\n%s\nat the client:\n%s", was, is)
			}
			wantTerminated(t, dir, client)
		})
	}
}

// inTime plays until the client need not go on to its next step because the machine is
// slow, three times at most.
func (client sdkPeer) inTime(t *testing.T, plan string, server []string, than sdkAnswers) (p sdkAnswers) {
	t.Helper()
	for range 3 {
		if p = client.play(t, plan, server); p.Closing < than.Closing+impatience {
			return p
		}
		t.Logf("closes in %.0f ms: once more", p.Closing)
	}
	t.Errorf("closing takes %.0f ms, and without the tee %.0f ms", p.Closing, than.Closing)
	return p
}

// wantTerminated wants the latest recording to say that SIGTERM came and ended it. The
// Python SDK signals the whole group: the server may have ended before the tee notes its
// own.
func wantTerminated(t *testing.T, dir string, client sdkPeer) {
	t.Helper()
	group := strings.HasPrefix(client.name, "py")
	files := recordings(t, dir)
	seen := processEvents(t, files[len(files)-1])
	if !group && !strings.Contains(seen, "signal SIGTERM") || !strings.Contains(seen, "exit SIGTERM") {
		t.Errorf("recorded:\n%s", seen)
	}
}

// seenEnd is how a witness saw the end of the latest start. The Python SDK signals the
// whole group: then the server has the signal itself, and it may come once more by way
// of the others.
func seenEnd(t *testing.T, dir string) string {
	t.Helper()
	starts, err := os.ReadDir(dir)
	if err != nil || len(starts) == 0 {
		t.Fatal("nothing was witnessed", err)
	}
	how := readFile(t, filepath.Join(dir, strconv.Itoa(len(starts))), "how")
	return strings.Join(slices.Compact(strings.Split(how, "\n")), "\n")
}

// TestRealPeerKillsDeaf lets clients close servers that heed neither the end of their
// input nor SIGTERM. What the clients then kill is the tee, or its group: the server
// dies of it.
func TestRealPeerKillsDeaf(t *testing.T) {
	plan := newPeerPlan(peerStep{Do: "tools"})
	for _, name := range []string{"ts1 legacy", "ts2 modern", "go modern", "py2 auto"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, server, dir := peerNamed(sdkClients, name), append(peerNamed(sdkServers, "ts2").argv(t), "deaf"), t.TempDir()
			tee := append([]string{"wiretea", "tee", "--record", filepath.Join(dir, "session.mcpcap.jsonl"), "--"}, server...)
			client.play(t, plan.write(t), tee)
			for _, file := range recordings(t, dir) {
				var pid int
				for _, r := range recording(t, file) {
					switch {
					case r.Kind == session.RecProc && r.Proc.Event == "start":
						pid = r.Proc.PID
					case r.Kind == session.RecProc && r.Proc.Event == "exit":
						t.Errorf("it was the server that ended: %+v", r.Proc)
					}
				}
				t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
				awaitGone(t, pid)
			}
		})
	}
}

// awaitGone waits until there is no process of that pid. A zombie is gone: whoever
// inherited it has yet to notice.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	await(t, fmt.Sprintf("the end of process %d", pid), func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " Z")
	})
}

//go:build unix

package capture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
)

// TestProcessFaults holds of the faults that act on the server's process, which the goldens of
// TestFaultEffects cannot show, what the server has read, as it writes down itself, what the client
// gets, and which signals the record has: a server that is killed behind its response ends by
// SIGKILL, and one that is stopped answers the next request once it goes on.
func TestProcessFaults(t *testing.T) {
	// The server writes down what it reads, and answers each request.
	script := `while read -r line; do printf '%s\n' "$line" >>"$0"; case "$line" in *'"id"'*) id=${line#*'"id":'}; id=${id%%,*}; case "$line" in
		*initialize*|*discover*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
		*) printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id";; esac;; esac; done`
	for name, test := range map[string]struct {
		second  bool   // second: it answers another call; else it ends.
		signals string // signals are those of the fault, and how the server ended where it did.
	}{
		"kill":        {false, "SIGKILL by fault, exit SIGKILL"},
		"stop(100ms)": {true, "SIGSTOP by fault, SIGCONT by fault"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			dir := t.TempDir()
			read, record := filepath.Join(dir, "read"), filepath.Join(dir, "s.mcpcap.jsonl")
			run, err := New(Config{
				Server: &Process{Argv: []string{"sh", "-c", script, read}}, Client: client.Config{Era: client.Legacy}, Record: Record{File: record},
				InPath: InPath{Faults: parsed(t, []string{"m:x/first is:response: " + name + " n=1"})},
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := run.Connect(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Call(ctx, "x/first", []byte(`{}`)); err != nil {
				t.Errorf("the response that meets the fault: %v", err)
			}
			if test.second {
				if _, err := c.Call(ctx, "x/second", []byte(`{}`)); err != nil {
					t.Errorf("the call behind it: %v", err)
				}
			} else {
				select {
				case <-c.Done():
				case <-ctx.Done():
					t.Fatal("the server goes on")
				}
			}
			if err := run.Close(ctx, "test"); err != nil {
				t.Error(err)
			}
			if err := run.Release(); err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(read)
			if err != nil {
				t.Fatal(err)
			}
			if first, second := strings.Count(string(text), "x/first"), strings.Count(string(text), "x/second"); first != 1 || second == 1 != test.second {
				t.Errorf("the server has read\n%s", text)
			}
			if got := faultSignals(t, record); got != test.signals {
				text, _ := os.ReadFile(record)
				t.Errorf("%s, want %s in\n%s", got, test.signals, text)
			}
		})
	}
}

// faultSignals are the signals of a fault in a record, and the first end of the server where a
// signal ended it.
func faultSignals(t *testing.T, path string) string {
	t.Helper()
	log, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var all []string
	for rec, err := range recorder.NewReader(log, 0).Records() {
		if err != nil {
			t.Fatal(err)
		}
		switch p := rec.Proc; {
		case rec.Kind != session.RecProc:
		case p.Event == "signal" && p.By == "fault":
			all = append(all, fmt.Sprintf("%s by %s", p.Signal, p.By))
		case p.Event == "exit" && p.Signal == "SIGKILL":
			all = append(all, "exit "+p.Signal)
		}
	}
	return strings.Join(all, ", ")
}

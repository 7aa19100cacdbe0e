//go:build realpeers

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/session/check/compat"
)

// A lensCase is a fault to measure, and the method in whose answer it is.
type lensCase struct {
	Fault string `json:"fault"`
	In    string `json:"in"`
}

// A lensFound is what a client did with a fault: how the request for what it is in
// ended, whether the connection answered a later request, and how many errors the
// client's error handler was told.
type lensFound struct {
	Call    string `json:"call"` // Call is kept, broken, or open.
	Alive   bool   `json:"alive"`
	Closed  bool   `json:"closed"`
	Escaped bool   `json:"escaped"` // Escaped: an error ended the whole session.
	Errors  int    `json:"errors"`
	Message string `json:"message"`
}

// A lensReport is what a client found.
type lensReport struct {
	Version string               `json:"version"`
	Results map[string]lensFound `json:"results"`
}

// outcome is the word of the table for it.
func (found lensFound) outcome(f compat.Fault) compat.Outcome {
	switch {
	case found.Call == "kept" && found.Errors > 0:
		return compat.Reports
	case found.Call == "kept" && f.In() == "":
		return compat.Skips
	case found.Call == "kept":
		return compat.Accepts
	case f.In() == "initialize":
		return compat.Refuses // and nobody goes on without a handshake
	case found.Closed, found.Escaped:
		return compat.Disconnects
	case found.Call == "open":
		return compat.Hangs
	case found.Alive:
		return compat.Refuses
	}
	return compat.Disconnects
}

// TestRealPeerLens measures the table of session/check/compat with the clients of the
// official SDKs, and fails where it is wrong. What differs is measured once more,
// alone: a machine may be busy.
func TestRealPeerLens(t *testing.T) {
	for client, measure := range lensClients {
		t.Run(client.String(), func(t *testing.T) {
			t.Parallel()
			report := measure(t, lensCases(t, allFaults()))
			if report.Version != client.Version() {
				t.Errorf("the table is of version %s, and %s was measured", client.Version(), report.Version)
			}
			again := slices.DeleteFunc(allFaults(), func(f compat.Fault) bool { return report.agrees(client, f) })
			if len(again) > 0 {
				t.Logf("measured again: %v", again)
				report = measure(t, lensCases(t, again))
			}
			for _, f := range again {
				if found := report.Results[f.String()]; !report.agrees(client, f) {
					found.Message, _, _ = strings.Cut(found.Message, "\n")
					v := client.Of(f)
					t.Errorf("%s: the table says %v %s, and it %v: %+v", f, v.Outcome, v.Note, found.outcome(f), found)
				}
			}
		})
	}
}

// allFaults lists the faults, those first that are waited for.
func allFaults() []compat.Fault {
	all := []compat.Fault{compat.NoNewline, compat.ContentLength, compat.ProbeSilent, compat.LongLine}
	for f := range compat.NumFaults {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

func (r lensReport) agrees(client compat.Client, f compat.Fault) bool {
	found, measured := r.Results[f.String()]
	if !measured || found.outcome(f) != client.Of(f).Outcome {
		return false
	}
	return client.Of(f).Outcome != compat.Hangs || (client.Of(f).Note == compat.Silently) == (found.Errors == 0)
}

// lensCases writes the file of the faults to measure.
func lensCases(t *testing.T, faults []compat.Fault) string {
	t.Helper()
	var cases []lensCase
	for _, f := range faults {
		cases = append(cases, lensCase{f.String(), f.In()})
	}
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// lensClients measure a file of cases.
var lensClients = map[compat.Client]func(t *testing.T, cases string) lensReport{
	compat.TypeScript1: lensScript("node", "lens_ts1.mjs"),
	compat.TypeScript2: lensScript("node", "lens_ts2.mjs"),
	compat.Python1:     lensScript("py1", "lens.py"),
	compat.Python2:     lensScript("py2", "lens.py"),
	compat.RMCP:        lensScript("rmcp"),
	compat.Go:          lensGo,
}

func lensScript(names ...string) func(t *testing.T, cases string) lensReport {
	return func(t *testing.T, cases string) lensReport {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		argv := append(script(names...)(t), cases, "--", "faultserver")
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		var out, errw bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errw
		if err := cmd.Run(); err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, &errw)
		}
		var r lensReport
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, &out)
		}
		return r
	}
}

// lensGo measures the Go SDK.
func lensGo(t *testing.T, file string) lensReport {
	t.Helper()
	var cases []lensCase
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := lensReport{Version: sdkVersion(t), Results: map[string]lensFound{}}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, c := range cases {
		all.Go(func() {
			found := lensGoCase(t.Context(), c)
			mu.Lock()
			defer mu.Unlock()
			r.Results[c.Fault] = found
		})
	}
	all.Wait()
	return r
}

var sdkModule = regexp.MustCompile(`github.com/modelcontextprotocol/go-sdk v(\S+)`)

// sdkVersion is the one that this program is built with.
func sdkVersion(t *testing.T) string {
	t.Helper()
	found := sdkModule.FindStringSubmatch(readFile(t, filepath.Join("..", ".."), "go.mod"))
	if found == nil {
		t.Fatal("go.mod does not require the Go SDK")
	}
	return found[1]
}

// graceOfLens is how long what perhaps never comes is waited for.
const graceOfLens = 20 * time.Second

func lensGoCase(ctx context.Context, c lensCase) lensFound {
	cmd := exec.Command("faultserver", c.Fault)
	connecting, give := context.WithTimeout(ctx, patience)
	if c.In == "server/discover" {
		connecting, give = context.WithTimeout(ctx, graceOfLens)
	}
	defer give()
	client := sdk.NewClient(&sdk.Implementation{Name: "lens", Version: "1"}, nil)
	session, err := client.Connect(connecting, &sdk.CommandTransport{Command: cmd}, nil)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		if cmd.Process != nil {
			cmd.Process.Kill()
		}
		return lensFound{Call: "open", Message: err.Error()}
	case err != nil:
		return lensFound{Call: "broken", Message: err.Error()}
	}
	defer func() {
		go session.Close()
	}()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	call := lensWatch(func() (err error) {
		if c.In == "tools/call" {
			_, err = session.CallTool(asking, &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{}})
		} else {
			_, err = session.ListTools(asking, nil)
		}
		return err
	})
	after := lensWatch(func() error { return session.Ping(asking, nil) })
	found := lensFound{Call: "open"}
	select {
	case err := <-after:
		found.Alive = err == nil
	case <-time.After(graceOfLens):
	}
	select {
	case err = <-call:
		if found.Call = "kept"; err != nil {
			found.Call, found.Message = "broken", err.Error()
		}
	case <-time.After(2 * time.Second):
	}
	return found
}

func lensWatch(ask func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- ask() }()
	return done
}

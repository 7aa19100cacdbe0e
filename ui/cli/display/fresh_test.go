package display

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/recordertest"
	"wiretea/session/demo"
	"wiretea/session/mcp"
	"wiretea/ui/source"
)

// TestMain lets this binary be the demo's server.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "demo" {
		os.Exit(demo.Serve(context.Background(), os.Args[3], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// self is this binary.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// recordingOf writes a recording of a server that says nothing.
func recordingOf(t *testing.T, argv ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(recordertest.Generate(f, recordertest.Options{Frames: 20}), f.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := `"` + strings.Join(argv, `","`) + `"`
	text = []byte(strings.Replace(string(text), `"cmd":["wiretea","gen"]`, `"cmd":[`+cmd+`]`, 1))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened opens a recording that has been read.
func opened(t *testing.T, path string, opt FreshOptions) *Recording {
	t.Helper()
	src, err := OpenRecording(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	for src.Reading() {
		<-src.Wake()
	}
	return src
}

// TestFreshServer sends requests to servers that are started for them, of either era.
func TestFreshServer(t *testing.T) {
	src := opened(t, recordingOf(t, self(t), "demo", "--server", "healthy"), FreshOptions{})
	defer src.Close()
	if got := src.Fresh(); got.Why != "" || got.Chosen || len(got.Argv) != 4 {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct {
		trial source.Trial
		want  string
		fails bool
	}{
		{source.Trial{Request: recorder.Request{Method: "tools/list"}, Era: mcp.Legacy, Version: "2025-11-25"}, `"name":"echo"`, false},
		{source.Trial{Request: recorder.Request{Method: "tools/call", Params: []byte(`{"name":"nonsense"}`)}, Era: mcp.Modern, Version: "2026-07-28"}, `"code":-32602`, true},
		{source.Trial{Request: recorder.Request{Method: "tools/list"}}, `"name":"echo"`, false},
	} {
		got, err := src.Try(t.Context(), c.trial)
		if err != nil || got.Error != c.fails || !strings.Contains(string(got.Body), c.want) || got.Server == "" {
			t.Errorf("%+v: %+v %s, %v", c.trial, got, got.Body, err)
		}
	}
}

// TestFreshServerEnds: a server that does not answer ends with the recording, and no
// other is started then.
func TestFreshServerEnds(t *testing.T) {
	src := opened(t, recordingOf(t, self(t), "demo", "--server", "silent-on-probe"), FreshOptions{server: "'" + self(t) + "' demo --server no-answer"})
	if got := src.Fresh(); !got.Chosen || !slices.Equal(got.Argv, []string{self(t), "demo", "--server", "no-answer"}) {
		t.Errorf("%+v", got)
	}
	tried := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, err := src.Try(ctx, source.Trial{Request: recorder.Request{Method: "tools/call", Params: []byte(`{"name":"slow"}`)}})
		tried <- err
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		src.fresh.mu.Lock()
		started := len(src.fresh.ends) > 0
		src.fresh.mu.Unlock()
		if started {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing is started")
		}
	}
	src.Close()
	if err := <-tried; err == nil {
		t.Error("it has answered")
	}
	if _, err := src.Try(t.Context(), source.Trial{}); !errors.Is(err, errNoFresh) {
		t.Errorf("after the end: %v", err)
	}
}

func TestFreshServerUnknown(t *testing.T) {
	src := opened(t, recordingOf(t, "/does/not/exist"), FreshOptions{})
	defer src.Close()
	if _, err := src.Try(t.Context(), source.Trial{Request: recorder.Request{Method: "ping"}}); err == nil || !strings.Contains(err.Error(), "/does/not/exist") {
		t.Errorf("%v", err)
	}
	if got := recordedServer(nil); got.Why == "" {
		t.Errorf("%+v", got)
	}
}

func TestSplitWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                               nil,
		"  ":                             nil,
		"a b\tc":                         {"a", "b", "c"},
		`a 'b c' "d e"`:                  {"a", "b c", "d e"},
		`a\ b 'c\d' "e\"f" "g\h"`:        {"a b", `c\d`, `e"f`, `g\h`},
		`'' ""`:                          {"", ""},
		`x'y'z`:                          {"xyz"},
		`node server.js --greet 'ça va'`: {"node", "server.js", "--greet", "ça va"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a 'b`, `a "b`, `a\`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}

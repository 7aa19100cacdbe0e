package display

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/capture"
	"wiretea/recorder/recordertest"
	"wiretea/session/demo"
	"wiretea/session/mcp"
	"wiretea/ui/source"
)

// TestMain lets this binary be the demo's server. The tests have a home folder of their own.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "demo" {
		os.Exit(demo.Serve(context.Background(), os.Args[3], os.Stdin, os.Stdout, os.Stderr))
	}
	remove, err := recordertest.OwnHome()
	if err != nil {
		panic(err)
	}
	code := m.Run()
	remove()
	os.Exit(code)
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
	asked := make(chan struct{}, 16)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer silent.Close()
	src := opened(t, recordingOf(t, self(t), "demo", "--server", "silent-on-probe"), FreshOptions{server: silent.URL + " --x 'a b'"})
	if got := src.Fresh(); !got.Chosen || !slices.Equal(got.Argv, []string{silent.URL, "--x", "a b"}) {
		t.Errorf("%+v", got)
	}
	src.fresh.server = silent.URL
	tried := make(chan error, 1)
	go func() {
		_, err := src.Try(t.Context(), source.Trial{Request: recorder.Request{Method: "tools/call", Params: []byte(`{"name":"slow"}`)}})
		tried <- err
	}()
	<-asked
	src.Close()
	if err := <-tried; err == nil {
		t.Error("it has answered")
	}
	if _, err := src.Try(t.Context(), source.Trial{}); !errors.Is(err, capture.ErrEnded) {
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

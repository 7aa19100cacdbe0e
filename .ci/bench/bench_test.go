//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestPicture holds that a picture is taken of a screen on which the keys that end
// the program mean something else.
func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "screen.svg")
	if err := run(t.Context(), []string{"picture", "--until", "╰", "--keys", "f", "--settle", "0s", "--title", "help", file}, io.Discard); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "<svg ") || !strings.Contains(string(text), ">help</text>") {
		t.Errorf("not an SVG picture:\n%.300s", text)
	}
}

// TestCall holds that the call bench measures each way.
func TestCall(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"call", "--rounds", "1"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"floor: three lines out, two in", "wiretea call  ", "ms      1.00×"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestPath holds that the path bench measures each way.
func TestPath(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"path", "--cpus", strconv.Itoa(runtime.NumCPU()), "--rounds", "1", "--trips", "20"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tee, 200 rules with b:", "tee, 1 more held before each", "proxy, 101 held", "(budget 1.50×) of proxy, nothing on", "(budget 1ms) to tee, 0 held"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestHTTP holds that the http bench measures each way, and finds no bad answer.
func TestHTTP(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"http", "--rounds", "1", "--trips", "20", "--events", "5", "--streams", "10"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"200 B, p50", "delay of an event, p50", "the client disconnects, most", "memory with open streams", "wiretea, recording: 0 bad answers"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := run(t.Context(), []string{"--binary", "unused", "http", "--verify", "20", "--verify-long", "2"}, &out); err != nil || strings.Count(out.String(), " 0 bad ") != 12 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

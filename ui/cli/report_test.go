package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
)

// TestCheckJSON holds the members of check's JSON and their order: programs
// read it.
func TestCheckJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "session.mcpcap.jsonl")
	writeFile(t, file, string(recordDemo(t, "log-line", `tools/call {"name":"echo"}`)))
	got := inProcess(t.Context(), "check", "--format", "json", file)
	want := `tool source era protocolVersion frames
		bytes bytes.c2s bytes.s2c bytes.stderr
		exchanges exchanges.total exchanges.pending exchanges.errors exchanges.refused
		process process.exitCode process.signal process.state
		diagnosis
		findings findings.rule findings.severity findings.fault findings.frame findings.count findings.message findings.hint findings.ref findings.breaks
		summary summary.error summary.info summary.warning`
	if diff := cmp.Diff(strings.Fields(want), memberPaths(t, got.out)); diff != "" || got.code != term.ExitFound {
		t.Errorf("%s\n%v", diff, got)
	}
}

// memberPaths lists the members of a JSON object and of those in it, in order.
func memberPaths(t *testing.T, text string) (paths []string) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	var path []string // the members that are open; "" for an array
	name := true      // the next string is a name
	for {
		token, err := dec.Token()
		if err != nil {
			break
		}
		delim, isDelim := token.(json.Delim)
		switch {
		case isDelim && (delim == '{' || delim == '['):
			path = append(path, "")
			name = delim == '{'
			continue
		case isDelim:
			path = path[:len(path)-1]
		case name && len(path) > 0:
			path[len(path)-1] = token.(string)
			paths = append(paths, strings.Join(strings.Fields(strings.Join(path, " ")), "."))
			name = false
			continue
		}
		name = true
	}
	if len(path) > 0 || len(paths) == 0 {
		t.Fatalf("this is no JSON object: %s", text)
	}
	return paths
}

// TestDiffCosts holds that diff says what a change of the tools takes of a model's context,
// for people and for programs.
func TestDiffCosts(t *testing.T) {
	a := newTape().tools("echo:Echoes", "gone:"+strings.Repeat("tea ", 10)).bye().save(t, "a.jsonl")
	b := newTape().tools("echo:"+strings.Repeat("Echoes it. ", 40), "fresh:New").bye().save(t, "b.jsonl")
	got := inProcess(t.Context(), "diff", a, b)
	for _, want := range []string{"1 added, 1 removed, 1 changed, about 45 → 150 tokens in every conversation", "echo  ≈ +110 tokens", "gone  ≈ -27 tokens", "fresh  ≈ +18 tokens"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %v", want, got)
		}
	}
	got = inProcess(t.Context(), "diff", "--json", a, b)
	var report struct {
		Context struct{ A, B int64 }
		Lists   []struct {
			Name   string
			Tokens int64
		}
	}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, item := range report.Lists {
		sum += item.Tokens
	}
	if len(report.Lists) != 3 || report.Context.A == 0 || report.Context.B-report.Context.A != sum {
		t.Errorf("%+v of %v", report, got)
	}
}

// TestOutputLost holds that a result that could not be written is an error, which nobody
// takes for a finding or for a fault of the server.
func TestOutputLost(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "s"+recorder.Suffix)
	writeFile(t, file, string(recordDemo(t, "legacy", "ping")))
	closed, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	sessions := []string{"--sessions", t.TempDir()}
	server := []string{"--", "wiretea", "demo", "--server", "legacy"}
	for _, line := range [][]string{
		{"sessions", "show", file}, {"sessions", "show", "--json", file}, {"sessions", "cat", file}, {"sessions", "ls"},
		{"check", file}, {"check", "--format", "json", file}, {"diff", file, file}, {"open", "--plain", file}, {"redact", file, "-"},
		{"export", "--format", "text", file}, {"export", "--format", "har", file}, {"export", "--format", "html", file},
		{"export", "--format", "jsonl", file}, {"export", "--format", "bytes", file}, {"export", "--format", "bytes", "--with-secrets", file},
		slices.Concat([]string{"call", "tools"}, sessions, server), slices.Concat([]string{"call", "tools/list", "--raw"}, sessions, server),
		slices.Concat([]string{"call", "ping", "--repeat", "2"}, sessions, server),
	} {
		var errw bytes.Buffer
		code := runMain(t.Context(), line, strings.NewReader(""), closed, &errw)
		if said := errw.String(); code != term.ExitUsage || !strings.Contains(said, "file already closed") || strings.Contains(said, "server:") {
			t.Errorf("%s: exit code %d, %q", line, code, said)
		}
	}
}

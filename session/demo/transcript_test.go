package demo

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the transcripts in testdata anew")

// A transcript is what one run of a behaviour wrote, with the time of each
// write, in a bubble of its own.
type transcript struct {
	begin time.Time
	mu    sync.Mutex
	text  strings.Builder
}

func newTranscript() *transcript { return &transcript{begin: time.Now()} }

func (tr *transcript) note(mark string, b []byte) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	shown := string(b)
	if mark == "<" || mark == "!" {
		shown = fmt.Sprintf("%+q", b)
		if !strings.ContainsAny(shown, "`") && !strings.ContainsRune(string(b), 0xfeff) && utf8.Valid(b) {
			shown = "`" + strings.ReplaceAll(string(b), "\r", "␍") + "`"
			shown = strings.ReplaceAll(shown, "\n", "␊")
		}
	}
	if len(shown) > 4000 {
		shown = fmt.Sprintf("%s … %d bytes … %s", shown[:200], len(b), shown[len(shown)-40:])
	}
	fmt.Fprintf(&tr.text, "%6.3f %s %s\n", time.Since(tr.begin).Seconds(), mark, shown)
}

// An outlet is one of the server's outputs.
type outlet struct {
	tr   *transcript
	mark string
}

func (s outlet) Write(b []byte) (int, error) {
	s.tr.note(s.mark, b)
	return len(b), nil
}

func (s outlet) Close() error {
	s.tr.note(s.mark, []byte("closed"))
	return nil
}

// pause is between two lines of the client, so that what takes less is seen in
// its place.
const pause = 700 * time.Millisecond

// play runs a behaviour and sends it lines, one every pause, until it exits or
// they are all sent and stdin is closed.
func play(name string, lines []string) *transcript {
	tr := newTranscript()
	stdin, write := io.Pipe()
	done := make(chan int, 1)
	go func() {
		code := Serve(context.Background(), name, stdin, outlet{tr, "<"}, outlet{tr, "!"})
		tr.note("=", fmt.Appendf(nil, "exit code %d", code))
		stdin.Close()
		done <- code
	}()
	for _, line := range lines {
		synctest.Wait()
		if len(done) > 0 {
			break
		}
		tr.note(">", []byte(line))
		// A server that does not read blocks us, one that has gone fails us.
		_, _ = io.WriteString(write, line+"\n")
		time.Sleep(pause)
	}
	synctest.Wait()
	if len(done) == 0 {
		tr.note(">", []byte("EOF"))
	}
	write.Close()
	<-done
	return tr
}

// clientLines are a legacy client's lines for a behaviour: probe, handshake, and
// the calls.
func clientLines(t *testing.T, b *Behaviour) []string {
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	}
	for i, call := range b.Calls {
		method, params, _ := strings.Cut(call, " ")
		if params != "" {
			params = `,"params":` + params
		}
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s"%s}`, i+3, method, params)
		if !json.Valid([]byte(line)) {
			t.Fatalf("call %q is not of the form METHOD JSON", call)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestTranscripts holds, byte for byte and to the millisecond, what each
// behaviour does. Read the files in testdata to see the faults.
func TestTranscripts(t *testing.T) {
	for _, b := range Names() {
		t.Run(b.Name, func(t *testing.T) {
			if !b.OverStdio() {
				t.Skip("see TestTranscriptsHTTP")
			}
			if b.Name == "orphan-process" || b.Name == "holds-stdout" {
				t.Skip("starts a process: see TestChildrenLeftBehind")
			}
			synctest.Test(t, func(t *testing.T) {
				tr := play(b.Name, clientLines(t, &b))
				head := fmt.Sprintf("# %s\n# shows: %s\n", b.Title, strings.Join(b.Shows, ", "))
				golden(t, filepath.Join("testdata", b.Name+".txt"), head+tr.text.String())
			})
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update writes it anew:\n%s", file, diff)
	}
}

//go:build unix

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/recorder/verdict/report"
	"wiretea/session/demo"
	"wiretea/ui/cli/term"
)

// TestDemoFindings plays every behaviour of the demo server over real pipes and
// wants exactly the findings that it shows, from the recording of it. The
// behaviours wait more than they work, so they are played all at once.
func TestDemoFindings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	results := map[string]chan played{}
	atOnce := make(chan struct{}, 12)
	for _, b := range slowOnesFirst(onStdio()) {
		result := make(chan played, 1)
		results[b.Name] = result
		go func() {
			atOnce <- struct{}{}
			result <- play(t.Context(), b, filepath.Join(dir, b.Name))
			<-atOnce
		}()
	}
	for _, b := range onStdio() {
		got := <-results[b.Name]
		t.Run(b.Name, func(t *testing.T) {
			// Some rules accuse only on exact times, which a busy machine may spoil.
			// A finding may be missed for that, but none may be made up.
			for again := 1; again < 10 && got.err == nil && len(got.found) < len(wanted(b)); again++ {
				got = play(t.Context(), b, filepath.Join(dir, fmt.Sprint(b.Name, again)))
			}
			if got.err != nil {
				t.Fatalf("%v\n%v", got.err, got.live)
			}
			if live, later := inOrder(got.live.out), inOrder(got.opened.out); live != later {
				t.Errorf("the live session printed\n%s\nthe recording shows\n%s", got.live.out, got.opened.out)
			}
			if want := wanted(b); !slices.Equal(got.found, want) {
				t.Errorf("found %q, want %q\n%v", got.found, want, got.opened)
			}
		})
	}
}

// onStdio are the behaviours that run as a process.
func onStdio() []demo.Behaviour {
	return slices.DeleteFunc(demo.Names(), func(b demo.Behaviour) bool { return !b.OverStdio() })
}

// wanted are the rules whose findings a behaviour shows, sorted.
func wanted(b demo.Behaviour) []string {
	want := slices.Clone(b.Shows)
	slices.Sort(want)
	return want
}

// slowOnesFirst puts those that wait longest first. It is known by their names:
// a wrong order only costs time.
func slowOnesFirst(all []demo.Behaviour) []demo.Behaviour {
	slow := []string{"slow", "slow-start", "not-reading", "no-answer", "after-cancel", "buffered", "silent-on-probe", "closes-stdout", "ignores-sigterm", "ignores-eof"}
	rank := func(b demo.Behaviour) int {
		if i := slices.Index(slow, b.Name); i >= 0 {
			return i
		}
		return len(slow)
	}
	slices.SortStableFunc(all, func(a, b demo.Behaviour) int { return rank(a) - rank(b) })
	return all
}

// played is what came of a behaviour: the live session, its recording opened,
// and the rules of what check found in it, sorted.
type played struct {
	live, opened outcome
	found        []string
	err          error
}

// play plays a behaviour as the tour does.
func play(ctx context.Context, b demo.Behaviour, file string) (p played) {
	args := []string{"run", "--plain", "--record", file, "--linger", b.Linger.String()}
	if b.Patience > 0 {
		args = append(args, "--timeout", b.Patience.String(), "--probe-timeout", "1s")
	}
	stdin := ""
	if strings.Contains(b.Name, "not-reading") {
		stdin = strings.Join(b.Calls, "\n") // longer than an argument may be
	} else {
		args = append(args, "--pace", b.Pace.String())
		for _, call := range b.Calls {
			args = append(args, "--send", call)
		}
	}
	if p.live, p.err = execute(ctx, stdin, append(args, "--", "wiretea", "demo", "--server", b.Name)...); p.err != nil {
		return p
	}
	p.opened = inProcess(ctx, "open", "--plain", file)
	checked := inProcess(ctx, "check", "--format", "json", file)
	var r report.Report
	if err := json.Unmarshal([]byte(checked.out), &r); err != nil {
		p.err = fmt.Errorf("%w\n%v", err, checked)
		return p
	}
	for _, f := range r.Findings {
		p.found = append(p.found, f.Rule)
	}
	slices.Sort(p.found)
	p.found = slices.Compact(p.found)
	return p
}

// inOrder sorts lines and takes the signs from their ends: a live session prints
// what took time to find below later lines, and a line has gone by then.
func inOrder(printed string) string {
	lines := strings.Split(printed, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ✖⚠ℹ")
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestDemoHTTP serves the demo over HTTP until it is interrupted.
func TestDemoHTTP(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, write := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- runMain(ctx, []string{"demo", "--http", "127.0.0.1:0"}, strings.NewReader(""), write, io.Discard)
	}()
	in := bufio.NewReader(out)
	url, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Get(strings.TrimSpace(url))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotAcceptable {
		t.Errorf("%s answers a browser with %s", url, res.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if code := <-done; code != term.ExitFine {
		t.Errorf("exit code %d", code)
	}
	for _, args := range [][]string{{"log-line", "--http", "127.0.0.1:0"}, {"--http", "nowhere"}, {"--http", "127.0.0.1:0", "--list"}} {
		if o := inProcess(t.Context(), append([]string{"demo"}, args...)...); o.code != term.ExitUsage {
			t.Errorf("%q: %v", args, o)
		}
	}
}

// TestTourHTTP plays the tour of HTTP to its end.
func TestTourHTTP(t *testing.T) {
	t.Parallel()
	o := inProcess(t.Context(), "demo", "--tour", "http", "--plain")
	if o.code != term.ExitFine {
		t.Fatal(o)
	}
	from := 0
	for _, scene := range demo.TourHTTP() {
		at := strings.Index(o.out[from:], "── "+scene.Name+" ")
		if at < 0 || !strings.Contains(o.out, scene.Says) {
			t.Fatalf("%s is not played, or not in its place:\n%s", scene.Name, o.out)
		}
		from += at
	}
	if n := strings.Count(o.out, "POST /mcp"); n < len(demo.TourHTTP()) {
		t.Errorf("%d requests", n)
	}
	o = inProcess(t.Context(), "demo", "redirect", "--plain")
	if o.code != term.ExitFine || !strings.Contains(o.out, "301") {
		t.Error(o)
	}
	if o = inProcess(t.Context(), "demo", "--plain", "--tour", "ftp"); o.code != term.ExitUsage || !strings.Contains(o.err, "it is stdio or http") {
		t.Errorf("%v", o)
	}
	if o = inProcess(t.Context(), "demo", "log-line", "--tour", "http"); o.code != term.ExitUsage {
		t.Error(o)
	}
}

// TestMockHTTP records the demo server over HTTP in both eras and has the recording stand
// in for it: the same client sees the same.
func TestMockHTTP(t *testing.T) {
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) {
			srv, err := demo.Listen()
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			if err := srv.Serve("healthy"); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			was, now := filepath.Join(dir, "was"), filepath.Join(dir, "now")
			visit := func(file, url string) {
				t.Helper()
				o := inProcess(t.Context(), "run", "--plain", "--era", era, "--record", file, "--send", "tools/list",
					"--send", `tools/call {"name":"slow","arguments":{"seconds":0.1,"steps":3},"_meta":{"progressToken":"p"}}`, "--send", `prompts/get {"name":"haiku"}`, url)
				if o.code != term.ExitFine {
					t.Fatal(o)
				}
			}
			visit(was, srv.URL)
			ctx, cancel := context.WithCancel(t.Context())
			out, write := io.Pipe()
			done := make(chan int, 1)
			go func() {
				done <- runMain(ctx, []string{"mock", "--http", "127.0.0.1:0", was}, strings.NewReader(""), write, io.Discard)
			}()
			url, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.HasSuffix(url, "/mcp\n") {
				t.Fatal(url, err)
			}
			visit(now, strings.TrimSpace(url))
			cancel()
			if code := <-done; code != term.ExitFine {
				t.Errorf("exit code %d", code)
			}
			if o := inProcess(t.Context(), "diff", was, now); o.code != term.ExitFine {
				t.Error(o)
			}
		})
	}
	if o := inProcess(t.Context(), "mock", "--http", "127.0.0.1:0", filepath.Join("testdata", "no-such")); o.code == term.ExitFine {
		t.Error(o)
	}
}

//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
)

// TestProxyFullDisk runs out of space in mid-session, and from the start: the traffic
// passes, the proxy says once what is missing, and so does whoever reads the file, if
// there is one.
func TestProxyFullDisk(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	big := strings.Repeat("x", 64<<10)
	for limit, said := range map[string]string{"0": "wiretea: this session is not recorded: ", "32": "wiretea: a part of this session is not recorded: the rest is not kept: "} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			base, _ := demoAt(t, "healthy", httptest.NewServer)
			server := base + "/mcp"
			file := filepath.Join(t.TempDir(), "full"+recorder.Suffix)
			var errw bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f "$0"; exec wiretea proxy --secret-path off --record "$1" "$2"`, limit, file, server)
			cmd.Stderr = &errw
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			url, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			for range 4 {
				body := `{"jsonrpc":"2.0","id":1,"method":"` + big + `"}`
				direct, through := posted(t, server, body), posted(t, strings.TrimSpace(url), body)
				if direct != through || !strings.Contains(through, "jsonrpc") {
					t.Errorf("through the proxy %.200q, without it %.200q", through, direct)
				}
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &errw)
			}
			if strings.Count(errw.String(), said) != 1 || strings.Count(errw.String(), "not recorded") != 1 {
				t.Errorf("stderr: %s", &errw)
			}
			if _, err := os.Stat(file); limit == "0" {
				if err == nil {
					t.Error("an empty file stays behind")
				}
				return
			}
			if got := inProcess(t.Context(), "check", file); got.code != term.ExitFound || !strings.Contains(got.out, "recording-incomplete") {
				t.Errorf("check: %v", got)
			}
		})
	}
}

// TestProxyDrains interrupts a proxy while a request is under way: the client gets the response,
// and nothing new is taken.
func TestProxyDrains(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	came, proceed := make(chan bool, 1), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came <- true
		<-proceed
		_, _ = io.WriteString(w, "done")
	}))
	defer server.Close()
	var errw bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "wiretea", "proxy", "--listen", "0.0.0.0:0", "--secret-path", "off", server.URL)
	cmd.Stderr = &errw
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	answer := make(chan string, 1)
	go func() { answer <- posted(t, url, "{}") }()
	<-came
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for c, err := net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(url, "/"), "http://")); err == nil; c, err = net.Dial("tcp", c.RemoteAddr().String()) {
		c.Close()
	}
	close(proceed)
	if got := <-answer; got != "done" {
		t.Errorf("the answer is %q", got)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(errw.String(), "with --listen 0.0.0.0:0, everybody who can reach this machine can use the server") {
		t.Errorf("%v\n%s", err, &errw)
	}
}

// posted is what a server at a URL answers to a message.
func posted(t *testing.T, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

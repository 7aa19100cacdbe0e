//go:build realpeers

package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { programs["sdkhttpserver"] = func() { os.Exit(sdkHTTPServer(os.Args[1])) } }

// sdkHTTPServer is the server of the Go SDK over HTTP: sdkhttpserver sessions|stateless|json|sse.
// It prints its URL on stderr. The SDK speaks the modern era where there are no sessions.
func sdkHTTPServer(how string) int {
	server := newSDKServer(io.Discard)
	get := func(*http.Request) *sdk.Server { return server }
	var handler http.Handler = sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{
		Stateless: how != "sessions", JSONResponse: how == "json", PropagateRequestCancellation: true,
	})
	if how == "sse" {
		handler = sdk.NewSSEHandler(get, nil)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "sdkhttpserver:", err)
		return 1
	}
	fmt.Fprintf(os.Stderr, "listening on http://%s\n", l.Addr())
	fmt.Fprintln(os.Stderr, "sdkhttpserver:", http.Serve(l, handler))
	return 1
}

// A httpPeer is a server over HTTP.
type httpPeer struct {
	sdkPeer
	path string
	port bool // port: the server takes its port from the environment.
}

// sse says whether it speaks the old HTTP+SSE.
func (p httpPeer) sse() bool { return p.path == "/sse" }

// httpServers are the servers of the official SDKs; server-everything has version 1 of
// the TypeScript SDK.
var httpServers = []httpPeer{
	{sdkPeer{name: "everything", argv: everythingOver("streamableHttp"), plan: overHTTP(everythingPlan), faults: []sdkFault{noSuchTea}}, "/mcp", true},
	{sdkPeer{name: "everything sse", argv: everythingOver("sse"), plan: overHTTP(everythingPlan), faults: []sdkFault{noSuchTea}}, "/sse", true},
	{sdkPeer{name: "go", argv: script("sdkhttpserver", "sessions"), plan: overHTTP(teaPlan)}, "/mcp", false},
	{sdkPeer{name: "go stateless", argv: script("sdkhttpserver", "stateless"), modern: true, only: true, plan: overHTTP(teaPlan)}, "/mcp", false},
	{sdkPeer{name: "go json", argv: script("sdkhttpserver", "json"), modern: true, only: true, plan: overHTTP(quietPlan)}, "/mcp", false},
	{sdkPeer{name: "go sse", argv: script("sdkhttpserver", "sse"), plan: overHTTP(teaPlan)}, "/sse", false},
	{sdkPeer{name: "ts2", argv: script("node", "server.mjs", "http"), modern: true, plan: overHTTP(teaPlan)}, "/mcp", false},
	{sdkPeer{name: "py1", argv: script("py1", "server.py", "streamable-http"), plan: overHTTP(unleveledPlan), faults: pyFaults}, "/mcp", false},
	{sdkPeer{name: "py1 sse", argv: script("py1", "server.py", "sse"), plan: overHTTP(unleveledPlan), faults: pyFaults}, "/sse", false},
	{sdkPeer{name: "py2", argv: script("py2", "server.py", "streamable-http"), modern: true, plan: overHTTP(unleveledPlan)}, "/mcp", false},
	{sdkPeer{name: "py2 sse", argv: script("py2", "server.py", "sse"), plan: overHTTP(unleveledPlan)}, "/sse", false},
}

func everythingOver(transport string) func(t *testing.T) []string {
	return func(t *testing.T) []string {
		return []string{peerPath(t, "node_modules", ".bin", "mcp-server-everything"), transport}
	}
}

// serve starts the server, and returns its URL when it listens. It ends with the test.
func (p httpPeer) serve(t *testing.T) (url string) {
	t.Helper()
	if p.port {
		port := freePort(t)
		startServer(t, p.argv(t), "port "+port, "PORT="+port)
		return "http://127.0.0.1:" + port + p.path
	}
	const ready = "http://127.0.0.1:"
	return ready + startServer(t, p.argv(t), ready) + p.path
}

// startServer starts a server that ends with the test. When it says on stderr that it is
// ready, the word behind that is returned.
func startServer(t *testing.T, argv []string, ready string, env ...string) (at string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	found, ended := make(chan string, 1), make(chan []string, 1)
	go func() {
		var said []string
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if _, after, ok := strings.Cut(lines.Text(), ready); ok {
				found <- strings.Fields(after + " .")[0]
				break
			}
			said = append(said, lines.Text())
		}
		io.Copy(io.Discard, stderr)
		ended <- said
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	select {
	case at = <-found:
	case said := <-ended:
		t.Fatalf("%q does not listen: %s", argv, strings.Join(said, "\n"))
	case <-time.After(patience):
		t.Fatalf("%q does not listen after %v", argv, patience)
	}
	return at
}

// freePort is a port that nothing listens at. Another program may take it before it is
// used: servers that choose their own are better.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// startProxy starts wiretea proxy with flags in front of url, and returns its URL and a
// function that ends it.
func startProxy(t *testing.T, url, file string, flags ...string) (at string, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "wiretea", slices.Concat([]string{"proxy", "--record", file}, flags, []string{url})...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	var errw strings.Builder
	cmd.Stderr = &errw
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "http://"); ok {
			at = "http://" + strings.Fields(after)[0]
			break
		}
	}
	end = func() {
		t.Helper()
		cancel()
		io.Copy(io.Discard, out)
		cmd.Wait()
		if strings.Contains(errw.String(), "goroutine ") || at == "" {
			t.Errorf("the proxy: %s", errw.String())
		}
	}
	if at == "" {
		end()
		t.FailNow()
	}
	t.Cleanup(cancel)
	return at, end
}

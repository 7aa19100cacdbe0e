package capture

import (
	"context"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/session/path"
)

// serving serves over HTTP until the test ends.
func serving(t *testing.T, h nethttp.Handler) *url.URL {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// servingSDK serves a server of the Go SDK, which answers with one JSON text or with events.
func servingSDK(t *testing.T, server *sdk.Server, json bool) *url.URL {
	t.Helper()
	return serving(t, sdk.NewStreamableHTTPHandler(func(*nethttp.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: json}))
}

// shouter is a server of the Go SDK with tools that say their names.
func shouter(tools ...string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	for _, tool := range tools {
		sdk.AddTool(server, &sdk.Tool{Name: tool}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: tool + " ran"}}}, nil, nil
		})
	}
	return server
}

// recordIn is a record in a folder of its own.
func recordIn(t *testing.T) Record {
	dir := t.TempDir()
	return Record{File: filepath.Join(dir, "s.mcpcap.jsonl"), Dir: dir}
}

// proxyTo starts a proxy, and returns its record.
func proxyTo(t *testing.T, at *url.URL, in InPath) (proxy *Proxy, record string) {
	t.Helper()
	to := recordIn(t)
	proxy, err := StartProxy(ProxyConfig{Servers: []ProxyServer{{URL: at}}, Record: to, InPath: in})
	if err != nil {
		t.Fatal(err)
	}
	return proxy, to.File
}

// bridgeTo starts a tee to a URL, and returns its client's end.
func bridgeTo(t *testing.T, at *url.URL, record Record, in InPath) (*Bridge, *sdk.IOTransport) {
	t.Helper()
	fromClient, clientOut := io.Pipe()
	clientIn, toClient := io.Pipe()
	bridge, err := StartBridge(BridgeConfig{Server: http.Options{URL: at}, In: fromClient, Out: toClient, Record: record, InPath: in})
	if err != nil {
		t.Fatal(err)
	}
	return bridge, &sdk.IOTransport{Reader: clientIn, Writer: clientOut}
}

// blameless holds that nobody is blamed in a record, and returns its text.
func blameless(t *testing.T, record string) []byte {
	t.Helper()
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(record)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, _, err := analysis.Read(t.Context(), f, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range s.Findings() {
		if found.Severity >= session.Warning {
			t.Errorf("%s %v: %s\n%s", found.Rule, found.Fault, found.Message, text)
		}
	}
	return text
}

// shortly are arguments with which the kinds of faults take little time.
var shortly = map[string]string{
	"delay": "50ms", "hang": "", "stop": "500ms", "oversize": "100k", "truncate": "",
}

// brief is a kind of fault as it is written, with such an argument.
func brief(k path.FaultKind) string {
	argument, short := shortly[k.Name]
	if !short {
		argument = k.Argument
	}
	if argument == "" {
		return k.Name
	}
	return k.Name + "(" + argument + ")"
}

//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and a fault still meets.

package capture

import (
	"bytes"
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/recordertest"
	"wiretea/session"
	"wiretea/session/client/http"
	"wiretea/session/decide/fault"
)

// shortly are arguments with which the kinds of faults take little time.
var shortly = map[string]string{
	"delay": "50ms", "jitter": "50ms", "hang": "", "slow-start": "100ms", "bandwidth": "2k", "limit-data": "20", "oversize": "100k", "truncate": "",
	"strip-header": "Content-Type",
}

// TestProxyFaults holds, for every kind that works over HTTP, with bodies that are one JSON
// text and with event streams, that the record labels what was done, that no finding accuses
// one of two healthy peers, and that the traffic goes on for another client.
func TestProxyFaults(t *testing.T) {
	for _, k := range fault.Kinds() {
		for i, filter := range []string{"m:tools/call is:request", "m:tools/call is:response", "m:initialize is:response", "m:notifications/initialized"} {
			for form, json := range map[string]bool{"json": true, "events": false} {
				if k.Where == fault.Stdio {
					continue
				}
				argument, short := shortly[k.Name]
				if !short {
					argument = k.Argument
				}
				if argument != "" {
					argument = "(" + argument + ")"
				}
				t.Run(fmt.Sprintf("%s %d %s", k.Name, i, form), func(t *testing.T) {
					t.Parallel()
					useFaultyProxy(t, filter+": "+k.Name+argument+" n=1 seed=7", k.Name, json)
				})
			}
		}
	}
}

// adder is a server of the Go SDK.
func adder(t *testing.T, json bool) *url.URL {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	type sum struct{ A, B int }
	sdk.AddTool(server, &sdk.Tool{Name: "add"}, func(_ context.Context, _ *sdk.CallToolRequest, s sum) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(s.A + s.B)}}}, nil, nil
	})
	upstream := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*nethttp.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{JSONResponse: json}))
	t.Cleanup(upstream.Close)
	at, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// faulty begins a proxy with a fault, and a server of the Go SDK behind it.
func faulty(t *testing.T, spec string, json bool) (proxy *Proxy, record string) {
	f, err := fault.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	record = filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	proxy, err = StartProxy(ProxyConfig{Servers: []ProxyServer{{URL: adder(t, json)}}, Record: Record{File: record}, InPath: InPath{Faults: fault.Faults{f}}})
	if err != nil {
		t.Fatal(err)
	}
	return proxy, record
}

func useFaultyProxy(t *testing.T, spec, kind string, json bool) {
	proxy, record := faulty(t, spec, json)
	useShyly(t, &sdk.StreamableClientTransport{Endpoint: proxy.URL(""), MaxRetries: -1}, record)
	if kind != "hang" {
		if err := useShyly(t, &sdk.StreamableClientTransport{Endpoint: proxy.URL(""), MaxRetries: -1}, ""); err != nil && strings.Contains(spec, "tools/call") {
			t.Errorf("another client: %v", err)
		}
	}
	if err := proxy.Close("quit"); err != nil {
		t.Error(err)
	}
	checkFaulty(t, record, spec, kind, json)
}

// checkFaulty checks that a record says what a fault did, and blames nobody.
func checkFaulty(t *testing.T, record, spec, kind string, json bool) {
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	request := strings.Contains(spec, "is:request")
	applies := map[string]bool{
		"drop-tool": false, "wrong-id": !request, "result-to-error": !request, "slow-start": request, "expire-session": request, "buffer": !request && !json,
		"duplicate": request || !json, "reorder": request || !json, "merge": !request && !json, "half-close": !request && !json,
	}
	if does, known := applies[kind]; (does || !known) && strings.Contains(spec, "tools/call") && !bytes.Contains(text, []byte(`"by":"fault: `+kind)) {
		t.Errorf("%s: no record says what was done:\n%s", spec, text)
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
			t.Errorf("%s: %s %v: %s\n%s", spec, found.Rule, found.Fault, found.Message, text)
		}
	}
}

// useShyly is a client that gives up soon after a record says that a fault was met; empty = it
// does not. The error is that of its call.
func useShyly(t *testing.T, transport sdk.Transport, record string) error {
	client := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, nil)
	shy := func(f func(ctx context.Context) error) error { return recordertest.Shy(t.Context(), record, f) }
	var c *sdk.ClientSession
	err := shy(func(ctx context.Context) (err error) {
		c, err = client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		return err
	})
	if err != nil {
		return err
	}
	_ = shy(func(ctx context.Context) error { _, err := c.ListTools(ctx, nil); return err })
	call := func(ctx context.Context) error {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "add", Arguments: map[string]any{"A": 1, "B": 2}})
		return err
	}
	if err = shy(call); err != nil {
		err = shy(call)
	}
	_ = c.Close()
	return err
}

// TestTeeURLFaults holds the same of a tee to a URL, for every kind that works over HTTP.
func TestTeeURLFaults(t *testing.T) {
	for n, k := range fault.Kinds() {
		for i, filter := range []string{"m:tools/call is:request", "m:tools/call is:response"} {
			if k.Where == fault.Stdio {
				continue
			}
			argument, short := shortly[k.Name]
			if !short {
				argument = k.Argument
			}
			if argument != "" {
				argument = "(" + argument + ")"
			}
			json := (n+i)%2 == 0
			t.Run(fmt.Sprintf("%s %d %v", k.Name, i, json), func(t *testing.T) {
				t.Parallel()
				useFaultyTee(t, filter+": "+k.Name+argument+" n=1 seed=7", k.Name, json)
			})
		}
	}
}

func useFaultyTee(t *testing.T, spec, kind string, json bool) {
	f, err := fault.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	in, clientOut := io.Pipe()
	clientIn, out := io.Pipe()
	record := filepath.Join(t.TempDir(), "s.mcpcap.jsonl")
	bridge, err := StartBridge(BridgeConfig{
		Server: http.Options{URL: adder(t, json)}, In: in, Out: out, Record: Record{File: record}, InPath: InPath{Faults: fault.Faults{f}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = useShyly(t, &sdk.IOTransport{Reader: clientIn, Writer: clientOut}, record)
	if err := bridge.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	checkFaulty(t, record, spec, kind, json)
}

//lint:file-ignore SA1019 the SDK marks what the protocol has deprecated and a fault still meets.

package capture

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiretea/recorder/recordertest"
	"wiretea/session/path"
)

// TestProxyFaults holds, for every kind that works over HTTP, with bodies that are one JSON
// text and with event streams, that the record labels what was done, that no finding accuses
// one of two healthy peers, and that the traffic goes on for another client.
func TestProxyFaults(t *testing.T) {
	for _, k := range path.FaultKinds() {
		for i, filter := range []string{"m:tools/call is:request", "m:tools/call is:response", "m:initialize is:response", "m:notifications/initialized"} {
			for form, json := range map[string]bool{"json": true, "events": false} {
				if k.Where == path.Stdio {
					continue
				}
				t.Run(fmt.Sprintf("%s %d %s", k.Name, i, form), func(t *testing.T) {
					t.Parallel()
					useFaultyProxy(t, filter+": "+brief(k)+" n=1 seed=7", k.Name, json)
				})
			}
		}
	}
}

// adder is the URL of a server of the Go SDK.
func adder(t *testing.T, json bool) *url.URL {
	server := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	type sum struct{ A, B int }
	sdk.AddTool(server, &sdk.Tool{Name: "add"}, func(_ context.Context, _ *sdk.CallToolRequest, s sum) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(s.A + s.B)}}}, nil, nil
	})
	return servingSDK(t, server, json)
}

// faulty is a path with a fault.
func faulty(t *testing.T, spec string) InPath {
	t.Helper()
	f, err := path.ParseFault(spec)
	if err != nil {
		t.Fatal(err)
	}
	return InPath{Faults: path.Faults{f}}
}

func useFaultyProxy(t *testing.T, spec, kind string, json bool) {
	proxy, record := proxyTo(t, adder(t, json), faulty(t, spec))
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
	text := blameless(t, record)
	request := strings.Contains(spec, "is:request")
	applies := map[string]bool{
		"wrong-id": !request, "result-to-error": !request, "duplicate": request || !json, "reorder": request || !json,
	}
	if does, known := applies[kind]; (does || !known) && strings.Contains(spec, "tools/call") && !bytes.Contains(text, []byte(`"by":"fault: `+kind)) {
		t.Errorf("%s: no record says what was done:\n%s", spec, text)
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
	for n, k := range path.FaultKinds() {
		for i, filter := range []string{"m:tools/call is:request", "m:tools/call is:response"} {
			if k.Where == path.Stdio {
				continue
			}
			json := (n+i)%2 == 0
			t.Run(fmt.Sprintf("%s %d %v", k.Name, i, json), func(t *testing.T) {
				t.Parallel()
				useFaultyTee(t, filter+": "+brief(k)+" n=1 seed=7", k.Name, json)
			})
		}
	}
}

func useFaultyTee(t *testing.T, spec, kind string, json bool) {
	record := recordIn(t)
	bridge, client := bridgeTo(t, adder(t, json), record, faulty(t, spec))
	_ = useShyly(t, client, record.File)
	if err := bridge.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	checkFaulty(t, record.File, spec, kind, json)
}

package checkup_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/recorder/capture"
	"wiretea/recorder/checkup"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/client"
)

// TestDeclaredIsTried holds that check asks for what a server declares, that the rules
// judge the answer, and that what was not declared is not asked for.
func TestDeclaredIsTried(t *testing.T) {
	results := map[string]string{
		"prompts/list":             `{"prompts":[{"name":"p","arguments":[{"name":"a"}]}]}`,
		"resources/list":           `{"resources":[{"uri":"x:a","name":"a"}]}`,
		"resources/templates/list": `{"resourceTemplates":[]}`,
		"completion/complete":      `{"completion":{"values":[]}}`,
	}
	tests := []struct {
		capabilities string
		probe        bool
		unserved     string // unserved is the method that the server does not know.
		asked        bool   // asked: it is requested.
	}{
		{`"completions":{},"prompts":{}`, false, "completion/complete", true},
		{`"completions":{}`, false, "completion/complete", false},
		{`"prompts":{}`, true, "completion/complete", false},
		{`"logging":{},"prompts":{}`, true, "logging/setLevel", true},
		{`"logging":{},"prompts":{}`, false, "logging/setLevel", false},
		{`"prompts":{}`, true, "logging/setLevel", false},
		{`"resources":{"subscribe":true}`, true, "resources/subscribe", true},
		{`"resources":{}`, true, "resources/subscribe", false},
		{`"completions":{},"logging":{},"prompts":{},"resources":{"subscribe":true}`, true, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.capabilities+" "+tt.unserved, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				server := &fakeServer{serve: func(msg request, out, _ io.Writer) {
					asked = append(asked, msg.Method)
					answer := good(msg)
					switch result := results[msg.Method]; {
					case answer == "":
						return
					case msg.Method == tt.unserved || strings.HasPrefix(msg.Method, "wiretea/"):
						answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, msg.ID)
					case result != "":
						answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, msg.ID, result)
					case msg.Method == "initialize":
						answer = strings.Replace(answer, `"tools":{}`, tt.capabilities, 1)
					}
					io.WriteString(out, answer+"\n")
				}}
				run, err := capture.New(capture.Config{Server: server, Record: capture.Record{None: true}, Limits: session.DefaultLimits(), Warn: io.Discard})
				if err != nil {
					t.Fatal(err)
				}
				checkup.Run(t.Context(), checkup.Config{Run: run, Client: client.Config{}, Probe: tt.probe, Timeout: session.DefaultLimits().For, Warn: io.Discard})
				var found []string
				for _, f := range run.Snapshot().Findings() {
					if f.Rule == "declared-but-unimplemented" {
						found = append(found, f.Message)
					}
				}
				if got := slices.Contains(asked, tt.unserved); tt.unserved != "" && got != tt.asked {
					t.Errorf("asked for %q", asked)
				}
				if want := tt.asked && tt.unserved != ""; len(found) > 0 != want {
					t.Errorf("found %q; asked for %q", found, asked)
				}
				_ = run.Close(context.Background(), "eof")
				_ = run.Release()
			})
		})
	}
}

// TestSlowStart holds that a server which takes longer to start than a probe waits is
// probed anyway, and that nothing is said against it.
func TestSlowStart(t *testing.T) {
	for _, modern := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			pinged, started := 0, 0
			server := &fakeServer{}
			server.serve = func(msg request, out, _ io.Writer) {
				answer := good(msg)
				switch {
				case answer == "":
					return
				case started < len(server.conns):
					started++
					time.Sleep(8 * time.Second)
				}
				switch msg.Method {
				case "server/discover":
					if !modern {
						break
					}
					answer = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`, msg.ID)
				case "ping":
					pinged++
				}
				io.WriteString(out, answer+"\n")
			}
			run, err := capture.New(capture.Config{Server: server, Record: capture.Record{None: true}, Limits: session.DefaultLimits(), Warn: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			cfg := client.Config{Era: client.Legacy}
			if modern {
				cfg.Era = client.Modern
			}
			done := checkup.Run(t.Context(), checkup.Config{Run: run, Client: cfg, Probe: true, Timeout: func(string) time.Duration { return 30 * time.Second }, Warn: io.Discard})
			for _, f := range done.Own() {
				if f.Rule != verdict.UnknownMethodAccepted.ID && f.Rule != verdict.BadParamsAccepted.ID && f.Rule != verdict.UnknownToolAccepted.ID {
					t.Errorf("modern %v: %s", modern, f.Message)
				}
			}
			if len(server.conns) < 2 || !modern && pinged == 0 {
				t.Errorf("modern %v: %d connections, %d pings", modern, len(server.conns), pinged)
			}
			_ = run.Close(context.Background(), "eof")
			_ = run.Release()
		})
	}
}

package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/recorder/redact"
	"wiretea/recorder/redact/redacttest"
	"wiretea/session"
)

// A fileLog is a log that has ended.
type fileLog struct{ *bytes.Reader }

func (fileLog) Wait(context.Context, int64) error { return recorder.ErrFinished }

// TestWrite: no form holds a secret, and the copy is gone afterwards.
func TestWrite(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	file, secrets := redacttest.Session()
	log := fileLog{bytes.NewReader(file)}
	snap, _, err := analysis.Read(t.Context(), log, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range export.Formats {
		if form.Name == "curl" {
			continue // The session is not over HTTP.
		}
		var out strings.Builder
		r, err := write(t.Context(), &out, export.Recording{Log: log, Snap: snap, Name: "x", Tool: "t", Notes: []export.Note{{Note: recorder.Note{N: 7, Text: "look: " + secrets[9]}}, {Note: recorder.Note{N: 8, Mark: true}}}}, form, redact.Options{})
		if noted := strings.Contains(out.String(), "look: "); noted != (form.Name == "text" || form.Name == "html" || form.Name == "md") {
			t.Errorf("%s has the note: %v", form.Name, noted)
		}
		if err != nil || len(r.Summary()) < 20 || out.Len() == 0 {
			t.Errorf("%s: %v, %v", form.Name, r, err)
		}
		for _, s := range secrets {
			quoted, _ := json.Marshal(s)
			if strings.Contains(out.String(), s) || strings.Contains(out.String(), strings.Trim(string(quoted), `"`)) {
				t.Errorf("%s gives %q away", form.Name, s)
			}
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// write writes one recording in a form, without its secrets.
func write(ctx context.Context, w io.Writer, rec export.Recording, form export.Format, opt redact.Options) (*redact.Redactor, error) {
	return export.Cleaned(ctx, w, rec, form.Write, opt)
}

// TestFindings: a placeholder that breaks a rule accuses nobody.
func TestFindings(t *testing.T) {
	lines := []string{
		`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2026-11-20T10:00:00Z"}`,
		`{"k":"f","n":1,"t":1,"d":"c2s","b":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}}`,
		`{"k":"f","n":2,"t":2,"d":"s2c","b":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}}`,
		`{"k":"f","n":3,"t":3,"d":"c2s","b":{"jsonrpc":"2.0","method":"notifications/initialized"}}`,
		`{"k":"f","n":4,"t":4,"d":"c2s","b":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}`,
		`{"k":"f","n":5,"t":5,"d":"s2c","b":{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"login","inputSchema":{"type":"object","properties":{"password":{"type":"string","maxLength":8}}}}]}}}`,
		`{"k":"f","n":6,"t":6,"d":"c2s","b":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter22"}}}}`,
		`{"k":"f","n":7,"t":7,"d":"s2c","b":{"jsonrpc":"2.0","id":3,"result":{"content":[]}}}`, "",
	}
	log := fileLog{bytes.NewReader([]byte(strings.Join(lines, "\n")))}
	snap, _, err := analysis.Read(t.Context(), log, session.Limits{})
	if err != nil || len(snap.Findings()) > 0 {
		t.Fatal(snap.Findings(), err)
	}
	accused := false
	if _, err := export.Clean(t.Context(), log, redact.Options{}, func(log recorder.Log, copied bool) error {
		again, _, err := analysis.Read(t.Context(), log, session.Limits{})
		accused = err == nil && copied && len(again.Findings()) > 0
		return err
	}); err != nil || !accused {
		t.Fatalf("the placeholder breaks no rule, so this test says nothing: %v", err)
	}
	for _, form := range export.Formats {
		if form.Name == "curl" {
			continue // The session is not over HTTP.
		}
		var out strings.Builder
		if _, err := write(t.Context(), &out, export.Recording{Log: log, Snap: snap, Name: "x", Tool: "t"}, form, redact.Options{}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "arguments-mismatch") || strings.Contains(out.String(), "hunter22") {
			t.Errorf("%s:\n%s", form.Name, out.String())
		}
	}
}

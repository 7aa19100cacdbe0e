package export_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/session/filter"
)

// audited is a session with decisions of all kinds.
const audited = `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00112233445566778899aabbccddeeff","tool":"wiretea/0","t0":"2026-01-02T03:04:05Z","mode":"tee","tr":"stdio","name":"files","cmd":["s"],"cwd":"/","envk":[],"as":[],"ppid":1,"lim":{}}
{"k":"path","n":1,"t":0,"ev":"on","what":"policy","text":"p.toml: 1 rule"}
{"k":"f","n":2,"t":1000,"d":"c2s","way":"in","by":"policy: no|shell","b":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sh=ell","arguments":{}}}}
{"k":"f","n":3,"t":2000,"d":"s2c","way":"out","of":2,"by":"policy: no|shell","b":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"denied by policy, rule no|shell"}],"isError":true}}}
{"k":"f","n":4,"t":3000,"d":"c2s","by":"policy: logged","b":{"jsonrpc":"2.0","id":2,"method":"tools/list"}}
{"k":"f","n":5,"t":4000,"d":"s2c","way":"in","by":"fault: delay(2ms)","b":{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}}
{"k":"f","n":6,"t":2004000,"d":"s2c","way":"out","of":5,"by":"fault: delay(2ms)","b":{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}}
{"k":"f","n":7,"t":2005000,"d":"c2s","way":"in","by":"fault: drop","b":{"jsonrpc":"2.0","method":"notifications/x"}}
{"k":"f","n":8,"t":2006000,"d":"c2s","way":"in","by":"policy: ask-me; asked","b":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}}
{"k":"f","n":9,"t":2007000,"d":"c2s","way":"out","of":8,"by":"policy: ask-me; allowed by approve","b":{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"b"}}}
{"k":"f","n":10,"t":2007500,"d":"c2s","way":"in","by":"policy: ask-me; asked","b":{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"c"}}}
{"k":"end","n":11,"t":2008000,"frames":8,"bytes":1,"lost":0,"why":"eof"}
`

// TestAudit holds what the lines say of each outcome, in JSON and in CEF, and that the filter
// selects among them.
func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcpcap.jsonl")
	if err := os.WriteFile(path, []byte(audited), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := recorder.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	snap, _, err := analysis.Read(t.Context(), f, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rec := export.Recording{Log: f, Snap: snap, Tool: "wiretea/1.2"}
	var out bytes.Buffer
	if err := export.Audit(t.Context(), &out, &rec); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var d struct {
			Time, Server, Method, Target, Who, Rule, Outcome string
			By                                               []string
			Replaced                                         []int
			Waited                                           float64 `json:"waited_ms"`
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(d.Time, "2026-01-02T03:04:05") || d.Server != "files" {
			t.Errorf("%s", line)
		}
		got = append(got, strings.Join([]string{d.Who, d.Rule, d.Outcome, d.Method, d.Target}, " "))
		if d.Rule == "delay(2ms)" && d.Waited != 2 {
			t.Errorf("%s", line)
		}
	}
	want := []string{
		"wiretea  session  ", "wiretea policy on  ", "policy no|shell denied tools/call sh=ell", "policy logged allowed tools/list ", "fault delay(2ms) allowed tools/list ",
		"fault drop dropped notifications/x ", "person ask-me altered tools/call a", "policy ask-me dropped tools/call c",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	out.Reset()
	rec.CEF = true
	if rec.Filter, err = filter.Parse("t:sh"); err != nil {
		t.Fatal(err)
	}
	if err := export.Audit(t.Context(), &out, &rec); err != nil {
		t.Fatal(err)
	}
	const line = `CEF:0|wiretea|wiretea|1.2|policy:no\|shell|denied tools/call|6|rt=1767323045000 act=denied externalId=2 dvchost=files requestMethod=tools/call request=sh\=ell deviceDirection=1 in=`
	if !strings.HasPrefix(out.String(), line) || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("got %s\nwant %s", out.String(), line)
	}
}

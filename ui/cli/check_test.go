package cli

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder/verdict/report"
	"wiretea/session/json/schema"
	"wiretea/ui/cli/term"
)

// A tape is a session file that is put together by hand: a legacy session with
// its handshake, to which lines are added.
type tape struct {
	b strings.Builder
	n int
	t time.Duration
}

func newTape() *tape {
	p := &tape{}
	p.b.WriteString(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"0123456789abcdef0123456789abcdef","tool":"wiretea/0.1.0","t0":"2026-11-20T10:00:00.000000000Z","mode":"tee","tr":"stdio","cmd":["server"]}` + "\n")
	p.record(`"k":"proc"`, `"ev":"start","pid":7,"fds":["pipe","pipe","pipe"]`)
	p.frame("c2s", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.frame("s2c", `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`)
	p.frame("c2s", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *tape) record(kind, rest string) *tape {
	p.n++
	p.t += 10 * time.Millisecond
	fmt.Fprintf(&p.b, "{%s,\"n\":%d,\"t\":%d,%s}\n", kind, p.n, p.t, rest)
	return p
}

func (p *tape) frame(stream, body string) *tape {
	value := `"s":` + quoteJSON(body)
	if json.Valid([]byte(body)) {
		value = `"b":` + body
	}
	return p.record(`"k":"f"`, fmt.Sprintf(`"d":%q,"len":%d,%s`, stream, len(body), value))
}

func quoteJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// tools adds a list of tools, each with its description.
func (p *tape) tools(descriptions ...string) *tape {
	p.frame("c2s", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	var list []string
	for _, d := range descriptions {
		name, text, _ := strings.Cut(d, ":")
		list = append(list, fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, text))
	}
	return p.frame("s2c", `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+strings.Join(list, ",")+`]}}`)
}

// bye ends the session in order.
func (p *tape) bye() *tape {
	return p.record(`"k":"io"`, `"d":"c2s","ev":"eof","side":"client"`).exit(0)
}

// exit ends the server.
func (p *tape) exit(code int) *tape {
	p.record(`"k":"io"`, `"d":"s2c","ev":"eof","side":"server"`)
	p.record(`"k":"io"`, `"d":"err","ev":"eof","side":"server"`)
	return p.record(`"k":"proc"`, fmt.Sprintf(`"ev":"exit","code":%d,"sig":""`, code))
}

// save writes the file and returns its name.
func (p *tape) save(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	writeFile(t, file, p.b.String()+fmt.Sprintf(`{"k":"end","n":%d,"t":%d,"frames":0,"bytes":0,"lost":0,"why":"eof"}`+"\n", p.n+1, p.t+1e7))
	return file
}

// noisy prints a line on stdout; crashed ends in a call, with its reason.
func noisy(line string) *tape { return newTape().frame("s2c", line).tools("echo:Echoes").bye() }

func crashed() *tape {
	return newTape().tools("echo:Echoes").frame("c2s", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}`).
		frame("err", "KeyError: 'DATABASE_URL'").exit(3)
}

// TestCheckText holds the text form: the cause first, then what was found.
func TestCheckText(t *testing.T) {
	got := inProcess(t.Context(), "check", crashed().save(t, "s.jsonl"))
	first, _, _ := strings.Cut(got.out, "\n")
	if want := "✖ server exited with code 3, 20 ms after tools/call: KeyError: 'DATABASE_URL' → set DATABASE_URL, here with --env DATABASE_URL=…, in a client's configuration with \"env\""; first != want {
		t.Errorf("the first line is\n%s\nwant\n%s", first, want)
	}
	for _, want := range []string{
		"\n✖ server-exited #7  server exited with code 3, 20 ms after tools/call", "\n    fault  server\n",
		"\n    frame  → {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\"", "\n    hint   ", "\n    spec   https://", "\n1 error, 0 warnings, 0 info\n",
	} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	if strings.Contains(got.out, "\x1b") || got.code != term.ExitFound {
		t.Errorf("colours in a pipe, or another exit code: %v", got)
	}
	if got := inProcess(t.Context(), "check", newTape().tools("echo:E").bye().save(t, "s.jsonl")); got.code != term.ExitFine || strings.Contains(got.out, "→") || !strings.Contains(got.out, "0 errors, 0 warnings, 0 info\n") {
		t.Errorf("a healthy session: %v", got)
	}
}

// misfit returns what is wrong with a JSON text by the schema in a file; nil where
// nothing is.
func misfit(t *testing.T, file, text string) *schema.Problem {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(source)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	wrong, _, err := s.Validate([]byte(text), 0)
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	return wrong
}

// fits wants a JSON text to fit the schema in a file.
func fits(t *testing.T, file, text string) {
	t.Helper()
	if wrong := misfit(t, file, text); wrong != nil {
		t.Errorf("%+v\n%s", wrong, text)
	}
}

// TestCheckSchema holds that what check writes fits docs/check.schema.json, and
// that the schema refuses what is not a report.
func TestCheckSchema(t *testing.T) {
	schema := filepath.Join("..", "..", "docs", "check.schema.json")
	files := []string{crashed().save(t, "a.jsonl"), noisy("hello").save(t, "b.jsonl"), newTape().tools().bye().save(t, "c.jsonl")}
	for _, file := range files {
		fits(t, schema, inProcess(t.Context(), "check", "--format", "json", file).out)
	}
	fits(t, schema, inProcess(t.Context(), append([]string{"check", "--json"}, files...)...).out)
	report := inProcess(t.Context(), "check", "--format", "json", files[0]).out
	for _, change := range [][2]string{
		{`"server-exited"`, `"Server Exited"`}, {`"diagnosis"`, `"diagnoses"`}, {`"breaks": []`, `"breaks": null`}, {`"count": 1`, `"count": 0`}, {`"exited"`, `"gone"`},
	} {
		if !strings.Contains(report, change[0]) || misfit(t, schema, strings.Replace(report, change[0], change[1], 1)) == nil {
			t.Errorf("with %s in place of %s it still fits", change[1], change[0])
		}
	}
}

// TestCheckMerged holds that the findings of several recordings are in the order of the clock,
// each with its session, and that nothing of them is lost.
func TestCheckMerged(t *testing.T) {
	files := []string{noisy("hello").save(t, "a.jsonl"), newTape().tools().bye().save(t, "b.jsonl"), crashed().save(t, "c.jsonl")}
	got := inProcess(t.Context(), append([]string{"check", "--merged", "--json"}, files...)...)
	var merged struct {
		Sessions []struct {
			Session, Source string
			Findings        any
			Summary         map[string]int
		}
		Findings []struct{ Session, At, Rule string }
		Summary  map[string]int
	}
	if err := json.Unmarshal([]byte(got.out), &merged); err != nil || got.code != term.ExitFound || len(merged.Sessions) != 3 {
		t.Fatalf("%v: %v", err, got)
	}
	sum, seen := 0, map[string]int{}
	for i, s := range merged.Sessions {
		if s.Session != string(rune('A'+i)) || s.Source != files[i] || s.Findings != nil {
			t.Errorf("session %d is %+v", i, s)
		}
		for _, n := range s.Summary {
			sum += n
		}
	}
	last := ""
	for _, f := range merged.Findings {
		seen[f.Session]++
		if f.At < last || f.At == "" {
			t.Errorf("%s follows %s", f.At, last)
		}
		last = f.At
	}
	if len(merged.Findings) != sum || seen["A"] == 0 || seen["B"] != 0 || seen["C"] == 0 {
		t.Errorf("%d findings of %d, by session %v", len(merged.Findings), sum, seen)
	}
	text := inProcess(t.Context(), append([]string{"check", "--merged"}, files...)...)
	for _, want := range []string{"A  ✖ ", "B  ✔ ", "C  ✖ ", "  C  ✖ server-exited #7", "\n3 sessions: "} {
		if !strings.Contains(text.out, want) {
			t.Errorf("%q is not in\n%s", want, text.out)
		}
	}
	for _, args := range [][]string{{"--format", "sarif", files[0]}, {"--", "true"}} {
		if got := inProcess(t.Context(), append([]string{"check", "--merged"}, args...)...); got.code != term.ExitUsage {
			t.Errorf("%q: %v", args, got)
		}
	}
}

// TestCheckSARIF holds the form of SARIF, and that its indices and lines lead to
// what they name.
func TestCheckSARIF(t *testing.T) {
	file := crashed().save(t, "a b.jsonl")
	other := noisy("hello").save(t, "b.jsonl")
	got := inProcess(t.Context(), "check", "--format", "sarif", file, other)
	fits(t, "testdata/check/sarif.schema.json", got.out)
	var log report.SARIF
	if err := json.Unmarshal([]byte(got.out), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != 2 || got.code != term.ExitFound {
		t.Fatalf("%d results\n%v", len(run.Results), got)
	}
	for _, r := range run.Results {
		if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID {
			t.Errorf("the rule of %s is %s", r.RuleID, rule.ID)
		}
		where := r.Locations[0].Physical
		path := strings.ReplaceAll(strings.TrimPrefix(where.Artifact.URI, "file://"), "%20", " ")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(text), "\n")[where.Region.Line-1]; !strings.Contains(line, fmt.Sprintf(`"n":%d,`, r.Properties.Frame)) {
			t.Errorf("line %d of %s is not frame %d: %s", where.Region.Line, path, r.Properties.Frame, line)
		}
	}
	healthy := inProcess(t.Context(), "check", "--format", "sarif", newTape().tools("a:b").bye().save(t, "c.jsonl"))
	fits(t, "testdata/check/sarif.schema.json", healthy.out)
}

// TestCheckJUnit holds that the counts are those of the cases, and that what
// --fail-on lets pass is not a failure.
func TestCheckJUnit(t *testing.T) {
	file := crashed().save(t, "a.jsonl")
	for failOn, failures := range map[string]int{"warning": 1, "error": 1} {
		got := inProcess(t.Context(), "check", "--format", "junit", "--severity", "server-exited=error", "--fail-on", failOn, file)
		var all report.JUnit
		if err := xml.Unmarshal([]byte(got.out), &all); err != nil {
			t.Fatalf("%v\n%v", err, got)
		}
		if len(all.Suites) != 1 || all.Failures != failures || all.Suites[0].Failures != failures || all.Tests != len(all.Suites[0].Cases) || all.Suites[0].Timestamp != "2026-11-20T10:00:00" {
			t.Errorf("%+v\n%v", all, got)
		}
	}
	got := inProcess(t.Context(), "check", "--format", "junit", "--severity", "server-exited=info", file, newTape().tools("a:b").bye().save(t, "b.jsonl"))
	if got.code != term.ExitFine || strings.Contains(got.out, "<failure") || !strings.Contains(got.out, `tests="2" failures="0"`) || !strings.Contains(got.out, `name="no findings"`) {
		t.Errorf("nothing fails: %v", got)
	}
}

// TestCheckGitHub holds the workflow commands, and that nothing a server writes
// becomes one.
func TestCheckGitHub(t *testing.T) {
	got := inProcess(t.Context(), "check", "--format", "github", noisy("::error::100% of it, a:b").save(t, "a.jsonl"))
	commands := 0
	for line := range strings.Lines(got.out) {
		if strings.HasPrefix(line, "::") {
			commands++
			if !strings.HasPrefix(line, "::error title=stdout-not-json #5 · ") || !strings.Contains(line, "100%25 of it, a:b") || !strings.Contains(line, "%0Ahint: ") {
				t.Errorf("got %q", line)
			}
		}
	}
	if commands != 1 || got.code != term.ExitFound || !strings.HasSuffix(got.out, ": 1 error, 0 warnings, 0 info\n") {
		t.Errorf("%d commands: %v", commands, got)
	}
}

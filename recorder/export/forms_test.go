package export_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/filter"
	"wiretea/ui/termtest"
)

// A talk is lines of a session: "> " to the server, "< " back, "! " stderr.
type talk []string

// recording plays a talk, a millisecond a line.
func (lines talk) recording(t testing.TB) *export.Recording { return lines.recordingAt(t, 0) }

// recordingAt is recording of a session that begins later.
func (lines talk) recordingAt(t testing.TB, later time.Duration) *export.Recording {
	t.Helper()
	var all batch
	for i, line := range lines {
		stream := map[byte]session.Stream{'>': session.C2S, '<': session.S2C, '!': session.Stderr}[line[0]]
		all = append(all, session.Observation{Conn: 1, Stream: stream, T: int64(i+1) * int64(time.Millisecond), Data: []byte(line[2:] + "\n")})
	}
	sink := recorder.NewMemory(0)
	head := session.Header{SID: "0123456789abcdef0123456789abcdef", Tool: "wiretea/test", Mode: "tee", Trans: "stdio", T0: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).Add(later), Cmd: []string{"node", "server.js", "a b"}}
	if err := recorder.NewWriter(sink, head, recorder.Options{}).Run(&all); err != nil {
		t.Fatal(err)
	}
	analyzer := session.NewAnalyzer(session.Config{Checkers: check.New()})
	if err := (&recorder.Follower{Log: sink, Analyzer: analyzer, Once: true}).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return &export.Recording{Log: sink, Snap: analyzer.Snapshot(), Name: "test", Tool: "wiretea/test"}
}

var healthy = talk{
	`> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}`,
	`> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`! ready`,
	`> {"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
	`< {"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`,
	`> {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"n":1.0},"_meta":{"progressToken":4}}}`,
	`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4,"progress":1}}`,
	`< {"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"one"}]}}`,
	`> {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"nope"}}`,
	`< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"no such tool"}}`,
	`> {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"=2+3"}}`,
	`< Listening…`,
}

func written(t testing.TB, r *export.Recording, write func(context.Context, io.Writer, *export.Recording) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(context.Background(), &out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestText(t *testing.T) {
	want := `→ initialize (1)
← initialize (1) 1.00 ms
→ notifications/initialized
┆ ready
→ tools/list (7)
← tools/list (7) 1.00 ms
→ tools/call echo ("x")
← notifications/progress echo
← tools/call echo ("x") 2.00 ms
→ tools/call nope (9)
← tools/call nope (9) error -32602 no such tool 1.00 ms
→ tools/call =2+3 (10)
✖ ← Listening…
`
	if got := written(t, healthy.recording(t), export.Text); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestFiltered(t *testing.T) {
	r := healthy.recording(t)
	f, err := filter.Parse(`t:echo b~"one"`)
	if err != nil {
		t.Fatal(err)
	}
	r.Filter = f
	if got := written(t, r, export.JSONL); got != healthy[8][2:]+"\n" {
		t.Errorf("JSONL\n%s", got)
	}
	if got := written(t, r, export.CSV); strings.Count(got, "\n") != 2 || !strings.Contains(got, "tools/call,echo") {
		t.Errorf("CSV\n%s", got)
	}
	if got := written(t, r, export.HAR); strings.Count(got, "startedDateTime") != 1 {
		t.Errorf("HAR\n%s", got)
	}
}

func TestJSONL(t *testing.T) {
	want := ""
	for _, line := range healthy {
		if line[0] != '!' && strings.Contains(line, "jsonrpc") {
			want += line[2:] + "\n"
		}
	}
	if got := written(t, healthy.recording(t), export.JSONL); got != want {
		t.Errorf("got\n%s", got)
	}
	spread := talk{`< {"jsonrpc":"2.0",`, `<  "method":`, `< "notifications/x"}`}
	if got := written(t, spread.recording(t), export.JSONL); got != `{"jsonrpc":"2.0",  "method": "notifications/x"}`+"\n" {
		t.Errorf("over lines: %q", got)
	}
}

func TestCSV(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, healthy.recording(t), export.CSV))).ReadAll()
	if err != nil || len(lines) != 6 {
		t.Fatal(lines, err)
	}
	for i, want := range []string{
		"1 1 client 1 initialize  0.001000 1.000 ok", "5 1 client 7 tools/list  0.005000 1.000 ok", `7 1 client "x" tools/call echo 0.007000 2.000 ok`,
		"10 1 client 9 tools/call nope 0.010000 1.000 error", "12 1 client 10 tools/call '=2+3 0.012000  lost",
	} {
		if got := strings.Join(lines[i+1][:9], " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if lines[4][9] != "-32602" {
		t.Errorf("error code %q", lines[4][9])
	}
}

// TestHAR: what HAR 1.2 requires is there.
func TestHAR(t *testing.T) {
	var har struct {
		Log struct {
			Version string
			Creator map[string]string
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(written(t, healthy.recording(t), export.HAR)), &har); err != nil {
		t.Fatal(err)
	}
	if har.Log.Version != "1.2" || har.Log.Creator["name"] == "" || har.Log.Creator["version"] == "" || len(har.Log.Entries) != 7 {
		t.Fatalf("%v", har)
	}
	for _, e := range har.Log.Entries {
		for part, members := range map[string]string{
			"": "startedDateTime time request response cache timings", "request": "method url httpVersion cookies headers queryString postData headersSize bodySize",
			"response": "status statusText httpVersion cookies headers content redirectURL headersSize bodySize", "timings": "send wait receive",
		} {
			object := e
			if part != "" {
				object = e[part].(map[string]any)
			}
			for _, m := range strings.Fields(members) {
				if object[m] == nil {
					t.Errorf("%s has no %s: %v", part, m, e)
				}
			}
		}
	}
	call := har.Log.Entries[3]
	response := call["response"].(map[string]any)
	if call["time"] != 2.0 || call["request"].(map[string]any)["url"] != "http://server.mcp.invalid/tools/call/echo" || response["status"] != 200.0 ||
		response["content"].(map[string]any)["text"] != healthy[8][2:] {
		t.Errorf("%v", call)
	}
	if status := har.Log.Entries[6]["response"].(map[string]any)["status"]; status != 0.0 {
		t.Errorf("a request without an answer has status %v", status)
	}
}

func TestMarkdown(t *testing.T) {
	got := written(t, healthy.recording(t), export.Markdown)
	for _, want := range []string{"## server wrote text to stdout", "| server | s 2 |", "| client | c 1 |", "`node server.js 'a b'`", "- error `stdout-not-json` at frame 13", "▶     13     0.013  ✖ ← Listening…", "wiretea replay test.mcpcap.jsonl -- node server.js 'a b'", "ready"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	failing := append(talk{}, healthy[:6]...)
	failing = append(failing, `> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`, `< {"jsonrpc":"2.0","id":8,"result":{"content":[],"n":1.0,"html":"<b>"},"error":{"code":1,"message":"x"}}`)
	if got := written(t, failing.recording(t), export.Markdown); !strings.Contains(got, `"n": 1.0,`) || !strings.Contains(got, `"html": "<b>"`) {
		t.Errorf("what was sent is shown in another way:\n%s", got)
	}
	hostile := talk{"< ``` </pre><zz> ![x](http://evil) `````", `! <zz>`}.recording(t)
	got = written(t, hostile, export.Markdown)
	for i, part := range strings.Split(got, "\n``````") {
		if i%2 == 0 && strings.Contains(part, "<zz>") && !strings.Contains(part, "```\n") {
			t.Errorf("markup got out of its fence:\n%s", got)
		}
	}
	if strings.Contains(strings.SplitN(got, "###", 2)[0], "<zz>") || strings.Contains(got, "\n![x]") {
		t.Errorf("markup in the headline:\n%s", got)
	}
}

var scripts = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)

// TestHTML: the page holds all there is, and nothing from elsewhere.
func TestHTML(t *testing.T) {
	got := written(t, healthy.recording(t), export.HTML)
	for _, want := range []string{"default-src 'none'", "<h1>server wrote text to stdout", "the server writes non-protocol output to stdout", "tools/list", "prefers-color-scheme: dark", "@media print", "no such tool",
		`<svg role="img" aria-label="histogram of latencies"`, `<svg role="img" aria-label="latency over time"`, " max</text>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if m := regexp.MustCompile(`(?i)(src|href)="?(https?:)?//[^ >]*|@import|url\(`).FindAllString(got, -1); len(m) > 0 {
		for _, one := range m {
			if !strings.HasPrefix(one, `href="https://modelcontextprotocol.io/`) {
				t.Errorf("it fetches %s", one)
			}
		}
	}
	data := scripts.FindAllStringSubmatch(got, -1)
	if len(data) != 3 {
		t.Fatalf("%d pieces of data and script", len(data))
	}
	var bodies []string
	var rows struct {
		Rows  [][]any
		Names []string
	}
	if err := json.Unmarshal([]byte(data[0][1]), &bodies); err != nil || len(bodies) != len(healthy) {
		t.Fatal(len(bodies), err)
	}
	for i, b := range bodies {
		if b != healthy[i][2:] {
			t.Errorf("body %d is %s", i, b)
		}
	}
	if err := json.Unmarshal([]byte(data[1][1]), &rows); err != nil || len(rows.Rows) != len(healthy) || fmt.Sprint(rows.Rows[6][9]) != "8" {
		t.Fatalf("rows %v, %v", rows, err)
	}
}

// TestHTMLContrast: what is written on the page has the contrast that WCAG wants of texts,
// light and dark, on a selected row too.
func TestHTMLContrast(t *testing.T) {
	got := written(t, healthy.recording(t), export.HTML)
	colours := map[string][3]uint8{}
	for _, root := range regexp.MustCompile(`:root \{[^}]*--select[^}]*\}`).FindAllString(got, 2) { // Dark has those of light, and its own.
		for _, c := range regexp.MustCompile(`--(\w+): #(\w\w)(\w\w)(\w\w);`).FindAllStringSubmatch(root, -1) {
			var rgb [3]uint8
			for i := range rgb {
				v, _ := strconv.ParseUint(c[2+i], 16, 8)
				rgb[i] = uint8(v)
			}
			colours[c[1]] = rgb
		}
		for _, text := range []string{"text", "dim", "accent", "client", "server", "error", "warning", "info", "key", "string", "number"} {
			for _, ground := range []string{"bg", "panel", "soft", "select"} {
				if got := termtest.Contrast(colours[text], colours[ground]); got < 4.5 {
					t.Errorf("%s on %s has a contrast of %.2f", text, ground, got)
				}
			}
		}
	}
	if len(colours) < 15 {
		t.Errorf("the page has %d colours", len(colours))
	}
}

// TestHTMLFailed: the page tells the failure of a tool, and does not take for one what a
// legacy server answers when it is asked for the modern protocol.
func TestHTMLFailed(t *testing.T) {
	got := written(t, talk{
		`> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
		`< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pour"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`,
		`< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no"}}`,
	}.recording(t), export.HTML)
	var data struct{ Rows [][]any }
	if err := json.Unmarshal([]byte(scripts.FindAllStringSubmatch(got, -1)[1][1]), &data); err != nil {
		t.Fatal(err)
	}
	var states []any
	for _, row := range data.Rows {
		states = append(states, row[12])
	}
	if got, want := fmt.Sprint(states), "[ok legacy server error tool error error ]"; got != want {
		t.Errorf("the rows are %s, want %s", got, want)
	}
}

// TestHTMLLimits: a page of a long recording has the first rows, those of its findings, and
// as many bodies as it may have, and says what it lacks.
func TestHTMLLimits(t *testing.T) {
	short := int64(len(healthy[0]) - 2)
	export.LimitPages(t, 2, short)
	got := written(t, healthy.recording(t), export.HTML)
	data := scripts.FindAllStringSubmatch(got, -1)
	var bodies []string
	var page struct {
		Rows [][]any
		Cut  map[string]int64
		Look int
	}
	if err := errors.Join(json.Unmarshal([]byte(data[0][1]), &bodies), json.Unmarshal([]byte(data[1][1]), &page)); err != nil {
		t.Fatal(err)
	}
	if len(page.Rows) <= 2 || len(page.Rows) >= len(healthy) || len(bodies) != len(page.Rows) || bodies[0] != healthy[0][2:] || bodies[1] != "" || page.Cut["1"] != int64(len(healthy[1])-2) {
		t.Errorf("rows %v, bodies %q, cut %v", page.Rows, bodies, page.Cut)
	}
	if page.Rows[page.Look][3] != "text" {
		t.Errorf("the row that is shown first is %v", page.Rows[page.Look])
	}
	for _, want := range []string{fmt.Sprintf("This page has %d frames,", len(page.Rows)), fmt.Sprintf(" %d more are in the recording", len(healthy)-len(page.Rows)), " of its frames are without their bodies"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
}

// FuzzHTML: nothing that a peer sends becomes markup, or ends what it is in.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{`</script><script>alert(1)</script>`, `<!-- <script>`, `"><img src=x onerror=alert(1)>`, "\u2028</style>", `{{.}}`, `]]>`, "\xff<zz", `</title>`, `\u003c/script>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, evil string) {
		evil = "<zz" + strings.ReplaceAll(strings.ReplaceAll(evil, "\n", " "), "\r", " ")
		quoted, err := json.Marshal(evil)
		if err != nil {
			t.Skip()
		}
		plain := string(quoted)
		if i := strings.ReplaceAll(strings.ReplaceAll(plain, `\u003c`, "<"), `\u003e`, ">"); json.Valid([]byte(i)) {
			plain = i
		}
		r := talk{
			`> {"jsonrpc":"2.0","id":` + plain + `,"method":` + plain + `,"params":{"name":` + plain + `}}`,
			`< {"jsonrpc":"2.0","id":` + plain + `,"error":{"code":1,"message":` + plain + `}}`,
			`< {"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":` + plain + `,"version":"1"}}}`,
			`< ` + evil, `! ` + evil,
		}.recording(t)
		r.Name = evil
		page := written(t, r, export.HTML)
		if i := strings.Index(strings.ToLower(page), "<zz"); i >= 0 {
			t.Fatalf("%q stands in the page: %q", evil, page[max(0, i-100):i+20])
		}
		if n := len(scripts.FindAllString(page, -1)); n != 3 || strings.Count(strings.ToLower(page), "</script") != 3 {
			t.Fatalf("%q makes %d scripts", evil, n)
		}
		for _, s := range scripts.FindAllStringSubmatch(page, 2) {
			if !json.Valid([]byte(s[1])) {
				t.Fatalf("%q breaks the data", evil)
			}
		}
	})
}

// TestHTMLPictures: the pictures are SVG that needs no script, and show what statistics count.
func TestHTMLPictures(t *testing.T) {
	page := written(t, healthy.recording(t), export.HTML)
	_, section, ok := strings.Cut(page, `<section id="time">`)
	section, _, closed := strings.Cut(section, "</section>")
	if !ok || !closed || strings.Contains(section, "live") || strings.Contains(section, "static") {
		t.Fatalf("no section of pictures that is shown without script: %s", section)
	}
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(section, -1)
	if len(pictures) != 2 {
		t.Fatalf("%d pictures", len(pictures))
	}
	for _, picture := range pictures {
		dec := xml.NewDecoder(strings.NewReader(picture))
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in %s", err, picture)
			}
			e, is := token.(xml.StartElement)
			if !is {
				continue
			}
			if !slices.Contains([]string{"svg", "text", "rect", "title", "polygon"}, e.Name.Local) {
				t.Errorf("an element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || a.Name.Local == "style" {
					t.Errorf("an attribute %s of %s", a.Name.Local, e.Name.Local)
				}
			}
		}
	}
	answers := 0
	for _, m := range regexp.MustCompile(`<text x="526"[^>]*>(\d+)`).FindAllStringSubmatch(pictures[0], -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		answers += n
	}
	if want := fmt.Sprintf("the client's requests: %d answers", answers); answers == 0 || !strings.Contains(section, want) {
		t.Errorf("the histogram has %d answers: %.200s", answers, section)
	}
}

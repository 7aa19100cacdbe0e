package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/session"
	"wiretea/session/filter"
)

// together are two sessions of one client: the second begins 2.5 ms after the first.
func together(t *testing.T) *export.Recording {
	weather, mail := healthy.recording(t), talk{
		`> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send","arguments":{"to":"x"}}}`,
		`< {"jsonrpc":"2.0","id":7,"result":{"content":[]}}`,
		`< not JSON`,
	}.recordingAt(t, 2500*time.Microsecond)
	log := recorder.Merge([]recorder.Log{weather.Log, mail.Log}, []string{"weather", "mail"})
	t.Cleanup(func() { log.Close() })
	snap, _, err := analysis.Read(t.Context(), log, session.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return &export.Recording{Log: log, Snap: snap, Name: "2 sessions", Tool: weather.Tool}
}

// TestMerged holds that each format that takes several sessions has all rows of all of them,
// in the order of the clock, each with its letter.
func TestMerged(t *testing.T) {
	forms := map[string]string{}
	for _, f := range export.Formats {
		if f.Alone != "" {
			continue
		}
		var out bytes.Buffer
		if err := f.Write(t.Context(), &out, together(t)); err != nil {
			t.Fatal(f.Name, err)
		}
		forms[f.Name] = out.String()
	}
	if got := slices.Sorted(maps.Keys(forms)); !slices.Equal(got, []string{"csv", "har", "html", "jsonl", "text"}) {
		t.Fatal(got)
	}
	wantText := "A = weather\nB = mail\nA → initialize (1)\nA ← initialize (1) 1.00 ms\nA → notifications/initialized\nB → tools/call send (7)\nA ┆ ready\nB ← tools/call send (7) 1.00 ms\nA → tools/list (7)\nB ✖ ← not JSON\nA ← tools/list (7) 1.00 ms\n"
	if !strings.HasPrefix(forms["text"], wantText) {
		t.Errorf("text:\n%s", forms["text"])
	}
	var order []string
	var last time.Time
	for line := range strings.Lines(forms["jsonl"]) {
		var one struct {
			Session string
			Time    time.Time
			Message json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil || one.Time.Before(last) {
			t.Errorf("%v: %s after %s", err, line, last)
		}
		last = one.Time
		order = append(order, one.Session)
		if strings.Contains(line, `"progressToken":4}}`) && !strings.Contains(string(one.Message), `{"n":1.0}`) {
			t.Errorf("not as it was sent: %s", one.Message)
		}
	}
	if got := strings.Join(order, ""); got != "AAABBAAAAAAAA" {
		t.Errorf("the messages are of %s", got)
	}
	csv := strings.Split(forms["csv"], "\n")
	if !strings.HasPrefix(csv[0], "session,n,") || !strings.HasPrefix(csv[1], "A,1,1,client,1,initialize,,0.001000") || !strings.HasPrefix(csv[2], "B,1,1,client,7,tools/call,send,0.003500") {
		t.Errorf("csv:\n%s", forms["csv"])
	}
	var har struct {
		Log struct {
			Pages   []struct{ ID, Title string }
			Entries []struct{ Pageref, StartedDateTime string }
		}
	}
	if err := json.Unmarshal([]byte(forms["har"]), &har); err != nil || fmt.Sprint(har.Log.Pages) != "[{A weather} {B mail}]" {
		t.Fatal(har.Log.Pages, err)
	}
	pages := map[string]int{}
	for _, e := range har.Log.Entries {
		pages[e.Pageref]++
	}
	if fmt.Sprint(pages) != "map[A:7 B:1]" {
		t.Error(pages)
	}
}

// TestMergedHTML holds that a page of several sessions leads from each finding to its frame,
// although numbers of frames are those of a session, and that pairs stay in their session.
func TestMergedHTML(t *testing.T) {
	var out bytes.Buffer
	if err := export.HTML(t.Context(), &out, together(t)); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"<h1>2 sessions on one clock</h1>", "<h2>A <small>weather</small></h2>", "<h2>B <small>mail</small></h2>", `data-n="A13"`, `data-n="B3"`, "A  ready"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, `aria-label="histogram of latencies"`) {
		t.Error("the pictures are those of one session")
	}
	data := scripts.FindAllStringSubmatch(page, -1)
	var got struct{ Rows [][]any }
	if err := json.Unmarshal([]byte(data[1][1]), &got); err != nil || len(got.Rows) != len(healthy)+3 {
		t.Fatal(len(got.Rows), err)
	}
	letters, pairs := "", ""
	for i, row := range got.Rows {
		letters += fmt.Sprint(row[13])
		if p := int(row[9].(float64)); p >= 0 {
			if pairs += fmt.Sprintf("%d-%d ", i, p); got.Rows[p][13] != row[13] {
				t.Errorf("row %d belongs to row %d of another session", i, p)
			}
		}
	}
	if letters != "AAABABABAAAAAAAA" || !strings.HasPrefix(pairs, "0-1 1-0 3-5 5-3 6-8 8-6 ") {
		t.Errorf("rows of %s, pairs %s", letters, pairs)
	}
}

// TestMergedFiltered holds that one filter selects in all sessions.
func TestMergedFiltered(t *testing.T) {
	m := together(t)
	var err error
	if m.Filter, err = filter.Parse("m:tools/call is:request"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := export.Text(t.Context(), &out, m); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "A = weather\nB = mail\nB → tools/call send (7)\nA → tools/call echo (\"x\")\nA → tools/call nope (9)\nA → tools/call =2+3 (10)\n" {
		t.Errorf("got\n%s", got)
	}
}

package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
)

// TestStatusClass holds which statuses a class has.
func TestStatusClass(t *testing.T) {
	for status, want := range map[int]string{100: "1xx", 199: "1xx", 399: "3xx", 400: "4xx", 404: "4xx", 499: "4xx", 500: "5xx", 599: "5xx"} {
		a := play(session.Config{}, httpEvent(0, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}), httpEvent(1, 1, session.HTTPEvent{Event: "res", Status: status}), httpEvent(2, 1, session.HTTPEvent{Event: "end", Why: "eof"}))
		s := a.Snapshot()
		for _, class := range []string{"1xx", "2xx", "3xx", "4xx", "5xx", fmt.Sprint(status), fmt.Sprint(status + 1), fmt.Sprint(status - 1)} {
			f, err := Parse("status:" + class)
			if err != nil {
				if len(class) == 3 && class[0] != '0' && class != "99" {
					t.Error(err)
				}
				continue
			}
			if got := f.Meta(s, 0) == Yes; got != (class == want || class == fmt.Sprint(status)) {
				t.Errorf("status:%s selects a response with %d: %t", class, status, got)
			}
		}
	}
	s := play(session.Config{}, httpEvent(0, 1, session.HTTPEvent{Event: "req", Method: "POST", Target: "/mcp"}), httpEvent(1, 1, session.HTTPEvent{Event: "end", Why: "client"})).Snapshot()
	if parsed(t, "status:none").Meta(s, 0) != Yes {
		t.Error("status:none does not select a round trip without a response")
	}
	for _, word := range []string{"xx", "4x", "40", "4040", "0xx", "099", "-4xx", "4xxx", "+4xx", "44xx", "abc"} {
		if _, err := Parse("status:" + word); err == nil {
			t.Errorf("status:%s is read", word)
		}
	}
}

// TestQuotedID holds that only an id that is one quoted text is a string alone.
func TestQuotedID(t *testing.T) {
	a := play(session.Config{}, client(0, request("12", "ping", "")), client(1, request(`"12"`, "ping", "")))
	s := a.Snapshot()
	for text, want := range map[string][2]bool{`id:12`: {true, true}, `id:"12"`: {false, true}, `id:1"2"`: {true, true}, `id:"1"2`: {true, true}, `id:"1""2"`: {true, true}, `id:"1"`: {false, false}} {
		f := parsed(t, text)
		if got := [2]bool{f.Meta(s, 0) == Yes, f.Meta(s, 1) == Yes}; got != want {
			t.Errorf("%s selects 12 and \"12\": %v, want %v", text, got, want)
		}
	}
}

// TestNoBody holds that of rows that cannot match no body is read.
func TestNoBody(t *testing.T) {
	s, bodies := filtered(t)
	f := parsed(t, "b:isError")
	for i, want := range map[int]Verdict{0: No, 11: No, 13: No, 7: Body, 2: Body} {
		if got := f.Meta(s, uint32(i)); got != want {
			t.Errorf("row %d, %q: %v, want %v", i, bodies[i], got, want)
		}
	}
	if got := parsed(t, "b:"+strings.Repeat("x", 20)).Meta(s, 2); got != No {
		t.Errorf("a body that is too short: %v", got)
	}
}

// TestNamesMethod holds whether a filter names a method: by a word that selects it.
func TestNamesMethod(t *testing.T) {
	for text, want := range map[string]bool{
		"m:ping": true, "m:tools/call": false, "-m:ping": false, "-(m:ping)": false, "m:ping is:error": true, "is:error | m:ping": true, "is:error": false, "ping": false, "m:pi*": true, "t:ping": false, "d:c2s": false, "-m:tools/call": false,
	} {
		f := parsed(t, text)
		if got := f.NamesMethod("ping"); got != want {
			t.Errorf("%s names ping: %t", text, got)
		}
	}
}

// TestCompared holds that each comparison of a filter is exact at its bound.
func TestCompared(t *testing.T) {
	s, bodies := filtered(t)
	const row, length = 2, 15                 // "Server started!"
	for op, want := range map[string][3]bool{ // of a bound that is one less, the length, and one more
		"<": {false, false, true}, "<=": {false, true, true}, ">": {true, false, false}, ">=": {true, true, false}, ":": {false, true, false},
	} {
		for i, bound := range []int{length - 1, length, length + 1} {
			f := parsed(t, fmt.Sprint("size", op, bound))
			if got := f.Match(s, row, []byte(bodies[row])); got != want[i] {
				t.Errorf("size%s%d of %d bytes: %t", op, bound, length, got)
			}
		}
	}
}

// TestStates holds that a reader of the states can stop.
func TestStates(t *testing.T) {
	var all, first []string
	States(func(name, _ string) bool { all = append(all, name); return true })
	States(func(name, _ string) bool { first = append(first, name); return len(first) < 3 })
	if len(all) != len(isWords.Get()) || !slices.Equal(first, all[:3]) {
		t.Errorf("%q of %q", first, all)
	}
}

// TestLevels holds the filter of log messages.
func TestLevels(t *testing.T) {
	var records []session.Record
	for i, level := range []string{"debug", "warning", "emergency", "loud"} {
		records = append(records, server(int64(i), notification("notifications/message", fmt.Sprintf(`{"level":%q,"data":1}`, level))))
	}
	records = append(records, client(9, request("1", "logging/setLevel", `{"level":"warning"}`)))
	a := play(session.Config{}, records...)
	s := a.Snapshot()
	for text, want := range map[string]string{
		"level>=warning": "[1 2]", "level:debug": "[0]", "level<error": "[0 1]", "is:log": "[0 1 2 3]", "level:Warning": "[1]",
	} {
		f := parsed(t, text)
		got := []int{}
		for i := range s.Len() {
			if f.Meta(s, uint32(i)) == Yes {
				got = append(got, i)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s gives %v, want %s", text, got, want)
		}
	}
	if _, err := Parse("level:loud"); err == nil {
		t.Error("loud is a level")
	}
}

// TestIsError holds that is:error selects the requests that failed and their responses.
func TestIsError(t *testing.T) {
	toolError := `{"content":[{"type":"text","text":"out of tea"}],"isError":true}`
	for name, c := range map[string]struct {
		method, answer string
		rows           string
	}{
		"a tool's error":              {"tools/call", result("1", toolError), "0 1"},
		"a tool's result":             {"tools/call", result("1", `{"content":[],"isError":false}`), ""},
		"isError of another method":   {"acme/pour", result("1", toolError), ""},
		"an error response":           {"tools/call", failure("1", -32602), "0 1"},
		"a legacy server and a probe": {"server/discover", failure("1", -32601), ""},
	} {
		s := play(session.Config{}, client(1, request("1", c.method, `{"name":"pour"}`)), server(2, c.answer), client(3, request("2", "ping", ""))).Snapshot()
		if got := rowsOf(t, parsed(t, "is:error"), s, []string{"", "", ""}); got != c.rows {
			t.Errorf("%s: is:error selects %q, want %q", name, got, c.rows)
		}
	}
}

// TestMarked holds what rows the word is:marked selects.
func TestMarked(t *testing.T) {
	var records []session.Record
	for i := range int64(8) {
		records = append(records, client(i, request(fmt.Sprint(i), "ping", "")))
	}
	s := play(session.Config{}, records...).Snapshot()
	f := parsed(t, "is:marked")
	marked := s.Marked([]uint32{2, 5})
	for i := range uint32(s.Len()) {
		if got := f.Meta(marked, i) == Yes; got != (i == 2 || i == 5) || f.Meta(s, i) == Yes {
			t.Errorf("row %d: %t", i, got)
		}
	}
}

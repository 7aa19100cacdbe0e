package filter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
)

// filtered is a session with a row of nearly every kind; bodies are theirs.
func filtered(t testing.TB) (s *session.Snapshot, bodies []string) {
	check := checker(func(ev *session.Event, r session.Reporter) {
		if ev.Kind == session.FrameSeen && string(ev.Frame.Head) == "Server started!" {
			r.Report(session.Finding{Rule: "stdout-not-json", Severity: session.Error, Fault: session.Server, Row: ev.Frame.Row})
		}
		if ev.Kind == session.FrameSeen && ev.Frame.Text.Batches > 0 {
			r.Report(session.Finding{Rule: "batch-not-supported", Severity: session.Warning, Row: ev.Frame.Row})
		}
	})
	records := []session.Record{
		{Kind: session.RecProc, Proc: session.Proc{Event: "start", PID: 4711}},                     // 0
		client(1, request("1", "tools/call", `{"name":"echo","arguments":{"text":"Über alles"}}`)), // 1
		server(2, "Server started!"), // 2
		server(600, result("1", `{"content":"`+strings.Repeat("x", 70<<10)+`"}`)),                                       // 3
		client(601, request(`"7"`, "tools/list", "")),                                                                   // 4
		server(602, failure(`"7"`, -32601)),                                                                             // 5
		client(603, request("7", "ping", "")),                                                                           // 6
		server(604, notification("notifications/message", `{"level":"info","data":"isError"}`)),                         // 7
		frame(605, session.Stderr, "Listening on PORT 80"),                                                              // 8
		client(606, "["+request("8", "ping", "")+"]"),                                                                   // 9
		client(607, request(`"0b9f3c1e-1111"`, "resources/read", `{"uri":"file:///a b"}`)),                              // 10
		{Kind: session.RecIO, T: ms(608), Stream: session.C2S, IO: session.IOEvent{Event: "eof"}},                       // 11
		{Kind: session.RecRaw, T: ms(609), T1: ms(609), Stream: session.S2C, Body: []byte("unfinished")},                // 12
		{Kind: session.RecGap, T: ms(610), Gap: session.Gap{Stream: session.Stderr, Bytes: 9, Frames: -1, Why: "disk"}}, // 13
	}
	a := play(session.Config{Checkers: []session.Checker{check}}, records...)
	a.Advance(ms(2000))
	for _, r := range records {
		bodies = append(bodies, string(r.Body))
	}
	return a.Snapshot(), bodies
}

// checker is a Checker that is a function.
type checker func(*session.Event, session.Reporter)

func (c checker) Check(ev *session.Event, r session.Reporter) { c(ev, r) }

// rowsOf returns the rows that match, having checked both phases.
func rowsOf(t testing.TB, f *Filter, s *session.Snapshot, bodies []string) string {
	var rows []string
	for i := range uint32(s.Len()) {
		meta, match := f.Meta(s, i), f.Match(s, i, []byte(bodies[i]))
		if meta == Yes && !match || meta == No && match {
			t.Errorf("row %d: %v by its metadata, match = %v", i, meta, match)
		}
		if match {
			rows = append(rows, fmt.Sprint(i))
		}
	}
	return strings.Join(rows, " ")
}

// TestFilterBeyond checks that a row that is not there does not match.
func TestFilterBeyond(t *testing.T) {
	s, _ := filtered(t)
	for _, text := range []string{"", "m:ping"} {
		f := parsed(t, text)
		for _, i := range []uint32{uint32(s.Len()), uint32(s.Len()) + 1, session.NoRow} {
			if f.Meta(s, i) != No || f.Match(s, i, nil) {
				t.Errorf("row %d of %d matches %q", i, s.Len(), text)
			}
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "100": 100, "100b": 100, "1k": 1 << 10, "1KB": 1 << 10, "64KiB": 64 << 10, "1.5m": 3 << 19, "10MiB": 10 << 20, "2g": 2 << 30, "1GiB": 1 << 30,
		"": -1, "b": -1, "k": -1, "-1": -1, "1x": -1, "NaN": -1, "1e300": -1, "5e18": -1,
	} {
		if n, ok := parseSize(text); ok != (want >= 0) || ok && n != want {
			t.Errorf("%q is %d, %v; want %d", text, n, ok, want)
		}
	}
}

func TestFilter(t *testing.T) {
	s, bodies := filtered(t)
	tests := []struct{ filter, text, rows string }{
		{"", "", "0 1 2 3 4 5 6 7 8 9 10 11 12 13"},
		{"m:tools/call", "m:tools/call", "1 3"},
		{"m:TOOLS", "m:TOOLS", "1 3 4 5"},
		{"m:tools/*", "m:tools/*", "1 3 4 5"},
		{"m:t*ls", "m:t*ls", ""},
		{"m:p?ng", "m:p?ng", "6 9"},
		{"m~^p", "m~\"^p\"", "6 9"},
		{"t:echo", "t:echo", "1 3"},
		{`t:"a b"`, `t:"a b"`, "10"},
		{`" \"text\":"`, `" \"text\":"`, ""},
		{"d:s2c", "d:s2c", "2 3 5 7 12"},
		{"d:stderr", "d:err", "8 13"},
		{"id:7", "id:7", "4 5 6"},
		{`id:"7"`, `id:"7"`, "4 5"},
		{"id:0b9f3c1e-1111", "id:0b9f3c1e-1111", "10"},
		{"is:pending", "is:pending", "6 10"},
		{"is:error", "is:error", "4 5"},
		{"is:request", "is:request", "1 4 6 10"},
		{"is:response", "is:response", "3 5"},
		{"is:notification", "is:notification", "7"},
		{"is:batch", "is:batch", "9"},
		{"is:text", "is:text", "2"},
		{"is:stderr", "is:stderr", "8"},
		{"is:proc", "is:proc", "0"},
		{"is:io", "is:io", "11"},
		{"is:gap", "is:gap", "13"},
		{"is:growing", "is:growing", "12"},
		{"is:late", "is:late", ""},
		{"is:finding", "is:finding", "2 9"},
		{"lat>500ms", "lat>500ms", "1 3 6 10"},
		{"lat<10ms", "lat<10ms", "4 5"},
		{"lat>1s", "lat>1s", "6 10"},
		{"size>64k", "size>64k", "3"},
		{"size<=15 size>=15", "size<=15 size>=15", "2"},
		{"size:15", "size:15", "2"},
		{"size>1.5MiB", "size>1.5MiB", ""},
		{"sev>=warning", "sev>=warning", "2 9"},
		{"sev:error", "sev:error", "2"},
		{"sev>warn", "sev>warning", "2"},
		{"rule:stdout-not-json", "rule:stdout-not-json", "2"},
		{"rule:*-not-*", "rule:*-not-*", "2 9"},
		{"rule:not", "rule:not", ""},
		{"c:1", "c:1", "0 1 2 3 4 5 6 7 8 9 10 11 12 13"},
		{"c:2", "c:2", ""},
		{"op:0-0", "op:0-0", "0 1 2 3 4 5 6 7 8 9 10 11 12 13"},
		{"n:2-4", "n:2-4", "1 2 3"},
		{"n:13-", "n:13-", "12 13"},
		{"n:10-11", "n:10-11", "9 10"},
		{"n:-2", "n:\"-2\"", "0 1"},
		{`b:"iserror"`, "b:iserror", "7"},
		{"b:started", "b:started", "2"},
		{`j:".params.arguments.text=Über alles"`, `j:".params.arguments.text=Über alles"`, "1"},
		{"j:.params.arguments", "j:.params.arguments", "1"},
		{"j:.id=7", `j:".id=7"`, "4 5 6"},
		{"j:.error.code=-32601", `j:".error.code=-32601"`, "5"},
		{"j:[*].method=ping", `j:"[*].method=ping"`, "9"},
		{"j:[0].id", `j:"[0].id"`, "9"},
		{"j:[1].id", `j:"[1].id"`, ""},
		{`j:"[\"params\"].level=info"`, `j:"[\"params\"].level=info"`, "7"},
		{`b~"PORT \d+"`, `b~"PORT \\d+"`, "8"},
		{`b~"port \d+"`, `b~"port \\d+"`, ""},
		{"port", "port", "8"},
		{"PING", "PING", "6 9"},
		{"echo", "echo", "1 3"},
		{`"listening on"`, `"listening on"`, "8"},
		{"ÜBER", "ÜBER", "1"},
		{"über", "über", ""},
		{"Über", "Über", "1"},
		{`"id":7`, `"id:7"`, ""},
		{`"\"id\":7"`, `"\"id\":7"`, "6"},
		{"-d:c2s -d:err", "-d:c2s -d:err", "0 2 3 5 7 12"},
		{"!is:request d:c2s", "-is:request d:c2s", "9 11"},
		{"--is:io", "is:io", "11"},
		{"is:io | is:gap", "is:io | is:gap", "11 13"},
		{"d:c2s m:ping | is:text", "d:c2s m:ping | is:text", "6 9 2"},
		{"d:c2s (m:ping | m:tools)", "d:c2s (m:ping | m:tools)", "1 4 6 9"},
		{"-(is:request | is:batch) d:c2s", "-(is:request | is:batch) d:c2s", "11"},
		{"-(d:c2s m:ping) is:request", "-(d:c2s m:ping) is:request", "1 4 10"},
		{"(((is:io)))", "is:io", "11"},
		{"-port -is:request", "-port -is:request", "0 2 3 5 7 9 11 12 13"},
		{"a=b", `"a=b"`, ""},
		{"eof", "eof", "11"},
		{`header:"accept: text"`, `header:"accept: text"`, ""},
		{"header~^accept", "header~\"^accept\"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.filter, func(t *testing.T) {
			f, err := Parse(tt.filter)
			if err != nil {
				t.Fatal(err)
			}
			if f.String() != tt.text {
				t.Errorf("reads %s, want %s", f, tt.text)
			}
			want := map[string]bool{}
			for _, r := range strings.Fields(tt.rows) {
				want[r] = true
			}
			got := strings.Fields(rowsOf(t, f, s, bodies))
			ok := len(got) == len(want)
			for _, r := range got {
				ok = ok && want[r]
			}
			if !ok {
				t.Errorf("rows %v, want %s", got, tt.rows)
			}
			again, err := Parse(f.String())
			if err != nil || again.String() != f.String() || rowsOf(t, again, s, bodies) != rowsOf(t, f, s, bodies) {
				t.Errorf("%s does not come back: %v, %v", f, again, err)
			}
		})
	}
}

// TestPendingReleased holds that what went on in place of a request that was held is not pending
// once the request has its response.
func TestPendingReleased(t *testing.T) {
	held, released := client(1, request("1", "tools/call", `{"name":"echo"}`)), client(2, request("1", "tools/call", `{"name":"echo"}`))
	held.Way, held.By = session.WayIn, "hold: test"
	released.Way, released.By, released.Of = session.WayOut, "hold: test; released by screen", 1
	a := play(session.Config{}, held, released, server(3, result("1", "{}")))
	if got := rowsOf(t, parsed(t, "is:pending"), a.Snapshot(), []string{"", "", ""}); got != "" {
		t.Errorf("pending: %s", got)
	}
}

func TestUnknownRule(t *testing.T) {
	for text, want := range map[string]string{"m:ping": "", "rule:a-b": "", "-rule:a*": "", "rule:a-b | (rule:foo x)": "foo", "rule:z?": "z?"} {
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.UnknownRule([]string{"a-b", "a-c"}); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	tests := []struct {
		filter string
		pos    int
		msg    string
	}{
		{"m:", 2, "needs a value"},
		{"d:up", 2, "d: takes"},
		{"is:what", 3, "pending"},
		{"a foo:1", 2, "unknown field foo:"},
		{"tool:echo", 0, "did you mean t:?"},
		{"latency>5", 0, "did you mean lat>?"},
		{"latency>=5ms", 0, "did you mean lat>=?"},
		{"is:eror", 3, "did you mean is:error?"},
		{"lat>soon", 4, "lat: takes"},
		{"lat>", 4, "needs a value"},
		{"size>x", 5, "size: takes"},
		{"sev>=bad", 5, "sev: takes"},
		{"n:a-b", 2, "number or a range"},
		{"n:-", 2, "number or a range"},
		{"m>3", 1, "does not support"},
		{`b~"("`, 2, "regexp"},
		{`a "open`, 2, "missing closing quote"},
		{"(a", 0, "missing )"},
		{"a)", 1, "unexpected )"},
		{"()", 0, "empty parentheses"},
		{"a |", 3, "both sides"},
		{"| a", 0, "both sides"},
		{"a -", 2, "nothing follows"},
		{`""`, 0, "empty text"},
		{strings.Repeat("(", 1000), 101, "too deep"},
	}
	for _, tt := range tests {
		t.Run(tt.filter[:min(len(tt.filter), 20)], func(t *testing.T) {
			_, err := Parse(tt.filter)
			var fe *Error
			if !errors.As(err, &fe) {
				t.Fatalf("error %v", err)
			}
			if fe.Pos != tt.pos || !strings.Contains(fe.Msg, tt.msg) {
				t.Errorf("%q at %d, want %q at %d", fe.Msg, fe.Pos, tt.msg, tt.pos)
			}
		})
	}
}

func TestFilterFollowsTheSession(t *testing.T) {
	a := play(session.Config{}, client(0, request("1", "ping", "")))
	f := parsed(t, "m:tools")
	if v := f.Meta(a.Snapshot(), 0); v != No {
		t.Errorf("ping is %v", v)
	}
	feed(a, client(1, request("2", "tools/list", "")))
	if v := f.Meta(a.Snapshot(), 1); v != Yes {
		t.Errorf("a name that came later is %v", v)
	}
	if v := f.Meta(a.Snapshot(), 2); v != No {
		t.Errorf("no row is %v", v)
	}
}

// found reports whether a body has a text.
func found(text string, body []byte) bool {
	l := NewLiteral(text)
	return l.In(body)
}

func TestLiteral(t *testing.T) {
	tests := []struct {
		text, body string
		want       bool
	}{
		{"a", "A", true}, {"a", "", false}, {"abc", "xxABcx", true}, {"abc", "ab", false}, {"abc", "abABC", true},
		{"aaab", "aaaaAAAB", true}, {"aaab", "aaaaAAA", false}, {"é", "É", false}, {"é", "caf\u00e9", true},
		{"Q1", "q2 q1", true}, {"\x00", "a\x00b", true}, {"zz", "zZ", true}, {"x y", "X Y", true}, {"@", "`", false}, {"[", "{", false},
		{"qe", "qqe", true}, {"qe", "QQE", true}, {"", "x", false},
	}
	for _, tt := range tests {
		if got := found(tt.text, []byte(tt.body)); got != tt.want {
			t.Errorf("%q in %q = %v", tt.text, tt.body, got)
		}
	}
}

func FuzzLiteral(f *testing.F) {
	f.Add("needle", "hay NeeDle hay")
	f.Fuzz(func(t *testing.T, text, body string) {
		if text == "" {
			return
		}
		ascii := func(s string) string {
			b := []byte(s)
			for i, c := range b {
				b[i] = lower(c)
			}
			return string(b)
		}
		if got, want := found(text, []byte(body)), strings.Contains(ascii(body), ascii(text)); got != want {
			t.Errorf("%q in %q = %v", text, body, got)
		}
	})
}

// FuzzTexts holds that a pass for many texts finds what a search for each of them does. The
// texts are lines.
func FuzzTexts(f *testing.F) {
	f.Add("needle\nNEEDLE\nneed\nhay\nhay h\nxy\nedl", "hay NeeDle hay")
	f.Add("aaa\naaaa\nbaa\naab", "aabaaa")
	f.Add("\u212A\u00E9l\n\x00\x00\x00\nk\u00C9l", "\x00\x00\x00\u212A\u00E9L")
	f.Fuzz(func(t *testing.T, lines, body string) {
		var texts Texts
		index := map[string]int{}
		for text := range strings.SplitSeq(lines, "\n") {
			if i, ok := texts.Add(text); ok {
				index[text] = i
			} else if len(text) >= gramLen {
				t.Errorf("%q is not looked for", text)
			}
		}
		texts.Build()
		has := texts.In([]byte(body), nil)
		for text, i := range index {
			if got, want := has[i/64]&(1<<(i%64)) != 0, found(text, []byte(body)); got != want {
				t.Errorf("%q in %q = %v", text, body, got)
			}
		}
	})
}

// TestNeeds holds which texts a body must have one of.
func TestNeeds(t *testing.T) {
	for filter, want := range map[string]string{
		"":                          "",
		"m:tools/call":              "",
		"m:tools/call b:one b:two":  "one",
		"b:one | b:two | b:three":   "one two three",
		"b:one | m:ping":            "",
		"b:one | two":               "",
		"-b:one":                    "",
		"-b:one b:two":              "two",
		"b~one":                     "",
		"j:.one=b":                  "",
		"(b:one | b:two) d:c2s":     "one two",
		"t:a (b:one | t:b) b:three": "three",
	} {
		f := parsed(t, filter)
		if got := strings.Join(f.Needs(), " "); got != want {
			t.Errorf("%q needs %q, want %q", filter, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`m:tools/call t:echo d:s2c id:7 is:pending lat>500ms size>64k sev>=warning rule:stdout-not-json b~"rex" -m:ping a|b !x ( y )`,
		`id:""a`, `n:-5`, `"a\\b\"c"`, `--(a | -(b c))`, `id:x"y z"`,
	} {
		f.Add(text)
	}
	s, bodies := filtered(f)
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := Parse(text)
		if err != nil {
			var fe *Error
			if !errors.As(err, &fe) || fe.Pos < 0 || fe.Pos > len(text) {
				t.Fatalf("error %#v", err)
			}
			return
		}
		canon := filter.String()
		again, err := Parse(canon)
		if err != nil || again.String() != canon {
			t.Fatalf("%q → %q → %v, %v", text, canon, again, err)
		}
		if one, two := rowsOf(t, filter, s, bodies), rowsOf(t, again, s, bodies); one != two {
			t.Fatalf("%q selects %s, %q selects %s", text, one, canon, two)
		}
	})
}

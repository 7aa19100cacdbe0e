package form

import (
	"strings"
	"testing"
)

// TestModes holds that changing the mode changes nothing else.
func TestModes(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{"n":1.0}}}`
	f := form(t, Config{Schema: []byte(githubSchema), Message: []byte(message), Path: []string{"params", "arguments"}, Malformed: true,
		Values: []byte(`{"zz":1.0,"repo":"\u0072","owner":"o","zz":2}`)})
	const values = `{"zz":1.0,"repo":"\u0072","owner":"o","zz":2}`
	line := strings.Replace(message, "{},", values+",", 1)
	for _, m := range []Mode{Fields, Raw, Fields, Raw, Malformed, Raw, Fields} {
		if err := f.SetMode(m); err != nil {
			t.Fatal(err)
		}
		wantLine := line
		if m == Malformed {
			wantLine += "\n"
		}
		if got := string(f.Line()); got != wantLine {
			t.Errorf("%s:\n got %s\nwant %s", m, got, wantLine)
		}
	}
	// What is edited as text is in the form, the rest of the message too.
	if err := f.SetMode(Raw); err != nil {
		t.Fatal(err)
	}
	run(t, f, f.SetText(`{"method" : "tools/call", "params":{"arguments": {"perPage": 1e2, "owner":"a"}}, "id":7}`))
	want(t, f, `{"perPage":1e2,"owner":"a"}`)
	if err := f.SetMode(Fields); err != nil {
		t.Fatal(err)
	}
	press(t, f, "ctrl+home tab 'b'")
	if got, want := string(f.Line()), `{"method":"tools/call","params":{"arguments":{"perPage":1e2,"owner":"ab"}},"id":7}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestBrokenRaw holds that text that is not JSON says where, stays, and can be
// mended.
func TestBrokenRaw(t *testing.T) {
	f := formOf(t, githubSchema, `{"owner":"o"}`)
	press(t, f, "ctrl+o ctrl+end backspace backspace ','")
	if got := problems(f); got != "line 2, column 16: the JSON ends too early" && !strings.HasPrefix(got, "line 2") {
		t.Errorf("problems %q", got)
	}
	if !f.Problems()[0].Syntax {
		t.Error("not said to be no JSON")
	}
	if err := f.SetMode(Fields); err == nil {
		t.Error("broken JSON went into a form")
	}
	press(t, f, "backspace '}' ctrl+o")
	if want(t, f, `{"owner":"o"}`); f.Mode() != Fields {
		t.Errorf("mode %s", f.Mode())
	}
	f = formOf(t, githubSchema, `{"owner":`)
	if want(t, f, `{"owner":`); f.Mode() != Raw {
		t.Errorf("broken values opened as %s", f.Mode())
	}
	press(t, f, `'"x"}' ctrl+o`)
	want(t, f, `{"owner":"x"}`)
}

// TestBrokenRawStays holds that text that no form can show is still there after
// a look at the malformed mode.
func TestBrokenRawStays(t *testing.T) {
	f := form(t, Config{Schema: []byte(githubSchema), Values: []byte(`{"owner":"o"}`), Malformed: true})
	press(t, f, "ctrl+o ctrl+end backspace 'x' ctrl+o")
	if f.Mode() != Malformed {
		t.Fatalf("mode %s", f.Mode())
	}
	press(t, f, "'y' ctrl+o")
	if want(t, f, "{\n  \"owner\": \"o\"\nx"); f.Mode() != Raw {
		t.Fatalf("mode %s", f.Mode())
	}
	press(t, f, "backspace '}' ctrl+o")
	if want(t, f, `{"owner":"o"}`+"\n"); f.Mode() != Malformed {
		t.Errorf("mode %s", f.Mode())
	}
	if press(t, f, "ctrl+o"); f.Mode() != Fields {
		t.Errorf("mode %s", f.Mode())
	}
	want(t, f, `{"owner":"o"}`)
}

// TestNoNumber holds that text that is not a number is sent when somebody insists, and
// said to be none.
func TestNoNumber(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"n":{"type":"number"}}}`, "")
	press(t, f, "'1,5'")
	want(t, f, `{"n":"1,5"}`)
	if got := problems(f); got != "n not a JSON number; it would be sent as text" {
		t.Errorf("problems %q", got)
	}
}

// TestMalformed holds the notation.
func TestMalformed(t *testing.T) {
	for text, bytes := range map[string]string{
		`a\r\n`: "a\r\n", `\x00\xff`: "\x00\xff", `\u2028`: "\u2028", `\ud83d`: "\xed\xa0\xbd", `\U0001f600`: "😀", `\\n`: `\n`, `\"\q\`: `\"\q\`,
		`\x4`: `\x4`, "\n": "\n", `\e[31m\0`: "\x1b[31m\x00", `\uD800x`: "\xed\xa0\x80x", `\U00110000`: `\U00110000`,
	} {
		if got := string(denote([]byte(text))); got != bytes {
			t.Errorf("%s stands for %q, want %q", text, got, bytes)
		}
	}
	f := form(t, Config{Schema: []byte(`{}`), Malformed: true})
	press(t, f, `ctrl+o ctrl+o ctrl+u '\x00\r\nhi'`)
	want(t, f, "\x00\r\nhi")
	if got := string(f.Line()); got != "\x00\r\nhi" {
		t.Errorf("line %q", got)
	}
	if f = formOf(t, `{}`, ""); f.SetMode(Malformed) == nil {
		t.Error("malformed where it is not offered")
	}
}

// TestOnWire holds that malformed mode begins with what would be sent, of either
// other mode, and with the message where nobody knows.
func TestOnWire(t *testing.T) {
	f := form(t, Config{Schema: []byte(`{"type":"object"}`), Message: []byte(`{"params":{}}`), Path: []string{"params"}, Malformed: true})
	f.OnWire(func(message []byte, from Mode) []byte {
		if from == Fields {
			return nil
		}
		return []byte("head\r\n\r\n" + string(message))
	})
	if err := f.SetMode(Malformed); err != nil {
		t.Fatal(err)
	}
	want(t, f, `{"params":{}}`+"\n")
	for _, m := range []Mode{Raw, Malformed} {
		if err := f.SetMode(m); err != nil {
			t.Fatal(err)
		}
	}
	want(t, f, "head\r\n\r\n"+`{"params":{}}`)
}

// TestReplaceBytes holds that bytes are found behind what is written with
// escapes, and that what was typed around them stays as it was typed.
func TestReplaceBytes(t *testing.T) {
	for _, c := range []struct {
		text     string
		from, to int
		put      string
		want     string
	}{
		{`{"id":7,`, 6, 7, "12", `{"id":12,`},
		{`\r\x41\u2028\U0001f600é"\q\\7`, 15, 16, "8", `\r\x41\u2028\U0001f600é"\q\\8`},
		{`ab`, 2, 2, "\n", `ab\n`},
		{`a\u2028b`, 2, 4, "x", `axb`}, // one escape cannot be split
	} {
		f := form(t, Config{Schema: []byte(`{}`), Malformed: true})
		f.ReplaceBytes(0, 1, []byte("x"))
		if err := f.SetMode(Malformed); err != nil {
			t.Fatal(err)
		}
		f.SetText(c.text)
		f.ReplaceBytes(c.from, c.to, []byte(c.put))
		if got := f.Text(); got != c.want {
			t.Errorf("%s became %s, want %s", c.text, got, c.want)
		}
	}
}

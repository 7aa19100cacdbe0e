package path

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"wiretea/session"
)

func faultsOf(t *testing.T, specs ...string) Faults {
	t.Helper()
	var all Faults
	for _, spec := range specs {
		f, err := ParseFault(spec)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

const (
	listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	listed  = `{"jsonrpc":"2.0", "id":1,"result":{"tools":[{"name":"a"}, {"name":"b","x":1.0}]}}`
)

// TestKinds holds what each kind makes of a request and of its response.
func TestKinds(t *testing.T) {
	for _, test := range []struct{ spec, request, response string }{
		{"d:s2c: delay(2s)", "=", "+2s " + listed},
		{"d:s2c: drop", "=", ""},
		{"is:request: drop", "", "="},
		{"is:request: duplicate", listing + "|" + listing, "="},
		{"d:s2c: truncate(8)", "=", listed[:8]},
		{"d:s2c: truncate", "=", listed[:len(listed)/2]},
		{": truncate(100)", "=", "="}, // Both are shorter.
		{": result-to-error(out of: tea)", "=", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"out of: tea"}}`},
		{"d:s2c: junk-line(hello: you)", "=", "hello: you|" + listed},
		{"d:c2s: oversize(60)", listing[:len(listing)-1] + strings.Repeat(" ", 60-len(listing)) + "}", "="},
		{"m:other: drop", "=", "="},
	} {
		var path Path
		path.Use(faultsOf(t, test.spec))
		for s, want := range map[session.Stream]string{session.C2S: test.request, session.S2C: test.response} {
			text := listing
			if s == session.S2C {
				text = listed
				path.Text(1, session.C2S, []byte(listing))
			}
			if got := told(path.Text(1, s, []byte(text))); got != want {
				t.Errorf("%s, %v: %q; want %q", test.spec, s, got, want)
			}
		}
	}
}

// told is a ruling in a line.
func told(r session.Ruling) string {
	if r.By == "" {
		return "="
	}
	text := ""
	if r.Delay > 0 {
		text = fmt.Sprintf("+%v ", r.Delay)
	}
	return text + string(bytes.Join(append([][]byte{r.Text}, r.More...), []byte{'|'}))
}

// TestSeed holds that the same messages get the same faults with the same seed, whatever
// passes in the other direction, and others with another seed; and that n is a limit.
func TestSeed(t *testing.T) {
	play := func(spec string, answers bool) string {
		var path Path
		path.Use(faultsOf(t, spec))
		var all strings.Builder
		for i := range 200 {
			text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i)
			all.WriteString(told(path.Text(1, session.C2S, []byte(text))) + "\n")
			if answers {
				path.Text(1, session.S2C, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
			}
		}
		return all.String()
	}
	const spec = ": delay(1s) p=0.3 seed="
	if one := play(spec+"7", false); one != play(spec+"7", true) || one == play(spec+"8", false) {
		t.Error("a seed does not decide alone")
	}
	if n := strings.Count(play(": drop n=3", false), "=") - 197; n != 0 {
		t.Errorf("%d more than 3 were dropped, or fewer", -n)
	}
	drawn := strings.Count(play(": drop p=0.3", false), "=")
	if drawn < 110 || drawn > 170 {
		t.Errorf("%d of 200 passed with p=0.3", drawn)
	}
}

// TestTwiceTheSame holds for every kind that two runs with one seed do the same.
func TestTwiceTheSame(t *testing.T) {
	play := func(k *FaultKind, by session.Carrier) string {
		argument := ""
		if k.Argument != "" {
			argument = "(" + strings.Replace(k.Argument, "11M", "1k", 1) + ")"
		}
		var path Path
		path.Use(faultsOf(t, ": "+k.Name+argument+" p=0.5 seed=9"))
		var all strings.Builder
		for i := range 40 {
			r, _ := path.Carried(&session.Carried{Carrier: by, Conn: 1, Stream: session.C2S, Text: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a","arguments":{"x":"abc","y":[1,true]}}}`, i)})
			fmt.Fprintf(&all, "%s %q %q %+v\n", r.By, r.Text, r.More, r.Effect)
			r, _ = path.Carried(&session.Carried{Carrier: by, Conn: 1, Stream: session.S2C, Text: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%d cups"}],"structuredContent":{"n":%d,"ok":true}}}`, i, i, i)})
			fmt.Fprintf(&all, "%s %q %q %+v\n", r.By, r.Text, r.More, r.Effect)
		}
		return all.String()
	}
	for _, k := range FaultKinds() {
		for _, by := range []session.Carrier{session.ByLine, session.ByBody, session.ByFirstEvent} {
			one, two := play(&k, by), play(&k, by)
			if one != two {
				t.Errorf("%s: twice is not the same:\n%s\n%s", k.Name, one, two)
			}
			if works := strings.Contains(one, "fault: "+k.Name); !works && by == session.ByFirstEvent && k.Where == HTTP {
				t.Errorf("%s never applied", k.Name)
			}
		}
	}
}

// TestCorrupt holds that what is corrupted stays JSON of the same types, and differs in one
// place.
func TestCorrupt(t *testing.T) {
	const text = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"a\":12,\"b\":true}"},{"type":"image","mimeType":"image/png","data":"AAAA"}],"structuredContent":{"n":-1.5e3,"ok":true,"list":["\u00e9x",null]},"isError":false}}`
	for seed := range 200 {
		var path Path
		path.Use(faultsOf(t, fmt.Sprintf(": corrupt seed=%d", seed)))
		r := path.Text(1, session.S2C, []byte(text))
		var was, is struct {
			Result struct {
				Content           []struct{ Type, Text, MimeType, Data string }
				StructuredContent struct {
					N    float64
					OK   bool
					List []any
				}
				IsError bool
			}
		}
		if err := json.Unmarshal(r.Text, &is); err != nil || string(r.Text) == text {
			t.Fatalf("seed %d: %v\n%s", seed, err, r.Text)
		}
		_ = json.Unmarshal([]byte(text), &was)
		if is.Result.Content[0].Type != "text" || is.Result.Content[1] != was.Result.Content[1] || is.Result.IsError || !json.Valid([]byte(is.Result.Content[0].Text)) {
			t.Errorf("seed %d: %s", seed, r.Text)
		}
	}
}

// TestFile holds what a file of faults may say.
func TestFile(t *testing.T) {
	all, err := ParseFaults([]byte("[faults]\nseed = 3\nlist = [\n 'm:x: drop p=0.5',\n ': delay(1s) seed=1',\n]\n"))
	if err != nil || len(all) != 2 || all.String() != "m:x: drop p=0.5; : delay(1s) seed=1" {
		t.Fatalf("%v, %v", all, err)
	}
	for text, want := range map[string]string{
		"[faults":              "line 1: ",
		"[faults]\nlst = []":   "faults.lst is not a key of such a file: it has [faults] with seed and list",
		"[faults]\nseed = 1\n": "[faults] list has 0 faults",
		"[faults]\nlist = [\n ': drop',\n 'm:x: explode',\n]": `line 4, list[1]: fault "m:x: explode", character 6: "explode" is not a kind of fault: delay, `,
		"[faults]\nlist = [': delay(9)']":                     `line 2, list[0]: fault ": delay(9)", character 9: delay: "9" is not a time`,
	} {
		if _, err := ParseFaults([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
	if err := faultsOf(t, ": status(503)").Over(Stdio); err == nil || !strings.Contains(err.Error(), "status works over HTTP alone") {
		t.Error(err)
	}
}

// FuzzParseFile holds that no file brings the reading down, and that an error is one line.
func FuzzParseFile(f *testing.F) {
	f.Add("[faults]\nseed = 3\nlist = ['m:x: drop p=0.5']")
	f.Add("\"\\\n\"")
	f.Add("\"\\\x1b\"")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParseFaults([]byte(text)); err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%q", err)
		}
	})
}

// TestAfterPolicy holds that a fault gets what a policy has left of a message, and nothing of
// one that it denies.
func TestAfterPolicy(t *testing.T) {
	var path Path
	path.Use(without{}, faultsOf(t, "is:response: junk-line(x)", ": drop")) // The first that applies counts.
	path.Text(1, session.C2S, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	r := path.Text(1, session.S2C, []byte(listed))
	if want := `x|{"jsonrpc":"2.0", "id":1,"result":{"tools":[{"name":"b","x":1.0}]}}`; told(r) != want || r.By != "hold: x; edited; fault: junk-line(x)" {
		t.Errorf("%s: %s", r.By, told(r))
	}
	if r := path.Text(1, session.C2S, []byte(`{"jsonrpc":"2.0","id":2,"method":"denied"}`)); r.By != "policy: no" || r.Verb != session.Refuse || len(r.Text) > 0 {
		t.Errorf("%+v", r)
	}
}

// without is a Decider that hides the tool a, and denies a method.
type without struct{}

func (without) OnError(string) session.Ruling { return session.Ruling{} }

func (without) Decide(m *Message) session.Ruling {
	switch {
	case m.Method == "denied":
		return session.Ruling{Verb: session.Refuse, By: "policy: no", Rule: "no"}
	case m.Kind == session.RowResult:
		return session.Ruling{Verb: session.Alter, By: "hold: x; edited", Text: bytes.Replace(m.Body, []byte(`{"name":"a"}, `), nil, 1)}
	}
	return session.Ruling{}
}

// TestBatch holds that the members of a batch are left alone.
func TestBatch(t *testing.T) {
	var path Path
	path.Use(faultsOf(t, ": drop"))
	if got := told(path.Text(1, session.C2S, []byte("["+listing+"]"))); got != "=" {
		t.Error(got)
	}
}

func TestFaultErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                        "it has the form FILTER: KIND(ARGUMENT)",
		"m:x":                     "it has the form",
		"m:x: explode":            `"explode" is not a kind of fault: delay, drop, hang`,
		"m:x: delay":              `delay: "" is not a time`,
		"m:x: delay(2s":           "delay( has no )",
		"m:x: drop(3)":            "drop: it takes no argument",
		"m:x: drop p=2":           `"p=2": behind the kind come p=0.1`,
		"m:x: drop q=2":           `"q=2"`,
		"m:x: truncate(0)":        `"0" is not a number of bytes`,
		"m:x: oversize(1000000M)": "is not a number of bytes",
		"lat>1s: drop":            "lat: is not known before a message is forwarded",
	} {
		if _, err := ParseFault(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", spec, err, want)
		}
	}
}

// TestDocs holds that the page names every kind.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range FaultKinds() {
		if !strings.Contains(string(page), "| `"+k.Name+"`") && !strings.Contains(string(page), "| `"+k.Name+"(") {
			t.Errorf("docs/faults.md does not name %s", k.Name)
		}
	}
}

// FuzzFault holds that no specification and no message brings a fault down, and that a
// message that is no more than late stays what it is.
func FuzzFault(f *testing.F) {
	for _, k := range FaultKinds() {
		f.Add("m:x | d:s2c: "+k.Name+"("+k.Argument+") p=0.5 n=2 seed=3", listed)
	}
	f.Fuzz(func(t *testing.T, spec, message string) {
		fault, err := ParseFault(spec)
		if err != nil {
			return
		}
		if fault.value.size > 1<<20 || fault.value.time > time.Minute {
			return
		}
		var path Path
		path.Use(Faults{fault})
		for _, s := range []session.Stream{session.C2S, session.S2C} {
			r := path.Text(1, s, []byte(message))
			if r.Delay > 0 && string(r.Text) != message && json.Valid([]byte(message)) && strings.TrimSpace(message) == message {
				t.Errorf("%q became %q", message, r.Text)
			}
		}
	})
}

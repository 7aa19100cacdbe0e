package form

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wiretea/ui/pane"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // The tests make much garbage and keep little.
	os.Exit(m.Run())
}

// TestBeginnings holds what a new form sends, and what it says is wrong with
// that.
func TestBeginnings(t *testing.T) {
	for _, c := range []struct{ name, schema, values, problems string }{
		{"zod", zodSchema, `{"duration":10,"steps":5,"includeImage":false}`, "location is required"},
		{"pydantic", pydanticSchema, `{"priority":"normal","to":{},"items":[{"amount":1}],"tags":[]}`, "to.street is required; items.0.sku is required"},
		{"github", githubSchema, `{}`, "method is required; owner is required; repo is required"},
		{"browser", browserSchema, `{}`, "fields is required"},
		{"elicit", elicitSchema, `{"size":"m"}`, "name is required; agree is required"},
		{"union", unionSchema, `{"shape":{"kind":"circle"}}`, "shape.radius is required"},
		{"tree", treeSchema, `{}`, "name is required"},
		{"mixed", mixedSchema, `{}`, "a is required"},
		{"empty", `{}`, `{}`, ""},
		{"object", `{"type":"object"}`, `{}`, ""},
		{"true", `true`, `{}`, ""},
		{"false", `false`, `{}`, "the schema allows no value here"},
		{"null", `null`, `{}`, ""},
		{"number", `{"type":"number","default":1.0}`, `1.0`, ""},
		{"required const", `{"type":"object","properties":{"v":{"const":2.50}},"required":["v"]}`, `{"v":2.50}`, ""},
		{"default of an object", `{"type":"object","properties":{"o":{"type":"object","default":{"b":1,"a":2},"properties":{"a":{"type":"integer"}}}}}`, `{"o":{"b":1,"a":2}}`, ""},
		{"required without a property", `{"type":"object","required":["q"]}`, `{}`, "q is required"},
		{"required recursion", `{"type":"object","properties":{"next":{"$ref":"#"}},"required":["next"]}`, `{"next":{"next":{"next":{}}}}`, "next.next.next.next is required"},
		{"wrong default", `{"type":"object","properties":{"n":{"type":"integer","default":"many"}}}`, `{"n":"many"}`, "n is a string, must be integer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := formOf(t, c.schema, "")
			want(t, f, c.values)
			if got := problems(f); got != c.problems {
				t.Errorf("problems %q, want %q", got, c.problems)
			}
			if !f.Checked() || f.Valid() != (c.problems == "") {
				t.Errorf("checked %t, valid %t", f.Checked(), f.Valid())
			}
		})
	}
}

func problems(f *Form) string {
	var list []string
	for _, p := range f.Problems() {
		list = append(list, strings.TrimSpace(strings.Join(p.Path, ".")+" "+p.Text))
	}
	return strings.Join(list, "; ")
}

// TestFilling holds what keys come to.
func TestFilling(t *testing.T) {
	const text = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`
	const list = `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}`
	const def = `{"type":"object","properties":{"a":{"type":"string","default":"tea"}}}`
	const one = `{"type":"object","properties":{"v":%s}}`
	for _, c := range []struct{ name, schema, start, keys, want string }{
		{"text", text, "", `'ann' tab 'bo b'`, `{"a":"ann","b":"bo b"}`},
		{"a default is typed over", def, "", `'x1'`, `{"a":"x1"}`},
		{"a default is typed over, and that is taken back", def, "", `'x' ctrl+_ ctrl+_`, `{"a":"tea"}`},
		{"a default is edited", def, "", `backspace 'n'`, `{"a":"ten"}`},
		{"within a default", def, "", `left 'x'`, `{"a":"texa"}`},
		{"what came is not typed over", def, `{"a":"x"}`, `'y'`, `{"a":"xy"}`},
		{"emptied text is not sent", text, `{"a":"x","b":"y"}`, `backspace`, `{"b":"y"}`},
		{"empty text on purpose", text, "", `ctrl+t 'empty' enter`, `{"a":""}`},
		{"an empty text that came stays", text, `{"a":""}`, `tab 'x'`, `{"a":"","b":"x"}`},
		{"null on purpose", text, "", `ctrl+t 'null' enter`, `{"a":null}`},
		{"raw on purpose", text, "", `ctrl+t 'raw' enter '[1, {"k" :2}]'`, `{"a":[1,{"k":2}]}`},
		{"raw keeps what was there", text, `{"a":"q"}`, `ctrl+t 'raw' enter`, `{"a":"q"}`},
		{"not sent", text, `{"a":"q","b":"r"}`, `ctrl+x`, `{"b":"r"}`},
		{"order as it came", text, `{"b":"1","a":"2"}`, `'3'`, `{"b":"1","a":"23"}`},
		{"what comes later is behind", text, `{"b":"1"}`, `'x'`, `{"b":"1","a":"x"}`},
		{"unknown members stay", text, `{"zz":{"deep":[1.0]},"a":"2"}`, `'3'`, `{"zz":{"deep":[1.0]},"a":"23"}`},
		{"quotes and line ends", text, "", `'"\' ctrl+j 'x'`, `{"a":"\"\\\nx"}`},
		{"escapes stay until they are edited", text, `{"a":"\u00e9\/","b":"\u00e9"}`, `tab 'x'`, `{"a":"\u00e9\/","b":"éx"}`},
		{"word and line keys", text, `{"a":"one two three"}`, `ctrl+w ctrl+a alt+d delete 'X' ctrl+e 'Y'`, `{"a":"Xtwo Y"}`},
		{"undo", text, `{"a":"one"}`, `' two' ctrl+w ctrl+_ '!'`, `{"a":"one two!"}`},
		{"redo", text, `{"a":"one"}`, `' two' ctrl+_ ctrl+y`, `{"a":"one two"}`},

		{"number keeps its text", fmt.Sprintf(one, `{"type":"number"}`), "", `'1.0'`, `{"v":1.0}`},
		{"huge number", fmt.Sprintf(one, `{"type":"number"}`), "", `'1e400'`, `{"v":1e400}`},
		{"big integer", fmt.Sprintf(one, `{"type":"integer"}`), "", `'123456789012345678901234567890'`, `{"v":123456789012345678901234567890}`},
		{"no number is sent as text", fmt.Sprintf(one, `{"type":"number"}`), "", `'1.'`, `{"v":"1."}`},
		{"boolean", fmt.Sprintf(one, `{"type":"boolean"}`), "", `space`, `{"v":true}`},
		{"boolean twice", fmt.Sprintf(one, `{"type":"boolean"}`), "", `space space`, `{"v":false}`},
		{"boolean left out", fmt.Sprintf(one, `{"type":"boolean"}`), `{"v":true}`, `backspace`, `{}`},
		{"boolean by letter", fmt.Sprintf(one, `{"type":"boolean"}`), "", `f`, `{"v":false}`},
		{"choice", fmt.Sprintf(one, `{"enum":["a",1,null,{"x":1}]}`), "", `enter down down down enter`, `{"v":{"x":1}}`},
		{"choice by its letters", fmt.Sprintf(one, `{"enum":["red","green","blue"]}`), "", `'bl' enter`, `{"v":"blue"}`},
		{"choice by arrows", fmt.Sprintf(one, `{"enum":["red","green","blue"]}`), "", `right right left left`, `{"v":"blue"}`},
		{"choice by title", fmt.Sprintf(one, `{"oneOf":[{"const":"s","title":"Small"},{"const":"m","title":"Medium"}]}`), "", `'Med' enter`, `{"v":"m"}`},
		{"several types", fmt.Sprintf(one, `{"type":["string","number","null"]}`), "", `'12' ctrl+t 'number' enter`, `{"v":12}`},
		{"a default of null is not sent", fmt.Sprintf(one, `{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`), "", ``, `{}`},
		{"null that may be", fmt.Sprintf(one, `{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`), "", `ctrl+t 'null' enter`, `{"v":null}`},
		{"typed over a null", fmt.Sprintf(one, `{"anyOf":[{"type":"string"},{"type":"null"}]}`), `{"v":null}`, `'x'`, `{"v":"x"}`},
		{"null that must be", fmt.Sprintf(one, `{"type":"null","default":null}`), "", ``, `{"v":null}`},

		{"items", list, "", `enter 'a' enter enter 'b' ctrl+n 'c'`, `{"l":["a","b","c"]}`},
		{"items of a choice", browserSchema, `{"fields":[],"modifiers":[]}`, `down down enter down down space up space enter`, `{"fields":[],"modifiers":["Control","Shift"]}`},
		{"a check list is unchecked", browserSchema, `{"fields":[],"modifiers":["Shift","Alt"]}`, `down down space space esc`, `{"fields":[],"modifiers":["Shift"]}`},
		{"a check list keeps its order", browserSchema, `{"fields":[],"modifiers":["Shift","Alt"]}`, `down down 'Co' space enter`, `{"fields":[],"modifiers":["Control","Shift","Alt"]}`},
		{"a check list with titles", elicitSchema, "", `down down down down down 'Why' space enter`, `{"size":"m","many":["y"]}`},
		{"a check list is none where an item is not a choice", browserSchema, `{"fields":[],"modifiers":["Meta"]}`, `down down enter down ctrl+x`, `{"fields":[],"modifiers":["Meta"]}`},
		{"an item twice", browserSchema, `{"fields":[],"modifiers":["Alt"]}`, `down down ctrl+n enter`, `{"fields":[],"modifiers":["Alt","Alt"]}`},
		{"items that are empty", `{"type":"array","items":{"type":["boolean","string"]}}`, `[]`, `enter ctrl+n ctrl+t 'empty' enter`, `[false,""]`},
		{"item removed", list, `{"l":["a","b","c"]}`, `down down ctrl+x`, `{"l":["a","c"]}`},
		{"item moved", list, `{"l":["a","b","c"]}`, `down alt+down alt+down`, `{"l":["b","c","a"]}`},
		{"item moved up and edited", list, `{"l":["a","b","c"]}`, `down down alt+up 'x'`, `{"l":["bx","a","c"]}`},
		{"free member", `{"type":"object","additionalProperties":{"type":"integer"}}`, "", `enter 'n o' enter '7'`, `{"n o":7}`},
		{"typing on the row that adds a member begins its name", `{"type":"object","additionalProperties":{"type":"integer"}}`, "", `'n o' enter '7'`, `{"n o":7}`},
		{"typing on the row that adds an item begins it", list, `{"l":[]}`, `down 'ab'`, `{"l":["ab"]}`},
		{"free member without a name", `{"type":"object","additionalProperties":{"type":"integer"}}`, "", `enter tab`, `{}`},
		{"member by pattern", mixedSchema, `{"opts":{}}`, `ctrl+home tab tab tab tab tab tab tab tab enter 'n_x' enter '1' ctrl+n 'b' enter space`, `{"opts":{"n_x":1,"b":true}}`},
		{"member removed", `{"type":"object"}`, `{"p":1,"q":2}`, `ctrl+x`, `{"q":2}`},
		{"object unfolds", fmt.Sprintf(one, `{"type":"object","properties":{"x":{"type":"string"}}}`), "", `enter 'y'`, `{"v":{"x":"y"}}`},
		{"object left out", fmt.Sprintf(one, `{"type":"object","properties":{"x":{"type":"string"}}}`), `{"v":{"x":"y","z":1}}`, `ctrl+x`, `{}`},
		{"recursion", treeSchema, "", `'r' tab enter 'c' tab enter 'g'`, `{"name":"r","children":[{"name":"c","children":[{"name":"g"}]}]}`},
		{"variant", unionSchema, "", `'1' up up ctrl+t 'Square' enter tab tab '2'`, `{"shape":{"kind":"square","side":2}}`},
		{"variant of another type", unionSchema, "", `up up ctrl+t 'Name' enter 'n'`, `{"shape":"n"}`},
		{"default again", zodSchema, "", `tab '5' ctrl+t 'default' enter`, `{"duration":10,"steps":5,"includeImage":false}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := formOf(t, c.schema, c.start)
			press(t, f, c.keys)
			want(t, f, c.want)
			screen(t, f, 60, 20)
		})
	}
}

// TestNothingToFillIn holds that enter sends at once where a schema names no
// fields, and adds a member where the schema asks for such.
func TestNothingToFillIn(t *testing.T) {
	for schema, sends := range map[string]bool{
		`{"type":"object"}`:                                           true,
		`{"type":"object","properties":{}}`:                           true,
		`{"type":"object","additionalProperties":false}`:              true,
		`{"type":"object","additionalProperties":{"type":"integer"}}`: false,
		`{"type":"object","properties":{"a":{"type":"string"}}}`:      false,
	} {
		f := formOf(t, schema, "")
		sent := slices.Contains(press(t, f, "enter"), tea.Msg(SendMsg{f}))
		if sent != sends {
			t.Errorf("%s: enter sends: %t, want %t", schema, sent, sends)
		}
	}
}

// TestTypingAtSend holds that letters typed while [ send ] has the focus go into the first
// field that takes text, and that a form without one says what the keys do.
func TestTypingAtSend(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"on":{"type":"boolean"},"s":{"type":"string"}}}`, "")
	press(t, f, "ctrl+end 'hi'")
	want(t, f, `{"s":"hi"}`)
	for schema, notice := range map[string]string{
		`{"type":"object"}`: "no field takes text; enter sends, ctrl-n adds a member",
		`{"type":"object","additionalProperties":false}`: "no field takes text; enter sends",
	} {
		f := formOf(t, schema, "")
		if sent := press(t, f, "ctrl+end 'x'"); sent != nil || f.notice != notice {
			t.Errorf("%s: %v, notice %q", schema, sent, f.notice)
		}
	}
}

// TestFacts holds what is said of bytes.
func TestFacts(t *testing.T) {
	for bytes, want := range map[string]string{
		"":                                      "0 bytes",
		"{}\n":                                  "3 bytes · one line",
		"{}":                                    "2 bytes · no line feed at the end: the server keeps waiting",
		"{,}\n":                                 "4 bytes · one line · no JSON",
		"{\n}\n":                                "4 bytes · 2 lines",
		"\xff":                                  "1 bytes · no line feed at the end: the server keeps waiting · no JSON · not UTF-8",
		"Content-Length: 2\r\n\r\n{}":           "23 bytes · Content-Length matches the body",
		"Content-Length: 2\r\nX: 1\r\n\r\n{}\n": "30 bytes · Content-Length is 2, the body has 3 bytes",
		"Content-Length: two\r\n\r\n{}":         "25 bytes · no line feed at the end: the server keeps waiting",
	} {
		if got := facts([]byte(bytes), false); got != want {
			t.Errorf("%q: %s, want %s", bytes, got, want)
		}
		want = strings.ReplaceAll(want, " · no line feed at the end: the server keeps waiting", "")
		if got := facts([]byte(bytes), true); got != want {
			t.Errorf("bare %q: %s, want %s", bytes, got, want)
		}
	}
}

// TestSending holds what a form asks of the screen.
func TestSending(t *testing.T) {
	f := formOf(t, githubSchema, "")
	for keys, want := range map[string]tea.Msg{"ctrl+s": SendMsg{f}, "ctrl+end enter": SendMsg{f}, "esc": LeaveMsg{f}} {
		if diff := cmp.Diff([]tea.Msg{want}, press(t, f, keys), cmp.Comparer(func(a, b *Form) bool { return a == b })); diff != "" {
			t.Errorf("%s: %s", keys, diff)
		}
	}
	// A menu is closed before the form is left.
	press(t, f, "ctrl+home enter")
	if asked := press(t, f, "esc"); asked != nil || f.menu != nil {
		t.Errorf("esc in a menu asks for %v", asked)
	}
}

// TestPaste holds that pasting is typing, line ends included.
func TestPaste(t *testing.T) {
	added := formOf(t, `{"type":"object","additionalProperties":{"type":"integer"}}`, "")
	drive(t, added, tea.PasteMsg{Content: "pasted"}) // On the row that adds a member.
	press(t, added, `enter '7'`)
	want(t, added, `{"pasted":7}`)
	f := formOf(t, `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"}}}`, "")
	drive(t, f, tea.PasteMsg{Content: "one\r\ntwo\rthree\n"})
	press(t, f, "tab")
	f.stand(1)
	drive(t, f, tea.PasteMsg{Content: " 42\n"})
	f.stand(2)
	drive(t, f, tea.PasteMsg{Content: "true"})
	want(t, f, `{"s":"one\ntwo\nthree\n","n":42}`)
}

// TestClick holds that the mouse finds what it points at.
func TestClick(t *testing.T) {
	f := formOf(t, `{"type":"object","properties":{"s":{"type":"string"},"b":{"type":"boolean"},"e":{"enum":["x","y"]}}}`, "")
	at := func(text string) {
		t.Helper()
		for y, line := range strings.Split(screen(t, f, 60, 20), "\n") {
			if strings.Contains(line, text) {
				drive(t, f, pane.ClickMsg{X: 3, Y: y})
				return
			}
		}
		t.Fatalf("%q is not shown", text)
	}
	at("  b ")
	at("▸ b ")
	at("  e ")
	at("▸ e ")
	at("  y")
	want(t, f, `{"b":true,"e":"y"}`)
	at("[ send ]")
	drive(t, f, pane.WheelMsg{Lines: -9})
	if got := f.focus().field.path(); !slices.Equal(got, []string{"s"}) {
		t.Errorf("the wheel went to %q", got)
	}
}

// TestCompletion holds the asking for candidates.
func TestCompletion(t *testing.T) {
	f := form(t, Config{Schema: []byte(githubSchema), Completes: func(path []string) bool { return path[0] == "owner" || path[0] == "repo" },
		Values: []byte(`{"repo":"tea","perPage":10}`)})
	press(t, f, "tab")
	f.to(f.root.kid("owner"))
	asked := press(t, f, "'a'")
	if len(asked) != 1 {
		t.Fatalf("asked %v", asked)
	}
	ask := asked[0].(CompleteMsg)
	if ask.Name != "owner" || ask.Text != "a" || !cmp.Equal(ask.Context, map[string]string{"repo": "tea", "perPage": "10"}) {
		t.Errorf("asked %+v", ask)
	}
	// While an answer is waited for nothing is asked; it is stale when it comes,
	// and what is typed now is asked for.
	if more := press(t, f, "'n'"); more != nil {
		t.Errorf("asked again: %v", more)
	}
	asked = drive(t, f, CompletedMsg{Form: f, Seq: ask.Seq, Values: []string{"abc"}})
	if len(asked) != 1 || asked[0].(CompleteMsg).Text != "an" || f.menu != nil {
		t.Fatalf("after a stale answer: %v", asked)
	}
	ask = asked[0].(CompleteMsg)
	drive(t, f, CompletedMsg{Form: f, Seq: ask.Seq - 1, Values: []string{"old"}})
	drive(t, f, CompletedMsg{Form: f, Seq: ask.Seq, Values: []string{"ann", "an\x1b[31mdy", "an"}, More: true})
	golden(t, "completion", f)
	press(t, f, "down down enter")
	want(t, f, `{"repo":"tea","perPage":10,"owner":"an\u001b[31mdy"}`)
	// ctrl-space asks although an answer never came, and typing goes on with a
	// menu open.
	press(t, f, "'x'")
	asked = press(t, f, "ctrl+space")
	ask = asked[0].(CompleteMsg)
	drive(t, f, CompletedMsg{Form: f, Seq: ask.Seq, Values: []string{"one"}})
	press(t, f, "ctrl+u 'z' enter")
	want(t, f, `{"repo":"tea","perPage":10,"owner":"z"}`)
}

// TestTable holds that every key of the table does something, and that none is
// a letter.
func TestTable(t *testing.T) {
	for _, k := range Table {
		for _, name := range k.Keys {
			if len(name) == 1 {
				t.Errorf("%q types", name)
			}
			_, acts := acts()[name]
			_, edits := edits.Get()[name]
			special := slices.Contains([]string{"ctrl+s", "ctrl+enter", "esc", "ctrl+o", "f2", "up", "down", "left", "right", "space", "enter", "tab"}, name)
			if !acts && !edits && !special {
				t.Errorf("%q does nothing", name)
			}
		}
	}
}

// TestGoldens holds what the screen shows.
func TestGoldens(t *testing.T) {
	for name, schema := range allSchemas {
		golden(t, name, form(t, Config{Title: name + "_tool", About: "What the tool does, in a sentence.", Schema: []byte(schema), Malformed: true}))
	}
	f := form(t, Config{Title: "create_order", Schema: []byte(pydanticSchema), Values: []byte(`{"to":{"street":"日本 1","zip":"1"},"items":[{"sku":"","amount":0}],"extra":[1,2]}`)})
	golden(t, "problems", f)
	press(t, f, "ctrl+home enter")
	golden(t, "menu", f)
	press(t, f, "esc ctrl+t")
	golden(t, "ways", f)
	press(t, f, "esc ctrl+o")
	golden(t, "raw", f)
	press(t, f, "ctrl+end backspace")
	golden(t, "raw-broken", f)
	f = form(t, Config{Title: "echo", Schema: []byte(`{"type":"object","properties":{"text":{"type":"string","description":"A text of several lines"}}}`), Malformed: true})
	drive(t, f, tea.PasteMsg{Content: "one\ntwo 日本語 👍🏽\n\x1b[31mthree " + strings.Repeat("long ", 30)})
	golden(t, "lines", f)
	press(t, f, `ctrl+o ctrl+o ctrl+end '\xff\r\n'`)
	golden(t, "malformed", f)
}

// TestNamesAndTitles holds that a long name is whole where there is room for it, and that
// the schema's title is beside the description where it says more than the name.
func TestNamesAndTitles(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"untitledMultipleSelectEnumeration":{"type":"string","title":"Untitled multiple-select enumeration","description":"Choose one"},
		"amount":{"type":"number","title":"Number in range 1-1000","description":"Favorite number"},
		"only":{"type":"string","title":"A title alone"},
		"said":{"type":"string","title":"Your name","description":"Your name, as in the passport"},
		"last":{"type":"string"}}}`
	f := form(t, Config{Title: "form", Schema: []byte(schema)})
	for w, shows := range map[int][]string{
		90: {"untitledMultipleSelectEnumeration", "    Choose one", "    Number in range 1-1000 · Favorite number", "    A title alone", "    Your name, as in the passport"},
		40: {"untitledMulti…"},
	} {
		got := screen(t, f, w, 30)
		for _, text := range shows {
			if !strings.Contains(got, text) {
				t.Errorf("in %d cells %q is missing:\n%s", w, text, got)
			}
		}
	}
}

// TestSizes holds that any size can be drawn.
func TestSizes(t *testing.T) {
	for name, schema := range allSchemas {
		f := form(t, Config{Title: name, About: "about", Schema: []byte(schema), Malformed: true})
		for _, keys := range []string{"", "tab tab", "ctrl+t", "esc ctrl+end", "ctrl+o", "ctrl+o"} {
			press(t, f, keys)
			for _, w := range []int{1, 2, 3, 5, 10, 20, 21, 40, 79, 80, 200} {
				for _, h := range []int{1, 2, 3, 4, 6, 9, 24, 60} {
					screen(t, f, w, h)
				}
			}
		}
	}
}

package path

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/session/json/lex"
)

func policyOf(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	call    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"NAME","arguments":{"path":"/tmp"}}}`
	refused = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"denied by policy, rule RULE"}],"isError":true}}`
)

func calls(name string) string { return strings.Replace(call, "NAME", name, 1) }

// step is a text that crosses, and what comes of it: "=" passes, "" nothing goes on.
type step struct {
	from       session.Stream
	text, goes string
	back       string // back are the messages to the sender, separated by spaces.
	by         string
}

// TestRules plays texts through a path with a policy.
func TestRules(t *testing.T) {
	tests := []struct {
		name, policy string
		steps        []step
	}{
		{"the first rule counts", `
[[rule]]
filter = "m:tools/call t:echo"
action = "allow"
[[rule]]
id = "no-tools"
filter = "m:tools/call"
action = "deny"
[[rule]]
id = "seen"
filter = "m:ping"
action = "log"`, []step{
			{session.C2S, calls("echo"), "=", "", ""},
			{session.C2S, calls("shell"), "", strings.Replace(refused, "RULE", "no-tools", 1), "policy: no-tools"},
			{session.C2S, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "=", "", "policy: seen"},
			{session.S2C, `{"jsonrpc":"2.0","id":1,"result":{}}`, "=", "", ""},
		}},
		{"an error, with the reason", `
[[rule]]
filter = "m:resources/read"
action = "deny"
reason = "not \"here\""`, []step{
			{session.C2S, `{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"file:///x"}}`, "",
				`{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"denied by policy, rule rule-1: not \"here\"","data":{"rule":"rule-1"}}}`, "policy: rule-1"},
			{session.C2S, `{"jsonrpc":"2.0","method":"resources/read"}`, "", "", "policy: rule-1"},
		}},
		{"the server's request", `
[[rule]]
id = "no-sampling"
filter = "m:sampling/"
action = "deny"`, []step{
			{session.S2C, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`, "",
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"denied by policy, rule no-sampling","data":{"rule":"no-sampling"}}}`, "policy: no-sampling"},
		}},
		{"the default", `default = "deny"`, []step{
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, "=", "", ""},
			{session.S2C, `{"jsonrpc":"2.0","id":1,"result":{}}`, "=", "", ""},
			{session.C2S, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "=", "", ""},
			{session.S2C, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`, "", "", "policy: default"},
			{session.C2S, calls("echo"), "", strings.Replace(refused, "RULE", "default", 1), "policy: default"},
			{session.C2S, "  ", "=", "", ""},
		}},
		{"responses where a filter names them", `
[[rule]]
id = "leak"
filter = "is:response b:secret"
action = "deny"`, []step{
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"secret"}}`, "=", "", ""},
			{session.S2C, `{"jsonrpc":"2.0","id":1,"result":{"contents":"a secret"}}`,
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"denied by policy, rule leak","data":{"rule":"leak"}}}`, "", "policy: leak"},
			{session.C2S, calls("x"), "=", "", ""},
			{session.S2C, `{"jsonrpc":"2.0","id":1,"result":{"content":"a secret"}}`, strings.Replace(refused, "RULE", "leak", 1), "", "policy: leak"},
		}},
		{"arguments", `
[[rule]]
id = "etc"
filter = "m:tools/call t:read b:/etc"
action = "deny"
[[rule]]
id = "only-tmp"
filter = "m:tools/call t~^write$ -j:.params.arguments.path=/tmp"
action = "deny"
[[rule]]
id = "no-shell"
filter = "m:tools/call t:shell"
action = "deny"`, []step{
			{session.C2S, calls("read"), "=", "", ""},
			{session.C2S, strings.Replace(calls("read"), "/tmp", "/etc", 1), "", strings.Replace(refused, "RULE", "etc", 1), "policy: etc"},
			{session.C2S, strings.Replace(calls("write"), "/tmp", `\u002ftmp`, 1), "=", "", ""},
			{session.C2S, strings.Replace(calls("write"), "path", `p\u0061th`, 1), "=", "", ""},
			{session.C2S, strings.Replace(calls("write"), "/tmp", "/tmp/..", 1), "", strings.Replace(refused, "RULE", "only-tmp", 1), "policy: only-tmp"},
			{session.C2S, strings.Replace(calls("write"), "path", "Path", 1), "", strings.Replace(refused, "RULE", "only-tmp", 1), "policy: only-tmp"},
			{session.C2S, `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`, "=", "", ""},
			{session.S2C, `{"jsonrpc":"2.0","id":5,"result":{"tools":[{"name":"read"},{"name":"shell"}]}}`, "=", "", ""},
		}},
		{"a batch", `
[[rule]]
id = "no-shell"
filter = "t:shell"
action = "deny"`, []step{
			{session.C2S, `[{"jsonrpc":"2.0","id":7,"method":"ping"}, ` + calls("shell") + `,{"jsonrpc":"2.0","method":"x"}]`,
				`[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]`, strings.Replace(refused, "RULE", "no-shell", 1), "policy: no-shell"},
			{session.C2S, `[` + calls("shell") + `]`, "", strings.Replace(refused, "RULE", "no-shell", 1), "policy: no-shell"},
			{session.C2S, `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, "=", "", ""},
		}},
		{"what cannot be read, open", `on_error = "open"`, []step{
			{session.S2C, `Server started!`, "=", "", "policy: on_error"},
			{session.C2S, `{"jsonrpc":"2.0","id":1,"Method":"tools/call"}`, "=", "", "policy: on_error"},
		}},
		{"what cannot be read, closed", `on_error = "closed"`, []step{
			{session.S2C, `Server started!`, "", "", "policy: on_error"},
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, "",
				strings.Replace(refused, "RULE", "on_error: an object of the message has the same member twice", 1), "policy: on_error"},
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call"}`, "",
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"denied by policy, rule on_error: the message has a member that differs from one of JSON-RPC only in case","data":{"rule":"on_error"}}}`, "policy: on_error"},
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"x","params":{"Name":"shell"}}`, "",
				`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"denied by policy, rule on_error: the message has a parameter that differs from name or uri only in case","data":{"rule":"on_error"}}}`, "policy: on_error"},
			{session.C2S, `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "", "", "policy: on_error"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var path Path
			path.Use(policyOf(t, test.policy))
			for i, s := range test.steps {
				r := path.Text(1, s.from, []byte(s.text))
				goes, back := string(r.Text), ""
				if r.Whole() {
					goes = "="
				}
				for _, b := range r.Back {
					back = strings.TrimSpace(back + " " + string(b))
				}
				if goes != s.goes || back != s.back || r.By != s.by {
					t.Errorf("step %d, %s:\n goes %s\n back %s\n by   %s", i, s.text, goes, back, r.By)
				}
			}
		})
	}
}

// TestBudget holds what becomes of a message for which there is too much to search: on_error
// decides, rules that need no search count, and a shorter message is judged whole.
func TestBudget(t *testing.T) {
	var searching strings.Builder
	for i := range 100 {
		fmt.Fprintf(&searching, "[[rule]]\nid = \"r%d\"\nfilter = \"b~nothing-%d\"\naction = \"deny\"\n", i, i)
	}
	const secret, name = "[[rule]]\nid='secret'\nfilter='b~secret'\naction='deny'\n", "[[rule]]\nid='shell'\nfilter='t~^shell$'\naction='deny'\n"
	member := "[[rule]]\nid='member'\nfilter='m:tools/call j:.a=b'\naction='deny'\n"
	short, long := `{"name":"x","text":"secret"}`, `{"name":"x","text":"secret`+strings.Repeat("x", 1000)+`"}`
	for _, c := range []struct {
		name, rules, tool, body string
		action                  Action
		rule, why               string
	}{
		{"open, short", secret, "x", short, Deny, "secret", ""},
		{"open, long", secret, "x", long, Log, "on_error", spent},
		{"open, long, denied by name", secret + name, "shell", long, Deny, "shell", ""},
		{"open, long, denied by default", "", "x", long, Deny, "default", ""},
		{"closed, short", secret, "x", short, Deny, "secret", ""},
		{"closed, long", secret, "x", long, Deny, "on_error", spent},
		{"closed, long, arguments", member, "x", long, Deny, "on_error", spent},
		{"closed, long, nothing to search in time", "", "x", "{}", Allow, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := "on_error = '" + c.name[:strings.Index(c.name, ",")] + "'\n"
			if strings.HasSuffix(c.name, "default") {
				head += "default = 'deny'\n"
			}
			p := policyOf(t, head+searching.String()+c.rules)
			p.budget = 100*len(long) - 1
			if c.rules == "" {
				p.budget--
			}
			if c.body == short {
				p.budget = 101 * len(short)
			}
			m := filter.Passing{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: c.tool, ID: "1", Body: []byte(c.body)}
			action, rule := p.Judge(&m)
			if rule == nil {
				rule = &Rule{}
			}
			if action != c.action || rule.ID != c.rule || rule.Reason != c.why {
				t.Errorf("%v by %q, %q", action, rule.ID, rule.Reason)
			}
		})
	}
}

// TestLongName holds that a name beyond what is captured of a message is judged whole.
func TestLongName(t *testing.T) {
	var path Path
	path.Use(policyOf(t, "[[rule]]\nfilter = 't~shell$'\naction = \"deny\""))
	if r := path.Text(1, session.C2S, []byte(calls(strings.Repeat("x", 400)+"shell"))); r.Verb != session.Refuse {
		t.Errorf("%+v", r)
	}
}

func TestPolicyErrors(t *testing.T) {
	rule := func(filter, action string) string {
		return "[[rule]]\nid = \"a\"\nfilter = '" + filter + "'\naction = \"" + action + "\"\n"
	}
	for text, want := range map[string]string{
		"default = 'maybe'":                        `default = "maybe": it is allow or deny`,
		"on_error = 'ajar'":                        `on_error = "ajar": it is open or closed`,
		"defualt = 'deny'":                         "defualt is not a key of a policy: it has default, on_error, on_exit, and [[rule]] with id, filter, action, reason, timeout and on_timeout",
		"\n[[rule]":                                "line 2: ",
		rule("m:x", "forbid"):                      `rule "a": action = "forbid": it is allow, deny, log`,
		rule("m:(", "deny"):                        `rule "a": filter = "m:("`,
		rule("lat>1s", "deny"):                     `rule "a": filter = "lat>1s": lat: is not known before a message is forwarded`,
		rule("is:late", "deny"):                    "is:late is not known before",
		rule("m:x", "deny") + rule("m:y", "allow"): `rule "a": another rule has this id`,
	} {
		if _, err := ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// TestReload holds that a changed file is in force whole, and a broken one changes nothing.
func TestReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.toml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	f, err := OpenPolicy(file)
	if err != nil {
		t.Fatal(err)
	}
	changes := make(chan session.PathEvent)
	if err := f.Watch(t.Context(), func(ev session.PathEvent) { changes <- ev }); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ text, event, says, force string }{
		{"default = 'deny'", "changed", "0 rules, default deny", "0 rules, default deny"},
		{"default = 'den'", "broken", `default = "den": it is allow or deny`, "0 rules, default deny"},
		{"on_error = 'closed'", "changed", "0 rules, default allow, on_error closed", "0 rules, default allow, on_error closed"},
	} {
		write(step.text)
		ev := <-changes
		for ev.Event == "changed" && step.event == "broken" || !strings.Contains(ev.Text, step.says) {
			ev = <-changes // The file was read while it was written.
		}
		if ev.Event != step.event || f.Policy().String() != step.force {
			t.Errorf("%q: %+v, in force %s", step.text, ev, f.Policy())
		}
	}
}

// FuzzPolicy holds that no text of a policy and no message brings it down, and that what is
// made of a message is JSON.
func FuzzPolicy(f *testing.F) {
	f.Add("default = 'deny'\n[[rule]]\nfilter = \"m:tools/call t:a | b~'x'\"\naction = 'allow'", calls("a"))
	f.Add("[[rule]]\nfilter = 'm:tools/call j:.params.arguments.path=/tmp'\naction = 'deny'", calls("a"))
	f.Add("on_error = 'closed'", `{"jsonrpc":"2.0","id":1,"method":"x"`)
	f.Add("\"\\\n\"", "{}")
	f.Fuzz(func(t *testing.T, text, message string) {
		p, err := ParsePolicy([]byte(text))
		if err != nil {
			if strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("%q", err)
			}
			return
		}
		var path Path
		path.Use(p)
		for _, s := range []session.Stream{session.C2S, session.S2C} {
			r := path.Text(1, s, []byte(message))
			for _, back := range append(r.Back, r.Text) {
				if len(back) > 0 && !json.Valid(bytes.ToValidUTF8(back, nil)) {
					t.Errorf("%q is not JSON", back)
				}
			}
		}
	})
}

// FuzzManyTexts holds that looking for the texts of many rules at once changes nothing of what
// they say. The filters are lines; each stands in a number of rules, with other rules before it.
func FuzzManyTexts(f *testing.F) {
	f.Add("m:tools/call b:SECRET\nb:one | b:two\n-b:one b:tmp\nb:on\nb~t.p b:echo\nt:a (b:/tmp | b:three)\nx", calls("Secret"))
	f.Add("b:path | t:echo\nb:/TMP is:request\nid:1 b:jsonrpc", calls("echo"))
	f.Fuzz(func(t *testing.T, filters, text string) {
		var rules strings.Builder
		lines := strings.Split(filters, "\n")
		for n := range max(manyTexts, len(lines)) + 1 {
			fmt.Fprintf(&rules, "[[rule]]\nfilter = %s\naction = 'log'\n", strconv.Quote("b:none-"+strconv.Itoa(n)))
			fmt.Fprintf(&rules, "[[rule]]\nfilter = %s\naction = 'deny'\n", strings.ReplaceAll(lex.Quote(lines[n%len(lines)]), "\x7f", `\u007f`))
		}
		p, err := ParsePolicy([]byte(rules.String()))
		if err != nil {
			return
		}
		plain, err := ParsePolicy([]byte(rules.String()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range plain.Rules {
			plain.Rules[i].needs = nil
		}
		for _, body := range [][]byte{[]byte(text), {}, nil} {
			m := filter.Passing{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: "echo", ID: "1", Body: body}
			action, rule := p.Judge(&m)
			want, wanted := plain.Judge(&m)
			if action != want || (rule == nil) != (wanted == nil) || rule != nil && rule.ID != wanted.ID {
				t.Errorf("%v by %+v, want %v by %+v", action, rule, want, wanted)
			}
		}
	})
}

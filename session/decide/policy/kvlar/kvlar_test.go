package kvlar

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/decide/policy"
	"wiretea/session/filter"
)

func noBase(string) ([]byte, error) { return nil, errors.New("there is none") }

// imported imports a policy, and compiles what comes of it.
func imported(t *testing.T, text string, base func(string) ([]byte, error)) (*policy.Policy, []Remark) {
	t.Helper()
	out, remarks, err := Import([]byte(text), base)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse(out, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p, remarks
}

// TestSuite holds that an imported policy decides as its suite expects.
func TestSuite(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	p, remarks := imported(t, string(read("database.yaml")), noBase)
	if len(remarks) > 0 {
		t.Errorf("%v", remarks)
	}
	cases, err := Suite(read("database.test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		if failures := cases[i].Run(p); len(failures) > 0 || cases[i].Beyond() != "" {
			t.Errorf("%s: %v %s", cases[i].ID, failures, cases[i].Beyond())
		}
	}
	for _, m := range []filter.Passing{
		{Stream: session.C2S, Kind: session.RowRequest, Method: "resources/read", Target: "query"},
		{Stream: session.S2C, Kind: session.RowRequest, Method: "sampling/createMessage"},
	} {
		if action, _ := p.First(&m); action != policy.Allow {
			t.Errorf("%s: %v: kvlar judges calls of tools only", m.Method, action)
		}
	}
	for _, wrong := range []struct{ change, want string }{
		{"expect: allow", "expected allow, got deny by _default_deny"},
		{"expect: deny, rule: other", "expected the rule other, got _default_deny"},
		{"expect: deny, reason_contains: other", `expected a reason with "other"`},
	} {
		cases, err := Suite([]byte("tests: [{id: a, action: {resource: none}, " + wrong.change + "}]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := cases[0].Run(p); len(got) != 1 || !strings.Contains(got[0], wrong.want) {
			t.Errorf("%s: %q", wrong.change, got)
		}
	}
}

// TestLost holds that what cannot be carried over is remarked, and never allows more.
func TestLost(t *testing.T) {
	head := "name: a\nrules:\n"
	of := func(effect, match string) string {
		return "  - {id: first, match_on: {" + match + "}, effect: {type: " + effect + ", reason: r}}\n"
	}
	rest := "  - {id: rest, match_on: {}, effect: {type: allow}}\n"
	tests := []struct{ name, policy, call, want, remark string }{
		{"an agent's allow", head + of("allow", `resources: [x], agent_ids: [a]`), "x", "deny _default_deny", "agent_ids cannot be carried over; the rule is left out"},
		{"an agent's deny", head + of("deny", `resources: [x], agent_ids: [a]`) + rest, "x", "deny first", "agent_ids cannot be carried over; the rule denies without it"},
		{"an agent's approval", head + of("require_approval", `resources: [x], agent_ids: [a]`) + rest, "x", "deny first", "denies without it instead of asking"},
		{"all agents", head + of("allow", `resources: [x], agent_ids: ["*"]`), "x", "allow first", ""},
		{"another action type", head + of("allow", `action_types: [file_read], resources: [x]`), "x", "deny _default_deny", "it never matches"},
		{"a glob of types", head + of("allow", `action_types: ["tool_*"], resources: [x]`), "x", "allow first", ""},
		{"an odd set", head + of("deny", `resources: ["[a&&b]x"]`) + rest, "x", "deny first", `resources "[a&&b]x"`},
		{"look-ahead", head + of("deny", `parameters: {a: "(?=x)"}`) + rest, "x", "deny first", "parameters.a"},
		{"a brace that Rust rejects", head + of("allow", `parameters: {a: "{x"}`), "x", "deny _default_deny", "parameters.a"},
		{"an edge of any text", head + of("deny", `parameters: {a: '\b.+'}`) + rest, "x", "deny first", "parameters.a"},
		{"an edge that allows", head + of("allow", `parameters: {a: '\b.+'}`), "x", "deny _default_deny", ""},
		{"null", head + of("deny", `conditions: [{field: a, operator: equals, value: null}]`) + rest, "x", "deny first", `the condition "equals" on "a"`},
		{"an unknown operator", head + of("allow", `conditions: [{field: a, operator: in_domain, value: b}]`), "x", "deny _default_deny", `the condition "in_domain" on "a"`},
		{"an unknown criterion", head + of("allow", `servers: [b]`), "x", "deny _default_deny", `"servers"`},
		{"an unknown base", "name: a\nextends: [strict]\ndefault_outcome: allow\nrules:\n" + of("allow", "resources: [y]"), "x", "deny missing-strict", `extends "strict": there is none; what no rule before it matches is denied`},
		{"no name of an argument", head + of("deny", `parameters: {"": a}`) + rest, "x", "deny first", "parameters."},
		{"allow by default and no rules", "name: a\ndefault_outcome: allow\nrules: []", "x", "deny _default_deny", ""},
		{"an allow by default", "name: a\ndefault_outcome: allow\nrules:\n" + of("deny", "resources: [y]"), "x", "allow ", ""},
		{"an id twice", head + of("deny", "resources: [y]") + of("deny", "resources: [x]"), "x", "deny first-2", `its id is now "first-2"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, remarks := imported(t, test.policy, noBase)
			m := filter.Passing{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: test.call, Body: []byte(`{"params":{"name":"x"}}`)}
			action, rule := p.First(&m)
			got := action.String() + " "
			if rule != nil {
				got += rule.ID
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if test.remark == "" && len(remarks) > 0 || !slices.ContainsFunc(append(remarks, Remark{}), func(r Remark) bool { return strings.Contains(r.String(), test.remark) }) {
				t.Errorf("remarks %v, want %q", remarks, test.remark)
			}
		})
	}
}

func TestExtends(t *testing.T) {
	base := func(name string) ([]byte, error) {
		return []byte("name: b\nrules: [{id: base, match_on: {resources: [x, y]}, effect: {type: deny, reason: r}}]"), nil
	}
	p, remarks := imported(t, "name: a\nextends: [b]\nrules: [{id: own, match_on: {resources: [x]}, effect: {type: allow}}]", base)
	var ids []string
	for _, r := range p.Rules {
		ids = append(ids, r.ID)
	}
	if got := strings.Join(ids, " "); got != "own base _default_deny" || len(remarks) > 0 {
		t.Errorf("%s, %v", got, remarks)
	}
	self := func(string) ([]byte, error) { return []byte("name: a\nextends: [a, a]\nrules: []"), nil }
	if _, _, err := Import([]byte("name: a\nextends: [a]\nrules: []"), self); err == nil || !strings.Contains(err.Error(), "extends more than 100") {
		t.Errorf("%.200v", err)
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		matches       bool
	}{
		{"é*", "été", true}, {"?t?", "été", true}, {"[!a-c]é", "dé", true}, {"[!a-c]é", "bé", false}, {"a.b", "axb", false}, {"*", "a", true}, {"[ab]]", "a]", true}, {"a\\*", `a\b`, true},
	} {
		re, unknown := alternatives([]string{"none", test.pattern})
		if len(unknown) > 0 || re.MatchString(test.name) != test.matches {
			t.Errorf("%s on %s: %v, unknown %q", test.pattern, test.name, !test.matches, unknown)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "the file is empty",
		"a: [":                               "line 1",
		"name: a":                            "it has no rules",
		"name: a\nrules: []\n---\nrules: []": "more than one YAML document",
		"name: a\nrules: [{id: r, effect: {type: allow}}]":                                   `rule "r" has no match_on`,
		"name: a\nrules: [{id: r, match_on: {resources: }, effect: {type: allow}}]":          `rule "r": resources is empty`,
		"a: &a {resources: [x]}\nrules: [{id: r, match_on: {<<: *a}, effect: {type: deny}}]": `merges another`,
		"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\n" +
			"rules: [{id: r, match_on: {resources: [*f,*f]}, effect: {type: deny}}]": `too large`,
		"a: &a {parameters: {x: null}}\nrules: [{id: r, match_on: *a, effect: {type: deny}}]": `x is empty`,
		"name: a\nrules: [{id: r, match_on: {resources: 1}, effect: {type: allow}}]":          `rule "r": `,
		"name: a\nrules: [{id: r, match_on: {}, effect: {type: maybe}}]":                      `effect "maybe" is not`,
		"name: a\nrules: [{id: r, match_on: {}, match_on: {}, effect: {type: maybe}}]":        "already defined",
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nrules: [*b,*b,*b]":       "cannot unmarshal",
	} {
		if _, _, err := Import([]byte(text), noBase); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"rules: []": "it is a policy", "tests: []": "no tests",
		"tests: [{id: a, expect: allow}]":                                              "no resource",
		"tests: [{id: a, expect: maybe, action: {resource: x}}]":                       `expect "maybe"`,
		"tests: [{id: a, expect: deny, action: {resource: x, parameters: {a: .nan}}}]": "not JSON",
	} {
		if _, err := Suite([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestRegexp holds that a regular expression of Rust means the same in Go, or is refused.
func TestRegexp(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		matches, ok   bool
	}{
		{`^\w+$`, "é٣_", true, true}, {`^\W$`, "é", false, true}, {`^[\w-]+$`, "é-", true, true}, {`^\s$`, "\u00a0", true, true},
		{`^\S$`, "\u00a0", false, true}, {`^\D$`, "٣", false, true}, {`^\p{Greek}+$`, "αβ", true, true}, {`^\x{e9}$`, "é", true, true},
		{`a{2}`, "aa", true, true}, {`a{2,}b`, "aaab", true, true},
		{`[\S]`, "", false, false}, {`\Qa\E`, "", false, false}, {`a{,2}`, "", false, false}, {`\b{start}`, "", false, false}, {`[a[b]]`, "", false, false},
		{`[]a]`, "", false, false}, {`(?x)a b`, "", false, false}, {`\u0041`, "", false, false}, {`(`, "", false, false},
	} {
		text, _, ok := goRegexp(test.pattern)
		if ok != test.ok {
			t.Errorf("%s: ok %v", test.pattern, ok)
		}
		if !ok {
			continue
		}
		p, err := policy.Parse([]byte("[[rule]]\nfilter = "+policy.Quote("t~"+filter.Quote(text))+"\naction = 'deny'"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if action, _ := p.First(&filter.Passing{Method: "m", Target: test.text}); (action == policy.Deny) != test.matches {
			t.Errorf("%s on %q: %v", test.pattern, test.text, action)
		}
	}
	for pattern, want := range map[string]bool{
		`(?i)\bDROP\b`: true, `\b(rm|mv)\b`: true, `(?:rm|mv)\b`: true, `\bDROP\s+TABLE\b`: true, `\brm\b.*-rf`: true, `x\sTABLE\b`: true, `\bDROP|ALTER\b`: true,
		`\b.`: false, `\ba?`: false, `\ba*b`: false, `é\b`: false, `\bé`: false, `a\B`: false, `\w\b`: false, `\b(a|é)`: false, `\b(a)?`: false, `a?\b`: false,
	} {
		if plainEdges(pattern) != want {
			t.Errorf("%s: %v", pattern, !want)
		}
	}
}

// FuzzImport holds that no text brings the import down, and that what it writes is a policy
// that allows no call by a name that no rule has.
func FuzzImport(f *testing.F) {
	for _, name := range []string{"database.yaml", "database.test.yaml"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("name: 'a\tb'\nextends: [x]\nrules:\n- id: \"\\x7f'\\\"\"\n  description: \"a\\nb\"\n  match_on: {resources: ['[!a-z]?*.'], parameters: {\"a'b\": '\\d'}, conditions: [{field: a, operator: one_of, value: [.5, 2020-01-01, 0x10]}]}\n  effect: {type: allow}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, _, err := Import(text, func(string) ([]byte, error) { return text, nil })
		if err == nil {
			if _, err := policy.Parse(out, nil); err != nil {
				t.Fatal(err)
			}
		} else if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "makes no policy") && !strings.Contains(err.Error(), "at most") {
			t.Errorf("%v", err)
		}
		none, err := policy.Parse(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cases, err := Suite(text); err == nil {
			for i := range cases {
				cases[i].Run(none)
			}
		}
	})
}

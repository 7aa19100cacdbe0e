package kvlar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"wiretea/session/decide/policy"
	"wiretea/session/filter"
	"wiretea/session/lazy"
)

// translated are criteria in the words of our policies.
type translated struct {
	filter string
	where  []string // where are conditions, as TOML.
	lost   []string // lost are the criteria that cannot be said.
}

func (t *translated) lose(what string) { t.lost = append(t.lost, what) }

// require adds a condition.
func (t *translated) require(field, op, value string) {
	t.where = append(t.where, fmt.Sprintf("{ field = %s, %s = %s }", policy.Quote(field), op, value))
}

// translate translates the criteria of a rule with this effect.
func translate(c *criteria, effect string) *translated {
	t := &translated{filter: calls}
	if _, unknown := alternatives(c.ActionTypes); len(unknown) > 0 {
		t.lose("action_types " + strings.Join(unknown, ", "))
	}
	if everything(c.AgentIDs) < 0 && len(c.AgentIDs) > 0 {
		t.lose("agent_ids")
	}
	// A regular expression does not match a name that is empty.
	if len(c.Resources) > 0 && (effect == "allow" || everything(c.Resources) < 0) {
		names, unknown := alternatives(c.Resources)
		if len(unknown) > 0 {
			t.lose("resources " + strings.Join(unknown, ", "))
		} else {
			t.filter += " t~" + filter.Quote(names.String())
		}
	}
	for _, key := range sorted(c.Parameters) {
		t.parameter(key, c.Parameters[key], effect)
	}
	for i := range c.Conditions {
		t.condition(&c.Conditions[i])
	}
	for _, key := range sorted(c.Unknown) {
		t.lose(strconv.Quote(key))
	}
	return t
}

// everything returns the index of the pattern that any text matches, -1 if there is none.
func everything(patterns []string) int {
	for i, p := range patterns {
		if p != "" && strings.Trim(p, "*") == "" {
			return i
		}
	}
	return -1
}

// setText is what is read within the brackets of a pattern: other characters mean something
// else to other readers.
var setText = lazy.Regexp{Text: `^!?[\pL\pN_ .,:/@-]+$`}

// alternatives is the regular expression for the names that one of the patterns matches, and
// the patterns that it has no words for.
func alternatives(patterns []string) (*regexp.Regexp, []string) {
	var all, unknown []string
	for _, p := range patterns {
		text, ok := glob(p)
		if _, err := regexp.Compile(text); !ok || err != nil {
			unknown = append(unknown, strconv.Quote(p))
			continue
		}
		all = append(all, text)
	}
	re, err := regexp.Compile("^(" + strings.Join(all, "|") + ")$")
	if err != nil { // It is too long.
		return regexp.MustCompile("^$"), []string{fmt.Sprintf("of %d patterns", len(patterns))}
	}
	return re, unknown
}

// glob is the regular expression for a pattern: * is any text, ? a character, [ab] and [!ab]
// one of some or of all others.
func glob(pattern string) (string, bool) {
	var b strings.Builder
	after := 0 // after is the end of a pair of brackets.
	for i, c := range pattern {
		switch {
		case i < after:
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteString(".")
		case c == '[':
			set, _, closed := strings.Cut(pattern[i+1:], "]")
			if !closed || !setText.Get().MatchString(set) || strings.Contains(set, "--") {
				return "", false
			}
			after = i + len(set) + 2
			if strings.HasPrefix(set, "!") {
				set = "^" + set[1:]
			}
			b.WriteString("[" + set + "]")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String(), true
}

// parameter translates a regular expression for an argument.
func (t *translated) parameter(key, pattern, effect string) {
	text, edges, ok := goRegexp(pattern)
	switch {
	case !ok || key == "" || strings.Contains(key, "."), edges && effect != "allow" && !plainEdges(pattern):
		t.lose("parameters." + key)
		return
	}
	if edges && effect != "allow" && ignoresCase.Get().MatchString(pattern) {
		// ſ and the Kelvin sign are an s and a k there, and no letters for our \b.
		text = `(?:` + text + `)|[\x{17f}\x{212a}]`
	}
	t.require(key, "matches", policy.Quote(text))
	if edges && effect == "allow" {
		// Our \b and \B know no letters but those of ASCII.
		t.require(key, "matches", policy.Quote(`^[\x00-\x7f]*$`))
	}
}

var ignoresCase = lazy.Regexp{Text: `\(\?[a-zA-Z]*i`}

// named are our words for operators, of the versions of kvlar.
var named = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"equals": "equals", "eq": "equals", "not_equals": "not_equals", "neq": "not_equals",
		"contains": "contains", "starts_with": "starts_with", "ends_with": "ends_with",
		"greater_than": "greater_than", "less_than": "less_than", "exists": "exists", "not_exists": "exists",
		"one_of": "one_of", "in": "one_of", "not_in": "none_of",
	}
}}

// condition translates a condition.
func (t *translated) condition(c *condition) {
	op := named.Get()[c.Operator]
	given := resolved(&c.Value)
	value, ok := scalar(given)
	kind := given.ShortTag()
	switch op {
	case "exists":
		value, ok = strconv.FormatBool(c.Operator == "exists"), true
	case "contains", "starts_with", "ends_with":
		ok = ok && kind == "!!str" && given.Value != "" // Else every value there is would match.
	case "greater_than", "less_than":
		ok = ok && (kind == "!!int" || kind == "!!float")
	case "one_of", "none_of":
		value, ok = list(given)
	}
	if op == "" || !ok || c.Field == "" || len(c.Unknown) > 0 {
		t.lose(fmt.Sprintf("the condition %q on %q", c.Operator, c.Field))
		return
	}
	t.require(c.Field, op, value)
}

// list is a list of scalars in TOML.
func list(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.SequenceNode {
		return "", false
	}
	var all []string
	for _, item := range n.Content {
		text, ok := scalar(resolved(item))
		if !ok {
			return "", false
		}
		all = append(all, text)
	}
	return "[" + strings.Join(all, ", ") + "]", true
}

// scalar is a string, number or boolean of YAML in TOML.
func scalar(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	switch n.ShortTag() {
	case "!!str":
		return policy.Quote(n.Value), true
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return strconv.FormatBool(b), err == nil
	case "!!int":
		var i int64
		err := n.Decode(&i)
		return strconv.FormatInt(i, 10), err == nil
	case "!!float":
		var f float64
		err := n.Decode(&f)
		text := strconv.FormatFloat(f, 'e', -1, 64)
		return text, err == nil && strings.Trim(text, "0123456789.e+-") == ""
	}
	return "", false
}

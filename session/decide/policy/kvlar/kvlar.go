package kvlar

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"wiretea/session/decide/policy"
	"wiretea/session/mcp"
)

// A Remark says what the imported policy does differently.
type Remark struct {
	Rule string // Rule is the id of the rule; empty: it is about the policy.
	Text string
	Lost bool // Lost: something could not be carried over. Else nothing is decided differently.
}

// String returns the remark in one line.
func (r Remark) String() string {
	if r.Rule == "" {
		return r.Text
	}
	return fmt.Sprintf("rule %q: %s", r.Rule, r.Text)
}

// document is the text of a policy.
type document struct {
	Name           string    `yaml:"name"`
	Extends        []string  `yaml:"extends"`
	DefaultOutcome yaml.Node `yaml:"default_outcome"`
	Rules          []rule    `yaml:"rules"`
}

type rule struct {
	ID          string    `yaml:"id"`
	Description string    `yaml:"description"`
	MatchOn     yaml.Node `yaml:"match_on"`
	Effect      struct {
		Type   string `yaml:"type"`
		Reason string `yaml:"reason"`
	} `yaml:"effect"`

	match criteria
}

// criteria are what a rule matches: each list that is not empty, and all the rest.
type criteria struct {
	ActionTypes []string             `yaml:"action_types"`
	Resources   []string             `yaml:"resources"`
	AgentIDs    []string             `yaml:"agent_ids"`
	Parameters  map[string]string    `yaml:"parameters"`
	Conditions  []condition          `yaml:"conditions"`
	Unknown     map[string]yaml.Node `yaml:",inline"`
}

type condition struct {
	Field    string               `yaml:"field"`
	Operator string               `yaml:"operator"`
	Value    yaml.Node            `yaml:"value"`
	Unknown  map[string]yaml.Node `yaml:",inline"`
}

// maxBases is how many policies a policy extends at most, in all.
const maxBases = 100

// maxRules is how many rules a policy has at most, with those of what it extends.
const maxRules = 5000

// maxNodes is how many values a match_on has at most, aliases counted as often as they are used.
const maxNodes = 100_000

// defaultRule denies the calls that no rule matches; its id is kvlar's.
const defaultRule = "_default_deny"

// Import writes a policy that decides as the policy of kvlar does. base returns the text of
// a policy that is extended. The error says in one line why the text is not such a policy.
func Import(text []byte, base func(name string) ([]byte, error)) ([]byte, []Remark, error) {
	im := &importer{base: base, taken: map[string]int{}, ids: map[string]bool{"default": true, "on_error": true, defaultRule: true}}
	doc, err := im.read(text)
	if err != nil {
		return nil, nil, err
	}
	name := strings.Join(strings.Fields(doc.Name), " ")
	fmt.Fprintf(&im.out, "# Imported from the kvlar policy %s.\non_error = \"closed\"\n", comment(name))
	if err := im.add(doc); err != nil {
		return nil, nil, err
	}
	if doc.DefaultOutcome.Value == "allow" && im.rules > 0 {
		return im.done()
	}
	im.write(defaultRule, calls, "deny", "no matching policy rule: denied by default (fail-closed)", nil)
	return im.done()
}

// calls is the filter for what kvlar judges.
const calls = `d:c2s m~"^` + mcp.ToolsCall + `$"`

type importer struct {
	base    func(name string) ([]byte, error)
	out     bytes.Buffer
	remarks []Remark
	ids     map[string]bool
	taken   map[string]int // taken counts the rules whose id another one had.
	bases   int
	rules   int // rules counts the rules of kvlar.
}

func (im *importer) remark(rule, text string, lost bool) {
	im.remarks = append(im.remarks, Remark{Rule: rule, Text: text, Lost: lost})
}

// done returns what is written, once it is known to be a policy.
func (im *importer) done() ([]byte, []Remark, error) {
	if _, err := policy.Parse(im.out.Bytes(), nil); err != nil {
		return nil, nil, fmt.Errorf("it makes no policy: %w", err)
	}
	return im.out.Bytes(), im.remarks, nil
}

// read decodes a policy.
func (im *importer) read(text []byte) (*document, error) {
	var doc document
	if err := decode(text, &doc); err != nil {
		return nil, err
	}
	if doc.Rules == nil {
		return nil, errors.New("it has no rules: a policy of kvlar has name, description, version and rules")
	}
	for i := range doc.Rules {
		r := &doc.Rules[i]
		on := resolved(&r.MatchOn)
		if on.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("rule %q has no match_on", r.ID)
		}
		nodes := maxNodes
		if key := empty(on, "match_on", &nodes); key != "" {
			return nil, fmt.Errorf("rule %q: %s is empty, merges another mapping, or is too large", r.ID, key)
		}
		if err := on.Decode(&r.match); err != nil {
			return nil, fmt.Errorf("rule %q: %w", r.ID, oneLine(err))
		}
		if !slices.Contains([]string{"allow", "deny", "require_approval"}, r.Effect.Type) {
			return nil, fmt.Errorf("rule %q: effect %q is not allow, deny or require_approval", r.ID, r.Effect.Type)
		}
	}
	return &doc, nil
}

// resolved is what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// empty is the key of a node within n that says nothing, or merges another: kvlar does not
// read such a policy, or reads it otherwise.
func empty(n *yaml.Node, key string, nodes *int) string {
	n = resolved(n)
	if *nodes--; n.ShortTag() == "!!null" || *nodes < 0 {
		return key
	}
	for i, inner := range n.Content {
		at := key
		if n.Kind == yaml.MappingNode {
			if i%2 == 0 && inner.ShortTag() == "!!merge" {
				return inner.Value
			}
			if at = n.Content[i&^1].Value; i%2 == 0 || at == "value" {
				continue
			}
		}
		if found := empty(inner, at, nodes); found != "" {
			return found
		}
	}
	return ""
}

// decode decodes the one document of a text.
func decode(text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := d.Decode(&doc); err != nil {
		if err == io.EOF {
			return errors.New("the file is empty")
		}
		return oneLine(err)
	}
	withoutTimes(&doc)
	if err := doc.Decode(into); err != nil {
		return oneLine(err)
	}
	if err := d.Decode(new(yaml.Node)); err != io.EOF {
		return errors.New("the file has more than one YAML document")
	}
	return nil
}

// withoutTimes makes strings of dates and times: kvlar has none.
func withoutTimes(n *yaml.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, inner := range n.Content {
		withoutTimes(inner)
	}
}

// oneLine is an error of YAML in one line.
func oneLine(err error) error {
	text, _, _ := strings.Cut(strings.TrimPrefix(strings.ReplaceAll(err.Error(), "unmarshal errors:\n  ", ""), "yaml: "), "\n")
	return errors.New(text)
}

// add writes the rules of a policy, and behind them those of what it extends.
func (im *importer) add(doc *document) error {
	if im.rules += len(doc.Rules); im.rules > maxRules {
		return fmt.Errorf("it has more than %d rules", maxRules)
	}
	for i := range doc.Rules {
		im.rule(&doc.Rules[i])
	}
	for _, name := range doc.Extends {
		if im.bases++; im.bases > maxBases {
			return fmt.Errorf("it extends more than %d policies", maxBases)
		}
		text, err := im.base(name)
		if err != nil {
			im.remark("", fmt.Sprintf("extends %q: %v; what no rule before it matches is denied", name, err), true)
			im.write(im.id("missing-"+name), calls, "deny", "the rules of "+name+" are missing", nil)
			continue
		}
		base, err := im.read(text)
		if err == nil {
			err = im.add(base)
		}
		if err != nil {
			return fmt.Errorf("extends %q: %w", name, err)
		}
	}
	return nil
}

// rule writes a rule.
func (im *importer) rule(r *rule) {
	id := im.id(r.ID)
	if len(r.match.ActionTypes) > 0 {
		types, unknown := alternatives(r.match.ActionTypes)
		if len(unknown) == 0 && !types.MatchString("tool_call") {
			im.remark(id, "left out: it never matches, because tool_call is the only action type of MCP", true)
			return
		}
	}
	says := translate(&r.match, r.Effect.Type)
	action := map[string]string{"allow": "allow", "deny": "deny", "require_approval": "ask"}[r.Effect.Type]
	if len(says.lost) > 0 {
		what := strings.Join(says.lost, ", ")
		switch action {
		case "allow":
			im.remark(id, what+" cannot be carried over; the rule is left out, and what it allows is left to those that follow", true)
			return
		case "deny":
			im.remark(id, what+" cannot be carried over; the rule denies without it, and so more", true)
		case "ask":
			im.remark(id, what+" cannot be carried over; the rule denies without it instead of asking, and so more", true)
			action = "deny"
		}
	}
	if d := strings.Join(strings.Fields(r.Description), " "); d != "" {
		fmt.Fprintf(&im.out, "\n# %s", comment(d))
	}
	reason := r.Effect.Reason
	if action == "allow" {
		reason = ""
	}
	im.write(id, says.filter, action, reason, says.where)
}

// id returns an id that no other rule has.
func (im *importer) id(wanted string) string {
	id := wanted
	for id == "" || im.ids[id] {
		im.taken[wanted]++
		id = fmt.Sprintf("%s-%d", wanted, im.taken[wanted]+1)
	}
	if im.ids[id] = true; id != wanted {
		im.remark(wanted, fmt.Sprintf("its id is now %q, because it is empty or taken", id), false)
	}
	return id
}

// write writes a rule of the policy.
func (im *importer) write(id, filter, action, reason string, where []string) {
	fmt.Fprintf(&im.out, "\n[[rule]]\nid = %s\nfilter = %s\naction = %q\n", policy.Quote(id), policy.Quote(filter), action)
	if reason != "" {
		fmt.Fprintf(&im.out, "reason = %s\n", policy.Quote(reason))
	}
	if len(where) > 0 {
		fmt.Fprintf(&im.out, "where = [\n  %s,\n]\n", strings.Join(where, ",\n  "))
	}
}

// comment is a text within a comment of TOML.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// sorted are the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

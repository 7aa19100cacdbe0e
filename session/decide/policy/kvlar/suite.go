package kvlar

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"wiretea/session"
	"wiretea/session/decide/policy"
	"wiretea/session/filter"
	"wiretea/session/json/lex"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// A Case is one test of a suite: a call of a tool, and what is expected.
type Case struct {
	ID     string `yaml:"id"`
	Action struct {
		Type       string         `yaml:"action_type"`
		Resource   string         `yaml:"resource"`
		Agent      string         `yaml:"agent_id"`
		Parameters map[string]any `yaml:"parameters"`
	} `yaml:"action"`
	Expect string `yaml:"expect"`
	Rule   string `yaml:"rule"`            // Rule is the id of the rule that decides; empty = any.
	Reason string `yaml:"reason_contains"` // Reason is a part of the reason.
}

// expected are the words of a suite for what becomes of a call.
var expected = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"allow": "allow", "deny": "deny", "require_approval": "require_approval", "requireapproval": "require_approval", "approval": "require_approval",
	}
}}

// Suite reads a test suite. The error says in one line why the text is none.
func Suite(text []byte) ([]Case, error) {
	var suite struct {
		Tests []Case    `yaml:"tests"`
		Rules yaml.Node `yaml:"rules"`
	}
	if err := decode(text, &suite); err != nil {
		return nil, err
	}
	if len(suite.Tests) == 0 {
		if !suite.Rules.IsZero() {
			return nil, errors.New("it is a policy of kvlar, and has no tests")
		}
		return nil, errors.New("it has no tests")
	}
	for _, c := range suite.Tests {
		if expected.Get()[strings.ToLower(strings.TrimSpace(c.Expect))] == "" {
			return nil, fmt.Errorf("test %q: expect %q is not allow, deny or require_approval", c.ID, c.Expect)
		}
		if c.Action.Resource == "" {
			return nil, fmt.Errorf("test %q: its action has no resource", c.ID)
		}
		if _, err := json.Marshal(c.Action.Parameters); err != nil {
			return nil, fmt.Errorf("test %q: its parameters are not JSON", c.ID)
		}
	}
	return suite.Tests, nil
}

// Beyond says why a policy cannot be tried on the case; empty = it can.
func (c *Case) Beyond() string {
	switch {
	case c.Action.Type != "" && c.Action.Type != "tool_call":
		return fmt.Sprintf("MCP has no action of the type %q", c.Action.Type)
	case c.Action.Agent != "" && c.Action.Agent != "test-agent" && c.Action.Agent != "mcp-agent":
		return fmt.Sprintf("a policy does not know the agent %q", c.Action.Agent)
	}
	return ""
}

// Run decides on the call of the case, and returns how that differs from what is expected:
// nothing where the case passes.
func (c *Case) Run(p *policy.Policy) []string {
	arguments := []byte("{}")
	if len(c.Action.Parameters) > 0 {
		arguments, _ = json.Marshal(c.Action.Parameters) // Suite has tried it.
	}
	m := filter.Passing{Stream: session.C2S, Kind: session.RowRequest, Method: mcp.ToolsCall, Target: c.Action.Resource, ID: "1"}
	m.Body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":%s,"arguments":%s}}`, mcp.ToolsCall, lex.Quote(c.Action.Resource), arguments)
	action, rule := p.First(&m)
	got, id, reason := "allow", "", ""
	switch action {
	case policy.Deny:
		got = "deny"
	case policy.Ask, policy.Hold:
		got = "require_approval"
	case policy.Allow, policy.Log:
	}
	if rule != nil {
		id, reason = rule.ID, rule.Reason
	}
	var failures []string
	if want := expected.Get()[strings.ToLower(strings.TrimSpace(c.Expect))]; got != want {
		failures = append(failures, fmt.Sprintf("expected %s, got %s by %s", want, got, by(id)))
	}
	if c.Rule != "" && c.Rule != id {
		failures = append(failures, fmt.Sprintf("expected the rule %s, got %s", c.Rule, by(id)))
	}
	if !strings.Contains(reason, c.Reason) {
		failures = append(failures, fmt.Sprintf("expected a reason with %q, got %q", c.Reason, reason))
	}
	return failures
}

// by names the rule that decides.
func by(id string) string {
	return cmp.Or(id, "no rule")
}

package rehearsal

import (
	"fmt"
	"strings"

	"wiretea/session"
	"wiretea/session/decide/policy"
	"wiretea/session/filter"
	"wiretea/session/mcp"
	"wiretea/ui/format"
)

// Explain writes what a policy does, a rule a line, and what its author may not have meant.
func Explain(p *policy.Policy) string {
	var b strings.Builder
	fmt.Fprintln(&b, p)
	width, action := 0, len("allow")
	for _, r := range p.Rules {
		width, action = max(width, len(r.ID)), max(action, len(r.Action.String()))
	}
	for _, r := range p.Rules {
		line := fmt.Sprintf("  %-*s  %-*s  %s", width, r.ID, action, r.Action, r.Filter)
		for _, c := range r.Where {
			line += "  where " + c.String()
		}
		if r.From != "" {
			line += "  from " + r.From
		}
		if r.Reason != "" {
			line += "  (" + r.Reason + ")"
		}
		fmt.Fprintln(&b, format.Line(line))
	}
	for _, m := range []filter.Passing{
		{Stream: session.C2S, Kind: session.RowRequest, Method: mcp.Initialize},
		{Stream: session.C2S, Kind: session.RowNotification, Method: mcp.InitializedNotification},
		{Stream: session.C2S, Kind: session.RowRequest, Method: mcp.ServerDiscover},
	} {
		if action, rule := p.Judge(&m); action == policy.Deny {
			fmt.Fprintln(&b, format.Line(fmt.Sprintf("note: rule %s denies %s, with which sessions begin", rule.ID, m.Method)))
		}
	}
	return b.String()
}

// Text writes the result for a recording of that name: a line for each message that would
// not have crossed as it was, and a sum.
func (r *Result) Text(name string) string {
	var b strings.Builder
	for _, o := range r.Outcomes {
		word := "noted"
		switch {
		case o.Denied:
			word = "denied"
		case o.Answered:
			word = "answered"
		case o.Altered:
			word = "altered"
		case o.Held:
			word = "held"
		}
		fmt.Fprintln(&b, format.Line(strings.TrimRight(fmt.Sprintf("%-8s  #%d %s %s %s", word, o.N, o.Stream, o.Method, o.Target), " ")+"  "+o.By))
	}
	sum := fmt.Sprintf("%s: %d of %s denied, %d altered", name, r.Denied, format.Plural(int64(r.Messages), "message"), r.Altered)
	if r.Answered > 0 {
		sum += fmt.Sprintf(", %d answered by the policy", r.Answered)
	}
	if r.Held > 0 {
		sum += fmt.Sprintf(", %d held for a person", r.Held)
	}
	fmt.Fprintln(&b, format.Line(sum))
	return b.String()
}

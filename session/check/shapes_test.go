package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
	"wiretea/session/mcp/shape/shapetest"
)

// conversationOf is the conversation of a sample with another text.
func conversationOf(s shapetest.Sample, v mcp.Version, text string) string {
	var c strings.Builder
	fmt.Fprintln(&c, "1ms proc start")
	for i, line := range shapetest.Conversation(s, v, text) {
		fmt.Fprintf(&c, "%dms %s %s\n", 10*(i+1), line.Stream, line.Text)
	}
	return c.String()
}

// shapeFindings are the rules of the findings of a conversation with a text.
func shapeFindings(t *testing.T, s shapetest.Sample, v mcp.Version, text string) []string {
	c := parseConversation(t, conversationOf(s, v, text))
	var said []string
	for _, f := range analyze(number(c.raw())).Findings() {
		said = append(said, fmt.Sprintf("%s %s: %s", f.Rule, f.Severity, f.Message))
	}
	return said
}

// Each text that the schema does not allow has one finding, and a text that it allows
// has none that says otherwise.
func TestShapeMutations(t *testing.T) {
	var j shape.Judge
	for v, samples := range map[mcp.Version][]shapetest.Sample{mcp.V4: shapetest.Legacy(), mcp.V5: shapetest.Modern()} {
		for _, s := range samples {
			healthy := map[string]bool{}
			for _, said := range shapeFindings(t, s, v, s.Text) {
				healthy[said] = true
			}
			is := shape.Result(s.Method, v)
			switch {
			case s.Params:
				is = shape.Params(s.Method, v)
			case strings.Contains(s.Text, "inputRequests"):
				is = shape.Named("InputRequiredResult", v)
			}
			for _, m := range shapetest.Mutations(s.Text) {
				faults := slices.DeleteFunc(j.Faults(is, m.Text), func(f shape.Fault) bool { return f.Foreign })
				checkShapeMutation(t, s, v, m, len(faults), healthy)
			}
		}
	}
}

func checkShapeMutation(t *testing.T, s shapetest.Sample, v mcp.Version, m shapetest.Mutation, faults int, healthy map[string]bool) {
	t.Helper()
	var told, types []string
	for _, said := range shapeFindings(t, s, v, string(m.Text)) {
		if healthy[said] {
			continue
		}
		told = append(told, said)
		if strings.Contains(said, ", must be ") {
			types = append(types, said)
		}
	}
	told = slices.DeleteFunc(told, func(said string) bool {
		return faults > 0 && (strings.HasPrefix(said, "update-not-subscribed") || strings.HasPrefix(said, "subscription-unrequested"))
	})
	if faults > 0 && len(told) != 1 || faults == 0 && len(types) > 0 && !strings.HasPrefix(told[0], "schema-does-not-compile") {
		t.Errorf("%v %s: %s is %s, %d faults: %q", v, s.Method, m.Path, m.How, faults, told)
	}
}

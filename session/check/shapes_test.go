package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/check/compat"
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

// shapeFindings are the findings of a conversation with a text, by what they say.
func shapeFindings(t *testing.T, s shapetest.Sample, v mcp.Version, text string) map[string]session.Finding {
	c := parseConversation(t, conversationOf(s, v, text))
	said := map[string]session.Finding{}
	for _, f := range analyze(number(c.raw())).Findings() {
		said[fmt.Sprintf("%s %s: %s", f.Rule, f.Severity, f.Message)] = f
	}
	return said
}

// Each text that the schema does not allow has one finding, and a text that it allows
// has none that says otherwise. What a client was measured to refuse is more than a
// remark, and the finding names that client.
func TestShapeMutations(t *testing.T) {
	legacy := append(shapetest.Legacy(), shapetest.Answers()...)
	for v, samples := range map[mcp.Version][]shapetest.Sample{mcp.V4: legacy, mcp.V5: shapetest.Modern()} {
		for _, s := range samples {
			healthy := shapeFindings(t, s, v, s.Text)
			for _, m := range shapetest.Mutations(s.Text) {
				checkShapeMutation(t, s, v, m, healthy)
			}
		}
	}
}

func checkShapeMutation(t *testing.T, s shapetest.Sample, v mcp.Version, m shapetest.Mutation, healthy map[string]session.Finding) {
	t.Helper()
	faults := shapeFaults(s, v, m.Text)
	said := shapeFindings(t, s, v, string(m.Text))
	for text := range healthy {
		delete(said, text)
	}
	maps.DeleteFunc(said, func(_ string, f session.Finding) bool {
		return len(faults) > 0 && (f.Rule == "update-not-subscribed" || f.Rule == "subscription-unrequested")
	})
	if len(faults) > 0 && len(said) != 1 {
		t.Errorf("%v %s: %s is %s, %d faults: %q", v, s.Method, m.Path, m.How, len(faults), slices.Collect(maps.Keys(said)))
	}
	for text, f := range said {
		if len(faults) == 0 {
			if strings.Contains(text, ", must be ") && f.Rule != "schema-does-not-compile" && f.Rule != "elicitation-result" {
				t.Errorf("%v %s: %s is %s: %s", v, s.Method, m.Path, m.How, text)
			}
			continue
		}
		clients := compat.Refuse(v.Era(), s.Method, &faults[0])
		if f.Fault == session.Client {
			continue
		}
		if len(clients) > 0 && f.Severity == session.Info {
			t.Errorf("%v %s: %s is %s, which breaks %q: %s", v, s.Method, m.Path, m.How, clients, text)
		}
		measured := compat.Reported(f.Rule) != 0 // rows of the table, which have another SDK
		if slices.Contains([]string{"subscription-id-unknown", "subscription-not-acknowledged"}, f.Rule) || f.Rule == "missing-content" && s.Type() != "" {
			continue // They are about the subscription, whatever the member is; and a result that is not a task is judged as a result.
		}
		if lacks := slices.ContainsFunc(clients, func(c string) bool { return !slices.Contains(f.Breaks, c) }); lacks || !measured && len(f.Breaks) > len(clients) {
			t.Errorf("%s %v %s: %s is %s, breaks %q, want %q", f.Rule, v, s.Method, m.Path, m.How, f.Breaks, clients)
		}
	}
}

// shapeFaults are the faults of a text by the schema of the revision.
func shapeFaults(s shapetest.Sample, v mcp.Version, text []byte) []shape.Fault {
	is := shape.Result(s.Method, v)
	switch {
	case s.Params:
		is = shape.Params(s.Method, v)
	case s.Type() != "":
		is = shape.Named(s.Type(), v)
	}
	var j shape.Judge
	return slices.DeleteFunc(j.Faults(is, text), func(f shape.Fault) bool { return f.Foreign })
}

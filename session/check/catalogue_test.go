package check

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var update = flag.Bool("update", false, "write the want sections and docs/rules.md anew")

// follows are rules that apply only after another side has broken another rule.
var follows = map[string]string{"http-invalid-tool-used": "x-mcp-header-invalid"}

// TestConversations judges every conversation below testdata/FAMILY. A file
// RULE.txtar or RULE-….txtar must bring that rule and no other; RULE-near.txtar
// and RULE-near-….txtar are near misses and must stay silent.
func TestConversations(t *testing.T) {
	for _, f := range families {
		triggers, nears := map[string]bool{}, map[string]bool{}
		for _, file := range glob(t, f.Name) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			rule, near := ruleOf(f, name)
			if rule == nil {
				t.Errorf("%s: no rule of that name", file)
				continue
			}
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				found := runConversation(t, file)
				if len(found) == 0 && !near {
					t.Error("brings nothing")
				}
				for _, got := range found {
					if rule.ID != process.Incomplete.ID && strings.HasPrefix(got, process.Incomplete.ID+" ") {
						continue // It says only that the conversation has a gap.
					}
					if near {
						t.Errorf("a near miss brings %s", got)
					} else if follows[rule.ID] != "" && strings.HasPrefix(got, follows[rule.ID]+" ") {
						continue
					} else if !strings.HasPrefix(got, rule.ID+" ") {
						t.Errorf("a conversation of %s brings %s", rule.ID, got)
					} else {
						triggers[rule.ID] = true
					}
				}
				nears[rule.ID] = nears[rule.ID] || near
			})
		}
		for _, r := range f.Rules {
			if !triggers[r.ID] {
				t.Errorf("%s: no conversation triggers it", r.ID)
			}
			if !nears[r.ID] {
				t.Errorf("%s: no near miss", r.ID)
			}
		}
	}
}

// TestHealthy judges conversations in which nothing is wrong.
func TestHealthy(t *testing.T) {
	for _, file := range glob(t, "healthy") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			for _, got := range runConversation(t, file) {
				t.Errorf("a healthy conversation brings %s", got)
			}
		})
	}
}

// ruleOf returns the rule that a conversation's name begins with, the longest
// where there are several.
func ruleOf(f *rule.Family, name string) (rule *rule.Rule, near bool) {
	for _, r := range f.Rules {
		rest, ok := strings.CutPrefix(name, r.ID)
		if !ok || rest != "" && rest[0] != '-' || rule != nil && len(rule.ID) > len(r.ID) {
			continue
		}
		rule, near = r, rest == "-near" || strings.HasPrefix(rest, "-near-")
	}
	return rule, near
}

func glob(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Errorf("testdata/%s has no conversation", folder)
	}
	return files
}

// runConversation judges a conversation both as framed records and as raw
// chunks, holds the findings against its want section, and returns them as
// lines "rule severity fault frame count", where frame is the time of the entry
// that brought the frame's last byte.
func runConversation(t *testing.T, file string) []string {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(bytes.TrimSpace(ar.Comment)) == 0 {
		t.Error("no comment says what the conversation shows")
	}
	if len(ar.Files) != 2 || ar.Files[0].Name != "conversation" || ar.Files[1].Name != "want" {
		t.Fatalf("sections are not conversation and want")
	}
	c := parseConversation(t, string(ar.Files[0].Data))
	framed := c.judge(t, c.framed())
	got := strings.Join(framed, "\n")
	if raw := strings.Join(c.judge(t, c.raw()), "\n"); raw != got {
		t.Errorf("findings of raw chunks:\n%s\nof frames:\n%s", raw, got)
	}
	if *update {
		ar.Files[1].Data = nil
		if got != "" {
			ar.Files[1].Data = []byte(got + "\n")
		}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return framed
	}
	if want := strings.TrimSpace(string(ar.Files[1].Data)); got != want {
		t.Errorf("findings:\n%s\nwant:\n%s", got, want)
	}
	return framed
}

// judge lets an Analyzer with every checker read the records and returns its
// findings as lines.
func (c *conversation) judge(t *testing.T, recs []session.Record) []string {
	t.Helper()
	snap := analyze(recs)
	found := slices.Clone(snap.Findings())
	slices.SortStableFunc(found, func(a, b session.Finding) int {
		return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.Rule, b.Rule))
	})
	var lines []string
	for _, f := range found {
		checkForm(t, &f)
		if strings.Contains(f.Message, "%!") {
			t.Errorf("%s: the message is not formatted: %s", f.Rule, f.Message)
		}
		frame := "-"
		if f.Row != session.NoRow {
			frame = c.at(snap.Row(f.Row).T)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %s %d", f.Rule, f.Severity, f.Fault, frame, f.Count))
		t.Logf("%s  %s", lines[len(lines)-1], f.Message)
	}
	return lines
}

// checkForm holds a finding to the form that every finding has.
func checkForm(t *testing.T, f *session.Finding) {
	t.Helper()
	if Lookup(f.Rule) == nil {
		t.Errorf("finding of %q, which is not a rule", f.Rule)
	}
	if f.Message == "" || strings.HasSuffix(f.Message, ".") || strings.ContainsAny(f.Message, "\n\r\x1b") {
		t.Errorf("%s: the message is not one clean line: %q", f.Rule, f.Message)
	}
	if f.Hint == "" || f.Count < 1 || f.Conn == 0 {
		t.Errorf("%s: a field is empty: %+v", f.Rule, *f)
	}
}

// TestRules holds the catalogue to its own form.
func TestRules(t *testing.T) {
	clients := map[string]bool{}
	for _, c := range mcp.Clients() {
		clients[c.Name] = true
	}
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] {
			t.Errorf("%s: twice in the catalogue", r.ID)
		}
		seen[r.ID] = true
		if Lookup(r.ID) != r {
			t.Errorf("%s: Lookup does not find it", r.ID)
		}
		rule := r.Text()
		if r.Severity == session.NoSeverity || rule.Title == "" || rule.Explain == "" || rule.Hint == "" {
			t.Errorf("%s: a field is empty", r.ID)
		}
		for _, text := range []string{rule.Title, rule.Hint} {
			if strings.HasSuffix(text, ".") || strings.Contains(text, "\n") || len(text) > 160 {
				t.Errorf("%s: not one line without a full stop: %s", r.ID, text)
			}
		}
		if !strings.HasSuffix(rule.Explain, ".") || len(rule.Explain) < len(rule.Title) {
			t.Errorf("%s: Explain is not a paragraph", r.ID)
		}
		for _, name := range r.Clients() {
			if !clients[name] {
				t.Errorf("%s: breaks %s, which mcp.Clients does not know", r.ID, name)
			}
		}
		roles := []string{"", "end", "unreadable", "noise", "silence", "leaving"}
		if !slices.Contains(roles, string(rule.Role)) {
			t.Errorf("%s: there is no role %s", r.ID, rule.Role)
		}
		for _, root := range rule.Follows {
			if Lookup(root) == nil && !slices.Contains(roles, root) {
				t.Errorf("%s: follows %s, which is neither a rule nor a role", r.ID, root)
			}
		}
		for i := 1; i < len(rule.Refs); i++ {
			if a, b := rule.Refs[i-1], rule.Refs[i]; a.URL == "" && b.URL == "" && a.Until >= b.Since {
				t.Errorf("%s: references overlap or are not in order of revisions", r.ID)
			}
		}
	}
}

// TestDocs holds docs/rules.md against the catalogue.
func TestDocs(t *testing.T) {
	const file = "../../docs/rules.md"
	var want bytes.Buffer
	if err := WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is stale; run go test ./session/check -run Docs -update", file)
	}
}

// analyze lets an Analyzer with a fresh set of checkers read the records.
func analyze(recs []session.Record) *session.Snapshot {
	a := session.NewAnalyzer(session.Config{Checkers: New()})
	for i := range recs {
		if recs[i].Kind == session.RecUnknown {
			a.Advance(recs[i].T)
			continue
		}
		a.Add(&recs[i])
	}
	a.Close()
	return a.Snapshot()
}

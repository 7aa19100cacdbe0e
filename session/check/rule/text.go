package rule

import (
	_ "embed"
	"encoding/json"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// Source is the file that has the texts of all rules. Its first lines describe it.
//
//go:embed rules.txt
var Source string

// A Text is what Source says about a rule.
type Text struct {
	Title   string // Title is one line: what is wrong.
	Explain string // Explain is a paragraph: what happens, and why it matters.
	Hint    string // Hint is one line: what to change.
	Refs    []Ref  // Refs are the places in the specification, newest revision last; none = a fact about implementations.
}

// Text returns the texts of the rule.
func (r *Rule) Text() Text { return texts.Get()[r.ID] }

// Texts returns the texts of all rules by id. Callers must not change the map.
func Texts() map[string]Text { return texts.Get() }

// texts is Source by the rules' ids. It is parsed when a finding is first made, or a rule explained.
var texts = lazy.Value[map[string]Text]{New: func() map[string]Text {
	all := map[string]Text{}
	for block := range strings.SplitSeq(strings.TrimSpace(Source), "\n\n") {
		lines := strings.Split(block, "\n")
		if lines[0][0] == '#' {
			continue
		}
		t := Text{Title: lines[1]}
		for _, line := range lines[2:] {
			if hint, ok := strings.CutPrefix(line, "fix: "); ok {
				t.Hint = hint
			} else if place, ok := strings.CutPrefix(line, "see: "); ok {
				t.Refs = append(t.Refs, parseRef(place))
			} else {
				t.Explain = strings.TrimPrefix(t.Explain+" "+line, " ")
			}
		}
		all[strings.Trim(lines[0], "[]")] = t
	}
	return all
}}

// parseRef reads a place and the revisions that it is for.
func parseRef(text string) Ref {
	place, revisions, _ := strings.Cut(text, " ")
	since, until, isRange := strings.Cut(revisions, "..")
	if !isRange {
		until = since
	}
	r := Ref{URL: place}
	if !strings.HasPrefix(place, "https://") {
		r.URL = ""
		r.Page, r.Anchor, _ = strings.Cut(place, "#")
	}
	r.Since, _ = mcp.ParseVersion(since)
	r.Until, _ = mcp.ParseVersion(until)
	return r
}

// MarshalJSON writes the rule with its texts.
func (r *Rule) MarshalJSON() ([]byte, error) {
	t := r.Text()
	return json.Marshal(struct {
		ID                   string
		Severity             session.Severity
		Fault                Fault
		Since, Until         mcp.Version
		Title, Explain, Hint string
		Alone, Timed         bool
		Refs                 []Ref
	}{r.ID, r.Severity, r.Fault, r.Since, r.Until, t.Title, t.Explain, t.Hint, r.Alone, r.Timed, t.Refs})
}

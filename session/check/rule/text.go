package rule

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/session/mcp"
)

// Source is the file that has the texts of all rules. Its first lines describe it.
//
//go:embed rules.txt
var Source string

// A Text is the entry of a rule in rules.txt.
type Text struct {
	Title   string // Title is one line: what is wrong.
	Explain string // Explain is a paragraph: what happens, and why it matters.
	Hint    string // Hint is one line: what to change.
	Refs    []Ref  // Refs are the places in the specification, newest revision last; none = a fact about implementations.

	Role    Role
	Follows []string // Follows are the rules and roles that a finding of this rule is a consequence of.
}

// A Role is what a finding of a rule means for its connection. Most rules have none.
type Role string

const (
	End        Role = "end"        // The server exited, or is as useless as one that did.
	Unreadable Role = "unreadable" // Clients cannot read the message, or misinterpret it, so that later ones are missing.
	Noise      Role = "noise"      // What is on stdout is not a message.
	Silence    Role = "silence"    // A response is missing or late.
	Leaving    Role = "leaving"    // The server shuts down wrongly, which does not prevent a connection.
)

// Text returns the texts of the rule.
func (r *Rule) Text() Text { return TextOf(r.ID) }

// TextOf returns the texts of the rule with that id; none if it is unknown.
func TextOf(id string) Text { return texts.Get()[id] }

// texts is Source by the rules' ids. It is parsed when a finding is first made, or a rule explained.
var texts = lazy.Value[map[string]Text]{New: func() map[string]Text {
	all := map[string]Text{}
	for block := range strings.SplitSeq(strings.Join(slices.Collect(lazy.Lines(Source)), "\n"), "\n[") {
		lines := strings.Split(block, "\n")
		t := Text{Title: lines[1]}
		for _, line := range lines[2:] {
			switch key, value, _ := strings.Cut(line, ": "); key {
			case "fix":
				t.Hint = value
			case "see":
				t.Refs = append(t.Refs, parseRef(value))
			case "role":
				t.Role = Role(value)
			case "follows":
				t.Follows = strings.Fields(value)
			default:
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

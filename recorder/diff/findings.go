package diff

import (
	"wiretea/session"
	"wiretea/session/lazy"
)

// A fault names a kind of finding.
type fault struct {
	rule string
	by   session.Fault
	what string
}

// compareFindings returns the findings that only one recording has. What is in
// both is told by its rule, who is at fault and what it is about: how often, and
// with which ids, times and sizes, is chance.
func compareFindings(a, b []session.Finding) []Finding {
	return append(onlyIn(a, b, Removed), onlyIn(b, a, Added)...)
}

// onlyIn returns those of list that others has nothing like, each kind once.
func onlyIn(list, others []session.Finding, kind Kind) []Finding {
	known := map[fault]bool{}
	for _, f := range others {
		known[byMessage(f)] = true
		if f.Key != "" {
			known[byKey(f)] = true
		}
	}
	var out []Finding
	for _, f := range list {
		if known[byMessage(f)] || f.Key != "" && known[byKey(f)] {
			continue
		}
		known[byMessage(f)] = true
		out = append(out, Finding{kind, f.Rule, f.Severity.String(), f.Fault.String(), f.N, f.Message, f.Hint})
	}
	return out
}

func byKey(f session.Finding) fault { return fault{f.Rule, f.Fault, "key " + f.Key} }

func byMessage(f session.Finding) fault {
	return fault{f.Rule, f.Fault, figures.Get().ReplaceAllString(f.Message, "#")}
}

// figures are what differs from session to session in messages: numbers with their
// units, and ids of ours.
var figures = lazy.Regexp{Text: `wiretea-[0-9a-zA-Z]+-\d+|\d[\d.,]*( ?(ns|µs|ms|s|B|kB|MB|GB)\b|m\d\ds|h\d\dm)?`}

package compare

import (
	"slices"
	"strings"
	"wiretea/session/json/diff"
	"wiretea/session/lazy"
)

// usual are the patterns of what mostly differs without being a difference.
var usual = []string{".._meta", "..timestamp"}

var (
	// timely are the names of members that hold times, and what time makes of them.
	timely = lazy.Regexp{Text: `(?i)(time|date|stamp|duration|elapsed|latency|uptime|expires|ttl)|(At|_at|_ms|Ms)$`}

	// instant is how a time is mostly written.
	instant = lazy.Regexp{Text: `^"?\d{4}-\d\d-\d\d([T ]\d\d:\d\d|"?$)`}

	// lastName is the name at the end of a path.
	lastName = lazy.Regexp{Text: `\.([A-Za-z_][A-Za-z0-9_]*)$`}
)

// Suggest returns patterns that are worth ignoring, sorted: what differs now and looks
// like a time or is in _meta, and what usually does. Those that are ignored are not
// among them.
func (p *Pane) Suggest() []string {
	list := slices.Clone(usual)
	for i := range p.rows {
		r := &p.rows[i]
		if r.Sign == ' ' || r.Path == "" {
			continue
		}
		name := lastName.Get().FindStringSubmatch(r.Path)
		switch {
		case strings.Contains(r.Path, "._meta"):
		case name == nil:
			if instant.Get().Match(r.Text) {
				list = append(list, r.Path)
			}
		case timely.Get().MatchString(name[1]), instant.Get().Match(r.Text):
			list = append(list, ".."+name[1])
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), p.ignores)
}

// ignores reports whether a pattern is ignored, as it was written.
func (p *Pane) ignores(pattern string) bool {
	return slices.ContainsFunc(p.ignore, func(known diff.Path) bool { return known.String() == pattern })
}

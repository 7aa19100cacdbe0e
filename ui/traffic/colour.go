package traffic

import (
	"wiretea/session"
	"wiretea/session/filter"
	"wiretea/ui/pane"
	"wiretea/ui/style"
)

const (
	mostRules  = 64      // a bit each
	mostColour = 1 << 20 // longest body that a colour rule looks at, in bytes
)

// colour is the style that the first colour rule which selects a row gives to it, empty for
// none.
func (p *Pane) colour(c *pane.Context, i uint32) style.Style {
	for k, rule := range c.Colours[:min(len(c.Colours), mostRules)] {
		switch metaOf(rule.Filter, c.Snap, i) {
		case filter.Yes:
			return rule.Look
		case filter.Body:
			if x, ok := p.texts.of(i); ok && x.rules&(1<<k) != 0 {
				return rule.Look
			}
		case filter.No:
		}
	}
	return ""
}

// rulesOf has a bit for each rule that selects a row by its body.
func rulesOf(rules []pane.RowColour, read *bodies, s *session.Snapshot, i uint32) (bits uint64) {
	for k, rule := range rules[:min(len(rules), mostRules)] {
		if s.Row(i).Len > mostColour || metaOf(rule.Filter, s, i) != filter.Body {
			continue
		}
		if selected, _ := read.match(rule.Filter, s, i); selected {
			bits |= 1 << k
		}
	}
	return bits
}

// recolour forgets what depends on other rules than those in force.
func (p *Pane) recolour(c *pane.Context) {
	if !sameRules(p.rules, c.Colours) {
		p.rules = c.Colours
		p.texts.now, p.texts.old = nil, nil
	}
}

// sameRules reports whether two lists are the same memory: a list is replaced, not changed.
func sameRules(a, b []pane.RowColour) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

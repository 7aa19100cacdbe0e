package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"wiretea/recorder/cost"
	"wiretea/recorder/diff"
	"wiretea/ui/format"
)

// listTitles are the lists of a report, as people call them.
var listTitles = []struct{ member, title string }{
	{"tools", "tools"}, {"prompts", "prompts"}, {"resources", "resources"}, {"resourceTemplates", "resource templates"},
}

func (p *diffWriter) lists(r *diff.Report) {
	for _, list := range listTitles {
		var own []diff.Item
		counts := map[diff.Kind]int{}
		for _, item := range r.Lists {
			if item.List == list.member {
				own = append(own, item)
				counts[item.Kind]++
			}
		}
		if len(own) == 0 {
			continue
		}
		var words []string
		for _, kind := range []diff.Kind{diff.Added, diff.Removed, diff.Changed} {
			if counts[kind] > 0 {
				words = append(words, fmt.Sprintf("%d %s", counts[kind], kind))
			}
		}
		if c := r.Context; c != nil && list.member == "tools" && c.A != c.B {
			words = append(words, fmt.Sprintf("about %s → %s tokens in every conversation", cost.About(c.A), cost.About(c.B)))
		}
		p.head(list.title, "  "+strings.Join(words, ", "))
		for i := range own {
			p.item(&own[i])
		}
	}
}

func (p *diffWriter) item(item *diff.Item) {
	name := p.safe(item.Name, diffValue)
	if item.Tokens != 0 {
		sign, n := "+", item.Tokens
		if n < 0 {
			sign, n = "-", -n
		}
		name += "  " + p.paint(paintFaint, "≈ "+sign+cost.About(n)+" tokens")
	}
	if item.Kind != diff.Changed {
		var told struct{ Description string }
		_ = json.Unmarshal(item.Value, &told) // What has no description is told by its name.
		p.line("  %s %s  %s", p.sign(item.Kind), name, p.paint(paintFaint, p.safe(told.Description, diffValue)))
		return
	}
	if item.Prose {
		name += "  " + p.paint(paintYellow, proseWords)
	}
	p.line("  %s %s", p.sign(item.Kind), name)
	p.changes(6, item.Changes)
}

func (p *diffWriter) latencies(list []diff.Latency) {
	if len(list) == 0 {
		return
	}
	table, verdicts := format.Table{Indent: "  ", Right: []int{1}}, []string(nil)
	for i := range list {
		if l := &list[i]; l.Verdict != diff.TooFew || p.whole {
			table.Add(strings.TrimSpace(p.safe(l.Method, diffValue/2)+" "+p.safe(l.Target, diffValue/2)), format.Duration(int64(l.MedianA))+" →", format.Duration(int64(l.MedianB)))
			verdicts = append(verdicts, p.verdict(l))
		}
	}
	if len(verdicts) == 0 {
		p.head("latency", "  too few calls of any method to tell")
		return
	}
	p.head("latency", "  median of a → median of b")
	for i, line := range table.Lines() {
		p.line("%s  %s", line, verdicts[i])
	}
	if few := len(list) - len(verdicts); few > 0 {
		p.line("  %s", p.paint(paintFaint, format.Plural(int64(few), "more method")+" with too few calls to tell (--long)"))
	}
}

// verdict says what the test found, and of how many calls.
func (p *diffWriter) verdict(l *diff.Latency) string {
	n := fmt.Sprintf("%s and %s", format.Count(int64(l.NA)), format.Plural(int64(l.NB), "call"))
	chance := fmt.Sprintf("p = %.2g", l.P)
	if l.P < 0.001 {
		chance = "p < 0.001"
	}
	switch l.Verdict {
	case diff.TooFew:
		return p.paint(paintFaint, "too few to tell ("+n+")")
	case diff.Slower:
		text := fmt.Sprintf("%.2g times as slow (%s, %s)", l.Factor(), n, chance)
		if l.Counts {
			return p.paint(paintRed, "✖ "+text)
		}
		return p.paint(paintYellow, text)
	case diff.Faster:
		return p.paint(paintGreen, fmt.Sprintf("%.2g times as fast (%s, %s)", 1/l.Factor(), n, chance))
	case diff.Alike:
	}
	return p.paint(paintFaint, "no change that matters ("+n+", "+chance+")")
}

package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder/diff"
	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/text"
)

const (
	diffText  = 240 // diffText is how much of a text is printed, in characters.
	diffValue = 100 // diffValue is how much of any other value is.
)

// A diffWriter writes a report of differences for people.
type diffWriter struct {
	strings.Builder
	Look
	whole bool // whole: values are not cut.
}

// SGR parameters. Signs say the same without them.
const (
	paintRed    = "31"
	paintGreen  = "32"
	paintYellow = "33"
	paintBold   = "1"
	paintFaint  = "2"
)

func (p *diffWriter) line(format string, args ...any) {
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// sign is how a kind of difference is drawn.
func (p *diffWriter) sign(k diff.Kind) string {
	switch k {
	case diff.Added:
		return p.paint(paintGreen, "+")
	case diff.Removed:
		return p.paint(paintRed, "-")
	case diff.Changed:
	}
	return p.paint(paintYellow, "~")
}

// head is a section's title.
func (p *diffWriter) head(title, more string) {
	p.line("\n%s%s", p.paint(paintBold, title), p.paint(paintFaint, more))
}

// safe is what a peer sent, as one line that a terminal can be given.
func (p *diffWriter) safe(words string, limit int) string {
	if p.whole {
		limit = 0
	}
	return text.Visible([]byte(words), limit)
}

// value is a JSON value on one line; empty for none.
func (p *diffWriter) value(raw json.RawMessage) string {
	var flat bytes.Buffer
	if json.Compact(&flat, raw) != nil {
		return p.safe(string(raw), diffValue)
	}
	limit := diffValue
	if flat.Len() > 0 && flat.Bytes()[0] == '"' {
		limit = diffText
	}
	return p.safe(flat.String(), limit)
}

// WriteDiff writes what differs between the recordings a and b. whole: values are not
// cut.
func WriteDiff(w io.Writer, look Look, whole bool, a, b string, found *diff.Report) error {
	p := diffWriter{Look: look, whole: whole}
	p.report(a, b, found)
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *diffWriter) report(a, b string, r *diff.Report) {
	p.side("a", a, &r.A)
	p.side("b", b, &r.B)
	p.fields("peers", r.Peers)
	p.capabilities(r.Capabilities)
	p.lists(r)
	p.calls(r)
	p.notifications(r.Notifications)
	p.findings(r.Findings)
	p.fields("process", r.Process)
	p.latencies(r.Latencies)
	p.line("")
	if r.Same {
		p.line("%s", p.paint(paintGreen, "the same")+fmt.Sprintf(": %s paired", text.Plural(int64(r.Paired), "call")))
		return
	}
	p.line("%s", p.paint(paintYellow, text.Plural(int64(r.Differences), "difference")))
}

// side says which recording a sign stands for.
func (p *diffWriter) side(letter, path string, s *diff.Summary) {
	words := []string{p.safe(s.Server, diffValue)}
	if s.Era != "" {
		words = append(words, s.Era+" "+p.safe(s.Version, diffValue))
	}
	if s.Client != "" {
		words = append(words, "client "+p.safe(s.Client, diffValue))
	}
	words = append(words, text.Plural(s.Frames, "frame"), text.Plural(int64(s.Calls), "call"), text.Duration(int64(s.Duration)))
	p.line("%s  %s\n   %s", p.paint(paintBold, letter), text.Line(path), p.paint(paintFaint, strings.Join(words, " · ")))
	var lacks []string
	if missing := (&session.Totals{Gap: s.Lost, Damaged: s.Damaged, Torn: s.Torn}).Missing(); missing != "" {
		lacks = append(lacks, missing)
	}
	if s.CutOff {
		lacks = append(lacks, "it is incomplete")
	}
	if s.Unjudged > 0 {
		lacks = append(lacks, text.Plural(int64(s.Unjudged), "answer")+" too large: only their lengths are compared")
	}
	if len(lacks) > 0 {
		p.line("   %s", p.paint(paintYellow, "⚠ "+strings.Join(lacks, "; ")))
	}
}

func (p *diffWriter) fields(title string, list []diff.Field) {
	if len(list) == 0 {
		return
	}
	p.head(title, "")
	for _, f := range list {
		if !f.Prose {
			p.line("  %s %-18s %s → %s", p.sign(diff.Changed), f.Name, p.orNone(f.A), p.orNone(f.B))
			continue
		}
		p.line("  %s %-18s %s", p.sign(diff.Changed), f.Name, proseWords)
		p.before(6, p.orNone(f.A))
		p.after(6, p.orNone(f.B))
	}
}

const proseWords = "✎ what the model reads has changed"

func (p *diffWriter) orNone(text string) string {
	return p.safe(cmp.Or(text, "—"), diffText)
}

func (p *diffWriter) before(indent int, text string) {
	p.line("%*s%s", indent, "", p.paint(paintRed, "- "+text))
}

func (p *diffWriter) after(indent int, text string) {
	p.line("%*s%s", indent, "", p.paint(paintGreen, "+ "+text))
}

// change is one difference within a value.
func (p *diffWriter) change(indent int, c *diff.Change) {
	path := p.safe(c.Path, diffValue)
	if c.Prose {
		path += "  ✎"
	}
	switch {
	case c.Old == nil && c.New == nil:
		p.line("%*s%s %s", indent, "", p.sign(c.Kind), path)
	case c.Kind != diff.Changed:
		p.line("%*s%s %s %s", indent, "", p.sign(c.Kind), path, p.value(append(c.Old, c.New...)))
	case len(c.Old)+len(c.New) < diffValue/2:
		p.line("%*s%s %s  %s → %s", indent, "", p.sign(c.Kind), path, p.value(c.Old), p.value(c.New))
	default:
		p.line("%*s%s %s", indent, "", p.sign(c.Kind), path)
		p.before(indent+4, p.value(c.Old))
		p.after(indent+4, p.value(c.New))
	}
}

func (p *diffWriter) capabilities(list []diff.CapabilityChange) {
	if len(list) == 0 {
		return
	}
	p.head("capabilities", "")
	for _, c := range list {
		c.Path = c.Side + " " + c.Path
		p.change(2, &c.Change)
	}
}

func (p *diffWriter) calls(r *diff.Report) {
	if len(r.Calls) == 0 {
		return
	}
	p.head("calls", fmt.Sprintf("  %s paired", text.Count(int64(r.Paired))))
	for i := range r.Calls {
		p.call(&r.Calls[i])
	}
	if r.MoreCalls > 0 {
		p.line("  … and %s more that differ", text.Plural(int64(r.MoreCalls), "call"))
	}
}

// call is a call that differs.
func (p *diffWriter) call(c *diff.Call) {
	name := p.safe(c.Method, diffValue)
	if c.Sender == "server" {
		name = "server's " + name
	}
	if c.Target != "" {
		name += " " + p.safe(c.Target, diffValue)
	}
	if c.Params != nil {
		name += " " + p.paint(paintFaint, p.value(c.Params))
	}
	if c.Count > 1 {
		name += p.paint(paintFaint, fmt.Sprintf("  ×%d", c.Count))
	}
	switch {
	case c.Kind == diff.Removed:
		p.line("  %s %s\n      only in a: %s", p.sign(c.Kind), name, p.ending(c.A))
	case c.Kind == diff.Added:
		p.line("  %s %s\n      only in b: %s", p.sign(c.Kind), name, p.ending(c.B))
	case len(c.Asked) > 0:
		p.line("  %s %s\n      b asks something else:", p.sign(c.Kind), name)
		p.changes(6, c.Asked)
		if c.A.Outcome != c.B.Outcome {
			p.line("      %s → %s", p.ending(c.A), p.ending(c.B))
		}
	case len(c.Changes) > 0:
		p.line("  %s %s  %s", p.sign(c.Kind), name, p.paint(paintFaint, fmt.Sprintf("answered by #%d, #%d", c.A.Answer, c.B.Answer)))
		p.changes(6, c.Changes)
	default:
		p.line("  %s %s", p.sign(c.Kind), name)
		p.before(6, p.ending(c.A))
		p.after(6, p.ending(c.B))
	}
}

// most is how many differences of one value are printed.
const most = 40

func (p *diffWriter) changes(indent int, list []diff.Change) {
	for i := range list {
		if i == most && !p.whole {
			p.line("%*s… and %d more (--long, --json)", indent, "", len(list)-i)
			return
		}
		p.change(indent, &list[i])
	}
}

// ending says how a call ended.
func (p *diffWriter) ending(e *diff.Ending) string {
	text := e.Outcome
	if e.Code != "" {
		text += " " + p.safe(e.Code, diffValue)
	}
	if e.Message != "" {
		text += ": " + p.safe(e.Message, diffText)
	}
	return text + fmt.Sprintf("  (#%d)", e.Frame)
}

func (p *diffWriter) notifications(list []diff.Count) {
	if len(list) == 0 {
		return
	}
	p.head("notifications", "")
	for _, c := range list {
		kind := diff.Changed
		switch {
		case c.A == 0:
			kind = diff.Added
		case c.B == 0:
			kind = diff.Removed
		}
		p.line("  %s %s's %s  %s → %s", p.sign(kind), c.Sender, p.safe(c.Method, diffValue), text.Count(c.A), text.Count(c.B))
	}
}

func (p *diffWriter) findings(list []diff.Finding) {
	if len(list) == 0 {
		return
	}
	p.head("findings", "")
	for _, f := range list {
		sign, word := p.paint(paintGreen, "-"), "gone"
		if f.Kind == diff.Added {
			sign, word = p.paint(paintRed, "+"), "new"
		}
		frame := ""
		if f.Frame > 0 {
			frame = p.paint(paintFaint, fmt.Sprintf("  #%d", f.Frame))
		}
		p.line("  %s %-4s %-7s %s (%s) %s%s", sign, word, f.Severity, f.Rule, f.Fault, p.safe(f.Message, 0), frame)
	}
}

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
			words = append(words, fmt.Sprintf("about %s → %s tokens in every conversation", statistics.AboutTokens(c.A), statistics.AboutTokens(c.B)))
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
		name += "  " + p.paint(paintFaint, "≈ "+sign+statistics.AboutTokens(n)+" tokens")
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
	table, verdicts := text.Table{Indent: "  ", Right: []int{1}}, []string(nil)
	for i := range list {
		if l := &list[i]; l.Verdict != diff.TooFew || p.whole {
			table.Add(strings.TrimSpace(p.safe(l.Method, diffValue/2)+" "+p.safe(l.Target, diffValue/2)), text.Duration(int64(l.MedianA))+" →", text.Duration(int64(l.MedianB)))
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
		p.line("  %s", p.paint(paintFaint, text.Plural(int64(few), "more method")+" with too few calls to tell (--long)"))
	}
}

// verdict says what the test found, and of how many calls.
func (p *diffWriter) verdict(l *diff.Latency) string {
	n := fmt.Sprintf("%s and %s", text.Count(int64(l.NA)), text.Plural(int64(l.NB), "call"))
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

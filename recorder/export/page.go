package export

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/lazy"
	"wiretea/session/text"
)

// How much is in the page for those who have no script, and for paper.
const (
	staticFindings = 500
	staticOps      = 150
	staticFrames   = 300
	staticBody     = 1200 // staticBody is in characters.
	staticStderr   = 200
)

// A pageView is what the page's template draws.
type pageView struct {
	Title, Name, Lead, Tool, Recorded, Filter string
	Style                                     template.CSS
	StyleHash, ScriptHash                     string
	Kept                                      bool
	Sessions                                  []pageSession
	Several                                   bool // Several: there is more than one session, and each has its letter.
	Findings                                  []pageFinding
	MoreFindings                              int // MoreFindings is how many there are, where not all are shown; 0 = they are.
	Notes                                     []pageNote
	Methods                                   []pageMethod
	Pictures                                  *pagePictures // Pictures are nil where nothing was answered.
	Ops                                       []pageOp
	OpCount, MoreOps                          int
	Frames                                    []pageFrame
	MoreFrames                                int
	Stderr                                    []string
	StderrCount                               int
	Rows, LeftRows                            int // LeftRows are in the recording, and not in the page.
	LeftBodies                                int // LeftBodies is how many of Rows have no body in the page.

	look uint32 // look is the row that is shown first.
}

// A pageSession is what is known of one session.
type pageSession struct {
	Letter, Name, Title, Lead string
	Facts                     []pageFact
}

type pageFact struct {
	Name, Value string
	Code        bool
}

type pageFinding struct {
	Letter                                                         string
	Severity, Sign, Rule, Title, Message, Hint, Ref, Breaks, Fault string
	N                                                              uint64
	Count                                                          int // Count is how often Message holds; 0 = it does not say.

	row uint32
}

type pageNote struct {
	Letter string
	N      uint64
	Text   string
}

type pageMethod struct {
	Letter, Name, Sender        string
	Count, Errors, Pending      int64
	P50, P95, P99, Max, Out, In string
}

type pageOp struct {
	Letter, Label, Class, Took string
	X, W                       string
}

type pageFrame struct {
	N                                uint32
	Letter, Time, Line, Body, Stream string
}

// newPage makes the static part of the page. list are its rows.
func (r *Recording) newPage(ctx context.Context, list []uint32) (*pageView, error) {
	v := &pageView{Name: r.visibleName(), Tool: r.Tool, Style: template.CSS(pageStyle), StyleHash: hashOf(pageStyle), ScriptHash: hashOf(pageScript), Kept: r.WithSecrets,
		Several: r.merged(), look: session.NoRow}
	if r.Filter != nil {
		v.Filter = r.Filter.String()
	}
	for _, one := range r.members() {
		if err := one.pageSession(ctx, v); err != nil {
			return nil, err
		}
	}
	for _, n := range r.Notes {
		v.Notes = append(v.Notes, pageNote{session.Letter(n.In), n.N, noteText(n.Note)})
	}
	v.Title, v.Lead = v.Sessions[0].Title, v.Sessions[0].Lead
	if v.Several {
		v.Name = fmt.Sprintf("%d sessions", len(v.Sessions))
		v.Title, v.Lead, v.Pictures = v.Name+" on one clock", "", nil // The pictures are of one session.
	}
	r.pageFindings(v)
	r.pageOps(v, list)
	if err := r.pageFrames(v, list); err != nil {
		return nil, err
	}
	return v, r.pageStderr(v, list)
}

// pageSession takes what is known of a session, and the row to look at first.
func (r *Recording) pageSession(ctx context.Context, v *pageView) error {
	s := pageSession{Letter: r.letter, Name: r.visibleName()}
	if look := r.headline(&s); v.look == session.NoRow {
		v.look = look
	}
	r.facts(v, &s)
	v.Sessions = append(v.Sessions, s)
	return r.pageStatistics(ctx, v, r.letter)
}

// visibleName is the recording's name for people.
func (r *Recording) visibleName() string { return text.Visible([]byte(r.Name), 200) }

// headline says what is wrong, and returns the row on which that rests; session.NoRow for
// none.
func (r *Recording) headline(s *pageSession) uint32 {
	d := r.diagnose()
	s.Title = r.server() + ": nothing is wrong"
	if !d.Empty() {
		s.Title, s.Lead = d.Sentence, strings.Join(sentences(d.Reason, d.Mend), " ")
	}
	if all := r.Snap.Findings(); d.Finding >= 0 && d.Finding < len(all) {
		return all[d.Finding].Row
	}
	return session.NoRow
}

func (r *Recording) facts(v *pageView, s *pageSession) {
	add := func(name, value string, code bool) {
		if value != "" {
			s.Facts = append(s.Facts, pageFact{name, text.Visible([]byte(value), 1000), code})
		}
	}
	h, t, p, refused := r.Snap.Header(), r.Snap.Totals(), r.peers(), r.Snap.Refusals()
	add("server", p.Server.String(), false)
	add("client", p.Client.String(), false)
	if h != nil {
		add("command", strings.Join(h.Server(), " "), true)
		add("folder", h.Cwd, true)
		add("variables set", strings.Join(h.EnvKeys, " "), true)
		recorded := h.T0.UTC().Format("2006-01-02 15:04:05") + " UTC"
		v.Recorded = cmp.Or(v.Recorded, recorded)
		took := text.Duration(r.Snap.Clock()) + ", "
		if r.letter != "" {
			took = "" // The clock is common to all sessions.
		}
		add("recorded", fmt.Sprintf("%s, %sby %s (%s, %s)", recorded, took, h.Tool, h.Mode, h.Trans), false)
	}
	add("protocol", r.protocol(), false)
	add("server process", r.process(), false)
	if r.letter != "" {
		return // The sums count all sessions.
	}
	add("traffic", fmt.Sprintf("%s to the server in %s, %s back in %s, %s of stderr", text.Size(t.Bytes[session.C2S]), text.Plural(t.Frames[session.C2S], "frame"),
		text.Size(t.Bytes[session.S2C]), text.Plural(t.Frames[session.S2C], "frame"), text.Size(t.Bytes[session.Stderr])), false)
	add("requests", fmt.Sprintf("%d, %d answered by an error, %d without an answer, %d cancelled, %d late", t.Exchanges, t.Errors, t.Pending+t.Lost-refused, t.Cancelled, t.Late), false)
	if refused > 0 {
		add("refused", text.Plural(refused, "request")+" answered by an HTTP status", false)
	}
	add("missing", r.missing(), false)
}

var signs = lazy.Value[map[session.Severity]string]{New: func() map[session.Severity]string {
	return map[session.Severity]string{session.Error: "✖", session.Warning: "⚠", session.Info: "ℹ"}
}}

// pageFindings takes the findings, the worst first.
func (r *Recording) pageFindings(v *pageView) {
	all := r.worstFirst()
	for i, f := range all {
		if i == staticFindings {
			v.MoreFindings = len(all)
			break
		}
		title := ""
		if rule := check.Lookup(f.Rule); rule != nil {
			title = rule.Text().Title
		}
		times := 0
		if f.Repeated() {
			times = f.Count
		}
		v.Findings = append(v.Findings, pageFinding{
			row: f.Row, Letter: r.Snap.Letter(f.Conn), Severity: f.Severity.String(), Sign: signs.Get()[f.Severity], Rule: f.Rule, Title: title, Message: text.Visible([]byte(f.Message), 1000), Hint: f.Hint, Ref: f.Ref,
			Breaks: strings.Join(f.Breaks, ", "), Fault: f.Fault.String(), N: f.N, Count: times,
		})
		if v.look == session.NoRow {
			v.look = f.Row
		}
	}
}

// pageOps draws the first operations as bars.
func (r *Recording) pageOps(v *pageView, list []uint32) {
	var all []uint32
	start, end := int64(-1), r.Snap.Clock()
	for _, i := range list {
		row := r.Snap.Row(i)
		if row.Kind != session.RowRequest || row.Substitutes() {
			continue
		}
		if start < 0 {
			start = row.T
		}
		v.OpCount++
		if len(all) < staticOps {
			all = append(all, i)
		}
	}
	v.MoreOps = v.OpCount - len(all)
	span := max(1, end-start)
	for _, i := range all {
		x := r.exchangeOf(i)
		op := pageOp{Letter: r.letterOf(x.row), Label: arrow(x.row) + " " + r.name(x.row) + r.id(x.row), Took: x.state(), Class: "open"}
		took := end - x.row.T
		if x.latency >= 0 {
			took, op.Took, op.Class = x.latency, text.Duration(x.latency), ""
		}
		if x.state() == "error" {
			op.Class = "fail"
		}
		op.X = fmt.Sprintf("%.1f", 1000*float64(x.row.T-start)/float64(span))
		op.W = fmt.Sprintf("%.1f", max(2, 1000*float64(took)/float64(span)))
		v.Ops = append(v.Ops, op)
	}
}

func (r *Recording) pageFrames(v *pageView, list []uint32) error {
	v.MoreFrames = max(0, len(list)-staticFrames)
	for _, i := range list[:min(len(list), staticFrames)] {
		row := r.Snap.Row(i)
		words, err := r.textLine(i, row)
		if err != nil {
			return err
		}
		f := pageFrame{N: row.N, Letter: r.letterOf(row), Time: fmt.Sprintf("%.3f", float64(row.T)/1e9), Line: words, Stream: row.Stream.String()}
		switch row.Kind {
		case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
			body, err := r.body(i, 4*staticBody)
			if err != nil {
				return err
			}
			f.Body = cut(text.Visible(body, 0), staticBody)
		}
		v.Frames = append(v.Frames, f)
	}
	return nil
}

func (r *Recording) pageStderr(v *pageView, list []uint32) error {
	for _, i := range list {
		row := r.Snap.Row(i)
		if row.Kind != session.RowStderr {
			continue
		}
		if v.StderrCount++; v.StderrCount > staticStderr {
			continue
		}
		body, err := r.body(i, 8<<10)
		if err != nil {
			return err
		}
		words := text.Visible(body, 1000)
		if v.Several {
			words = r.letterOf(row) + "  " + words
		}
		v.Stderr = append(v.Stderr, words)
	}
	return nil
}

// A pagePictures is what the page draws of the statistics, in the units of its SVG.
type pagePictures struct {
	Answers  string
	Bars     []pageBar
	BarsH    int // BarsH is the height of the histogram.
	Cells    []pageCell
	Bands    []pageBand
	From, To string
}

type pageBar struct {
	Y, TextY    int
	W           string
	Label, Text string
}

type pageCell struct{ X, Y, Opacity, Title string }

type pageBand struct {
	Y    int
	Text string
}

// Measures of the pictures.
const (
	barHeight, barMost   = 20, 420 // a bar of the histogram
	heatWidth, heatBand  = 720, 14 // a heat map
	mostTargets          = 50      // what a method acts on, beneath it
	cellWidth            = float64(heatWidth) / statistics.Columns
	leastOpacity, deeper = 0.7, 0.3 // one answer has a contrast of 3 with the page
)

// pageStatistics takes the numbers by method, and the pictures of the client's requests.
func (r *Recording) pageStatistics(ctx context.Context, v *pageView, letter string) error {
	got := statistics.Collect(ctx, r.Snap, statistics.Key{})
	if got == nil {
		return ctx.Err()
	}
	byCount := func(a, b *statistics.Line) int { return cmp.Compare(b.Count, a.Count) }
	methods := slices.Clone(got.Lines)
	slices.SortStableFunc(methods, byCount)
	for _, m := range methods {
		v.Methods = append(v.Methods, newPageMethod(letter, m, text.Visible([]byte(m.Name), 200)))
		targets := slices.Clone(m.Targets)
		slices.SortStableFunc(targets, byCount)
		for _, t := range targets[:min(len(targets), mostTargets)] {
			v.Methods = append(v.Methods, newPageMethod(letter, t, "\u2003"+text.Visible([]byte(t.Target), 200)))
		}
	}
	if len(got.Bars) > 0 {
		v.Pictures = newPagePictures(got)
	}
	return nil
}

func newPageMethod(letter string, m *statistics.Line, name string) pageMethod {
	row := pageMethod{Letter: letter, Name: name, Sender: m.Sender.Sender().String(), Count: m.Count, Errors: m.Errors, Pending: m.Pending, Out: text.Size(m.BytesOut), In: text.Size(m.BytesIn)}
	if m.Max > 0 {
		row.P50, row.P95, row.P99, row.Max = text.Duration(m.P50), text.Duration(m.P95), text.Duration(m.P99), text.Duration(m.Max)
	}
	return row
}

func newPagePictures(got *statistics.Statistics) *pagePictures {
	l, s := got.Subject, &got.Over
	p := &pagePictures{
		Answers: text.Plural(int64(len(l.Latencies)), "answer"), BarsH: barHeight * len(got.Bars),
		From: text.Seconds(s.From) + " s", To: text.Seconds(s.To) + " s",
	}
	if l.People > 0 {
		p.Answers += ", without " + text.Duration(l.People) + " in which a person was asked"
	}
	most := slices.MaxFunc(got.Bars, func(a, b statistics.Bar) int { return cmp.Compare(a.Count, b.Count) }).Count
	last := int64(-1)
	for i, b := range got.Bars {
		words := text.Count(int64(b.Count))
		for _, m := range []struct {
			name  string
			value int64
		}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}, {"max", l.Max}} {
			if m.value > last && m.value <= b.UpTo {
				words += " " + m.name
			}
		}
		last = b.UpTo
		p.Bars = append(p.Bars, pageBar{i * barHeight, i*barHeight + 14, fmt.Sprintf("%.1f", float64(b.Count)/float64(most)*barMost), "≤ " + text.Duration(b.UpTo), words})
	}
	p.heat(s)
	return p
}

// heat draws the latencies over time, the longest at the top.
func (p *pagePictures) heat(s *statistics.HeatMap) {
	var most int64
	for b := range s.Counts {
		most = max(most, slices.Max(s.Counts[b][:]))
	}
	for b := range s.Counts {
		y := (statistics.Bands - 1 - b) * heatBand
		label := text.Duration(s.Band(b))
		if b+1 < len(s.Counts) && label == text.Duration(s.Band(b+1)) {
			label = "" // The band above has it.
		}
		p.Bands = append(p.Bands, pageBand{y + 11, label})
		for i, n := range s.Counts[b] {
			if n > 0 {
				p.Cells = append(p.Cells, pageCell{
					fmt.Sprintf("%.1f", float64(i)*cellWidth), fmt.Sprint(y), fmt.Sprintf("%.2f", leastOpacity+deeper*float64(n)/float64(most)),
					fmt.Sprintf("%s at %s s, ≤ %s", text.Plural(n, "answer"), text.Seconds(s.Column(i)), text.Duration(s.Band(b))),
				})
			}
		}
	}
}

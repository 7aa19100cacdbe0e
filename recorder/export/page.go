package export

import (
	"context"
	"fmt"
	"html/template"
	"strings"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/ui/format"
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
	Facts                                     []pageFact
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

type pageFact struct {
	Name, Value string
	Code        bool
}

type pageFinding struct {
	Severity, Sign, Rule, Title, Message, Hint, Ref, Breaks, Fault string
	N                                                              uint64
	Count                                                          int
}

type pageNote struct {
	N    uint64
	Text string
}

type pageMethod struct {
	Name, Sender                string
	Count, Errors, Pending      int64
	P50, P95, P99, Max, Out, In string
}

type pageOp struct {
	Label, Class, Took string
	X, W               string
}

type pageFrame struct {
	N                        uint32
	Time, Line, Body, Stream string
}

// newPage makes the static part of the page. list are its rows.
func (r *Recording) newPage(ctx context.Context, list []uint32) (*pageView, error) {
	v := &pageView{Name: format.Visible([]byte(r.Name), 200), Tool: r.Tool, Style: template.CSS(pageStyle), StyleHash: hashOf(pageStyle), ScriptHash: hashOf(pageScript), Kept: r.WithSecrets, look: session.NoRow}
	if r.Filter != nil {
		v.Filter = r.Filter.String()
	}
	r.headline(v)
	r.facts(v)
	r.pageFindings(v)
	for _, n := range r.Notes {
		v.Notes = append(v.Notes, pageNote{n.N, noteText(n)})
	}
	if err := r.pageStatistics(ctx, v); err != nil {
		return nil, err
	}
	r.pageOps(v, list)
	if err := r.pageFrames(v, list); err != nil {
		return nil, err
	}
	return v, r.pageStderr(v, list)
}

func (r *Recording) headline(v *pageView) {
	d := r.diagnose()
	v.Title = r.server() + ": nothing is wrong"
	if !d.Empty() {
		v.Title, v.Lead = d.Sentence, strings.Join(sentences(d.Reason, d.Mend), " ")
	}
	if all := r.Snap.Findings(); d.Finding >= 0 && d.Finding < len(all) {
		v.look = all[d.Finding].Row
	}
}

func (r *Recording) facts(v *pageView) {
	add := func(name, value string, code bool) {
		if value != "" {
			v.Facts = append(v.Facts, pageFact{name, format.Visible([]byte(value), 1000), code})
		}
	}
	h, t, p, refused := r.Snap.Header(), r.Snap.Totals(), r.peers(), r.Snap.Refusals()
	add("server", p.Server.String(), false)
	add("client", p.Client.String(), false)
	if h != nil {
		add("command", strings.Join(h.Server(), " "), true)
		add("folder", h.Cwd, true)
		add("variables set", strings.Join(h.EnvKeys, " "), true)
		v.Recorded = h.T0.UTC().Format("2006-01-02 15:04:05") + " UTC"
		add("recorded", fmt.Sprintf("%s, %s, by %s (%s, %s)", v.Recorded, format.Duration(r.Snap.Clock()), h.Tool, h.Mode, h.Trans), false)
	}
	add("protocol", r.protocol(), false)
	add("server process", r.process(), false)
	add("traffic", fmt.Sprintf("%s to the server in %s, %s back in %s, %s of stderr", format.Size(t.Bytes[session.C2S]), format.Plural(t.Frames[session.C2S], "frame"),
		format.Size(t.Bytes[session.S2C]), format.Plural(t.Frames[session.S2C], "frame"), format.Size(t.Bytes[session.Stderr])), false)
	add("requests", fmt.Sprintf("%d, %d answered by an error, %d without an answer, %d cancelled, %d late", t.Exchanges, t.Errors, t.Pending+t.Lost-refused, t.Cancelled, t.Late), false)
	if refused > 0 {
		add("refused", format.Plural(refused, "request")+" answered by an HTTP status", false)
	}
	add("missing", r.missing(), false)
}

var signs = map[session.Severity]string{session.Error: "✖", session.Warning: "⚠", session.Info: "ℹ"}

func (r *Recording) pageFindings(v *pageView) {
	all := r.worstFirst()
	for i, f := range all {
		if i == staticFindings {
			v.MoreFindings = len(all)
			break
		}
		title := ""
		if rule := check.Lookup(f.Rule); rule != nil {
			title = rule.Title
		}
		v.Findings = append(v.Findings, pageFinding{
			Severity: f.Severity.String(), Sign: signs[f.Severity], Rule: f.Rule, Title: title, Message: format.Visible([]byte(f.Message), 1000), Hint: f.Hint, Ref: f.Ref,
			Breaks: strings.Join(f.Breaks, ", "), Fault: f.Fault.String(), N: f.N, Count: f.Count,
		})
		if v.look == session.NoRow {
			v.look = f.Row
		}
	}
}

// pageOps draws the first operations as bars.
func (r *Recording) pageOps(v *pageView, list []uint32) {
	var all []exchange
	start, end := int64(-1), r.Snap.Clock()
	for _, i := range list {
		if r.Snap.Row(i).Kind != session.RowRequest {
			continue
		}
		x := r.exchangeOf(i)
		if start < 0 {
			start = x.row.T
		}
		v.OpCount++
		if len(all) < staticOps {
			all = append(all, x)
		}
	}
	v.MoreOps = v.OpCount - len(all)
	span := max(1, end-start)
	for _, x := range all {
		op := pageOp{Label: arrow(x.row) + " " + r.name(x.row) + r.id(x.row), Took: x.state(), Class: "open"}
		took := end - x.row.T
		if x.latency >= 0 {
			took, op.Took, op.Class = x.latency, format.Duration(x.latency), ""
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
		line, err := r.textLine(i, row)
		if err != nil {
			return err
		}
		f := pageFrame{N: row.N, Time: fmt.Sprintf("%.3f", float64(row.T)/1e9), Line: line, Stream: row.Stream.String()}
		switch row.Kind {
		case session.RowRequest, session.RowNotification, session.RowResult, session.RowError, session.RowBatch:
			body, err := r.body(i, 4*staticBody)
			if err != nil {
				return err
			}
			f.Body = cut(format.Visible(body, 0), staticBody)
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
		v.Stderr = append(v.Stderr, format.Visible(body, 1000))
	}
	return nil
}

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/replay"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/jsonrpc"
	"wiretea/session/text"
)

// A ReplayPrinter prints what a replay finds, as it is found, as text or JSON lines.
type ReplayPrinter struct {
	Out, Errw io.Writer // Errw takes notes.
	JSON      bool
	Quiet     bool // Quiet prints divergences alone.
	Strict    bool // Strict compares also what always differs: replay.MustDiffer.
	Many      bool // Many: there are several connections.
	Ignore    []diff.Path

	Played []Played
	Err    error // Err is the first one of a write.
}

func (p *ReplayPrinter) write(text string) {
	if _, err := io.WriteString(p.Out, text); err != nil && p.Err == nil {
		p.Err = err
	}
}

// Begin is called when the replay of a connection begins.
func (p *ReplayPrinter) Begin(s *replay.Script) {
	if p.Many && !p.Quiet && !p.JSON {
		p.write(fmt.Sprintf("connection %d\n", s.Conn))
	}
}

// divergenceJSON is a divergence for programs.
type divergenceJSON struct {
	Divergence string          `json:"divergence"`
	Frame      uint64          `json:"frame,omitempty"`
	Message    string          `json:"message"`
	Why        string          `json:"why"`
	Changes    []changeJSON    `json:"changes,omitempty"`
	Recorded   json.RawMessage `json:"recorded,omitempty"`
	Live       json.RawMessage `json:"live,omitempty"`
}

type changeJSON struct {
	Change string          `json:"change"`
	Path   string          `json:"path"`
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new,omitempty"`
}

// paths are those that do not count.
func (p *ReplayPrinter) paths() []diff.Path {
	list := p.Ignore
	if !p.Strict {
		for _, text := range replay.MustDiffer {
			if path, err := diff.ParsePath(text); err == nil {
				list = append(list[:len(list):len(list)], path)
			}
		}
	}
	return list
}

// Found prints a divergence.
func (p *ReplayPrinter) Found(d *replay.Divergence) {
	if p.JSON {
		p.foundJSON(d)
		return
	}
	var b strings.Builder
	place := ""
	if d.N > 0 {
		place = fmt.Sprintf("frame %d: ", d.N)
		if d.Kind == replay.Unexpected {
			place = fmt.Sprintf("after frame %d: ", d.N)
		}
	}
	fmt.Fprintf(&b, "✖ %s%s: %s\n", place, text.Visible([]byte(d.What), 200), text.Visible([]byte(d.Why), 500))
	switch d.Kind {
	case replay.Differs:
		p.difference(&b, d)
	case replay.Missing:
		fmt.Fprintf(&b, "  − %s\n", text.Visible(d.Old, LongPrinted))
	case replay.Unexpected:
		fmt.Fprintf(&b, "  + %s\n", text.Visible(d.New, LongPrinted))
	case replay.Died, replay.Ended:
	}
	p.write(b.String())
}

// difference writes what differs in two messages, each difference below its path.
func (p *ReplayPrinter) difference(b *strings.Builder, d *replay.Divergence) {
	lines, _, err := diff.Lines(d.Old, d.New, p.paths()...)
	if err != nil {
		fmt.Fprintf(b, "  − %s\n  + %s\n", text.Visible(d.Old, LongPrinted), text.Visible(d.New, LongPrinted))
		return
	}
	changed := false
	for _, l := range lines {
		changed = changed || l.Change > 0
	}
	if !changed {
		return // it is written differently, which was said
	}
	var text strings.Builder
	WriteDifference(&text, "", lines)
	_, rest, _ := strings.Cut(text.String(), "\n")
	b.WriteString(rest)
}

func (p *ReplayPrinter) foundJSON(d *replay.Divergence) {
	out := divergenceJSON{Divergence: d.Kind.String(), Frame: d.N, Message: d.What, Why: d.Why, Recorded: asJSON(d.Old), Live: asJSON(d.New)}
	if changes, err := diff.Compare(d.Old, d.New, p.paths()...); err == nil && d.Kind == replay.Differs {
		for _, c := range changes {
			out.Changes = append(out.Changes, changeJSON{c.Kind.String(), c.Path, asJSON(c.Old), asJSON(c.New)})
		}
	}
	p.encode(out)
}

func (p *ReplayPrinter) encode(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		p.Err = err
		return
	}
	p.write(string(text) + "\n")
}

// asJSON is a text as JSON: itself, or a string of it.
func asJSON(text []byte) json.RawMessage {
	if len(text) == 0 || json.Valid(text) {
		return text
	}
	quoted, _ := json.Marshal(string(text)) // strings always marshal
	return quoted
}

// outcomeJSON is the outcome for programs.
type outcomeJSON struct {
	Outcome     string  `json:"outcome"`
	Connection  int     `json:"connection"`
	Sent        int     `json:"sent"`
	LeftOut     int     `json:"leftOut,omitempty"`
	Compared    int     `json:"compared"`
	Divergences int     `json:"divergences"`
	Missing     string  `json:"missing,omitempty"` // Missing says what the recording lacks.
	Seconds     float64 `json:"seconds"`
}

// missing says what the recording of a script lacks; empty where that is nothing.
func missing(s *replay.Script) string {
	return (&session.Totals{Gap: s.Lost, Damaged: s.Damaged, Torn: s.Torn}).Missing()
}

// End is called when the replay of a connection is over.
func (p *ReplayPrinter) End(s *replay.Script, got *replay.Outcome, took time.Duration) {
	p.Played = append(p.Played, Played{Script: s, Outcome: got, Took: took})
	switch {
	case p.JSON:
		word := "same"
		if got.Found > 0 {
			word = "different"
		}
		p.encode(outcomeJSON{word, s.Conn, got.Sent, got.LeftOut, got.Compared, got.Found, missing(s), took.Seconds()})
	case !p.Quiet:
		sign, outcome := "✔", "the same"
		if got.Found > 0 {
			sign, outcome = "✖", text.Plural(int64(got.Found), "divergence")
			if got.Stopped {
				outcome = "ended at the first divergence; --keep-going collects them all"
			}
		}
		p.write(fmt.Sprintf("%s %s sent, %s compared, %s: %s\n", sign, text.Plural(int64(got.Sent), "message"),
			text.Plural(int64(got.Compared), "message"), text.Duration(int64(took)), outcome))
		if lacks := missing(s); lacks != "" {
			p.write("⚠ " + lacks + "\n")
		}
		if got.LeftOut > 0 {
			fmt.Fprintf(p.Errw, "wiretea: %s of the client's left out: not messages, or responses to requests that did not come; --bytes sends them\n", text.Plural(int64(got.LeftOut), "frame"))
		}
	}
}

// A Played is the replay of one connection.
type Played struct {
	Script  *replay.Script
	Outcome *replay.Outcome
	Took    time.Duration
}

// WriteReplayJUnit writes the replay of a recording as JUnit's XML: a test for each request
// of the client that was reached, and one for everything else.
func WriteReplayJUnit(w io.Writer, recording string, played []Played) error {
	all := JUnit{Name: recorder.ToolName}
	name := xmlText(filepath.Base(recording))
	var took time.Duration
	for _, p := range played {
		suite := junitSuite{Name: name, Time: junitSeconds(p.Took)}
		if len(played) > 1 {
			suite.Name += fmt.Sprintf(" connection %d", p.Script.Conn)
		}
		if lacks := missing(p.Script); lacks != "" {
			suite.Properties = []junitProperty{{"missing", lacks}}
		}
		suite.cases(name, p)
		for _, c := range suite.Cases {
			if c.Failure != nil {
				suite.Failures++
			}
		}
		suite.Tests = len(suite.Cases)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		took += p.Took
		all.Suites = append(all.Suites, suite)
	}
	all.Time = junitSeconds(took)
	return all.write(w)
}

func (s *junitSuite) cases(class string, p Played) {
	failures := map[int32]*junitFailure{}
	for _, d := range p.Outcome.First {
		f := failures[d.Request]
		if f == nil {
			f = &junitFailure{Message: inAttribute(fmt.Sprintf("frame %d: %s", d.N, d.Why)), Type: d.Kind.String()}
			failures[d.Request] = f
		}
		var text strings.Builder
		(&ReplayPrinter{Out: &text}).Found(&d)
		f.Text += xmlText(text.String())
	}
	for i := range p.Script.Messages {
		m := &p.Script.Messages[i]
		if m.Kind != jsonrpc.Request || m.Sender != replay.FromClient {
			continue
		}
		failure := failures[int32(i)]
		if failure == nil && p.Outcome.Stopped && p.Outcome.Took[i] == 0 {
			continue // not reached
		}
		s.Cases = append(s.Cases, junitCase{Class: class, Name: fmt.Sprintf("frame %d %s", p.Script.Steps[m.Step].N, inAttribute(strings.TrimSpace(m.Method+" "+m.Target))),
			Time: fmt.Sprintf("%.6f", p.Outcome.Took[i].Seconds()), Failure: failure})
	}
	s.Cases = append(s.Cases, junitCase{Class: class, Name: "notifications, other output and the end", Time: "0", Failure: failures[-1]})
}

// inAttribute makes a text safe for an attribute.
func inAttribute(words string) string { return xmlText(text.Visible([]byte(words), 300)) }

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/mcp"
)

// A Report is what check says about a session. Its JSON is described by
// docs/check.schema.json.
type Report struct {
	Tool            string          `json:"tool"`
	Source          string          `json:"source"`
	Era             string          `json:"era"`
	ProtocolVersion string          `json:"protocolVersion"`
	Frames          int64           `json:"frames"`
	Bytes           reportBytes     `json:"bytes"`
	Exchanges       reportExchanges `json:"exchanges"`
	Process         reportProcess   `json:"process"`
	Diagnosis       string          `json:"diagnosis"`
	Context         *reportContext  `json:"context,omitempty"` // Context is what the tools cost; nil where none were listed.
	Steps           []Step          `json:"steps,omitempty"`   // Steps are those of the way to a server at a URL; none for any other.
	Findings        []Finding       `json:"findings"`
	Summary         map[string]int  `json:"summary"` // Summary counts the findings by severity: error, warning, info.

	// Command is the server's command where check has started it; nil for a recording.
	Command []string `json:"-"`

	// Missing says what the recording lacks; empty for nothing.
	Missing string `json:"-"`

	// Worst are the findings of the report, the worst first.
	Worst []session.Finding `json:"-"`

	verdict *verdict.Verdict
	steps   []verdict.Step
}

type reportBytes struct {
	C2S    int64 `json:"c2s"`
	S2C    int64 `json:"s2c"`
	Stderr int64 `json:"stderr"`
}

// reportExchanges counts requests. Pending are those without an answer, also
// those that were given up or whose connection ended; Refused those that had only a
// status of HTTP, which is not 2xx.
type reportExchanges struct {
	Total   int64 `json:"total"`
	Pending int64 `json:"pending"`
	Errors  int64 `json:"errors"`
	Refused int64 `json:"refused"`
}

// reportContext is what is a part of every conversation.
type reportContext struct {
	Tools        int             `json:"tools"`
	Partial      bool            `json:"partial,omitempty"` // Partial: there may be more tools.
	Called       int             `json:"called"`            // Called is how many of them were called.
	Bytes        int64           `json:"bytes"`             // Bytes are those of the definitions as they were sent.
	Instructions int64           `json:"instructions"`      // Instructions are those of the server, in bytes.
	Tokens       int64           `json:"tokens"`            // Tokens are estimated, of tools and instructions.
	Largest      []reportContent `json:"largest"`           // Largest are the tools that cost most, at most mostLargest; never null.
	Client       []string        `json:"client,omitempty"`  // Client says what the client has not done with the tools.
	Refused      []string        `json:"refused,omitempty"` // Refused says which clients refuse the list because of some of its tools.
}

type reportContent struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Tokens int64  `json:"tokens"`
}

// mostLargest is how many tools a report names by their cost.
const mostLargest = 10

func contextOf(v *verdict.Verdict) *reportContext {
	c := v.Cost
	if c == nil || len(c.Tools.Items) == 0 && len(c.Client) == 0 {
		return nil
	}
	r := &reportContext{
		Largest: []reportContent{}, Tools: len(c.Tools.Items), Partial: c.Tools.Partial, Called: c.Tools.Called(), Bytes: c.Tools.Bytes, Instructions: c.Instructions, Tokens: c.Tokens(),
	}
	for _, words := range c.Client {
		r.Client = append(r.Client, v.Session.Shown(words))
	}
	for _, words := range c.Refused {
		r.Refused = append(r.Refused, v.Session.Shown(words))
	}
	for _, d := range c.Tools.Items[:min(len(c.Tools.Items), mostLargest)] {
		r.Largest = append(r.Largest, reportContent{v.Session.Shown(d.Name), d.Bytes, d.Tokens})
	}
	return r
}

// exchangesOf counts all requests but those of connections that probe the server: many of
// those are to be refused.
func exchangesOf(of *verdict.Session) reportExchanges {
	s := of.Snapshot
	t, refused := s.Totals(), s.Refusals()
	x := reportExchanges{t.Exchanges, t.Pending + t.Cancelled + t.Lost - refused, t.Errors, refused}
	probes := map[int]bool{}
	for _, c := range s.Conns() {
		if c.Probe || of.OfProbe(c.ID) {
			probes[c.ID] = true
		}
	}
	for i := uint32(0); i < uint32(s.Len()) && len(probes) > 0; i++ {
		row := s.Row(i)
		if row.Kind != session.RowRequest || !probes[int(row.Conn)] {
			continue
		}
		x.Total--
		answer := s.Row(row.Pair)
		switch {
		case s.Refused(i):
			x.Refused--
		case row.Pair == session.NoRow:
			x.Pending--
		case answer.Failed():
			x.Errors--
		}
	}
	return x
}

// reportProcess is the end of the last server process. State is none, running,
// exited, signalled, unknown (the recording breaks off before its end), or remote (a
// server at a URL).
type reportProcess struct {
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal"`
	State    string `json:"state"`
}

// A Step is a verdict.Step.
type Step struct {
	Name  string  `json:"name"`
	State string  `json:"state"`
	Ms    float64 `json:"ms"` // Ms is how long it took, in milliseconds; 0 where that was not measured.
	Text  string  `json:"text"`
	Rule  string  `json:"rule"`
}

// AddSteps adds what was done to find out how a server at a URL can be reached.
func (r *Report) AddSteps(steps []verdict.Step) {
	for _, s := range steps {
		s.Text = r.verdict.Session.Shown(s.Text)
		r.Steps = append(r.Steps, Step{s.Name, s.State.String(), float64(s.Took.Microseconds()) / 1e3, s.Text, s.Rule})
		r.steps = append(r.steps, s)
	}
}

type Finding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Fault    string   `json:"fault"`
	Frame    uint64   `json:"frame"` // Frame is the record's number, 0 = it has none.
	Count    int      `json:"count"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	Ref      string   `json:"ref"`
	Breaks   []string `json:"breaks"` // Breaks are the clients that fail on it; never null.
}

// New returns the report of a verdict. source is the file or the command that the
// session came from.
func New(source string, v *verdict.Verdict) *Report {
	s := v.Session.Snapshot
	t := s.Totals()
	r := &Report{
		Tool: recorder.ToolName, Source: source, Frames: t.Frames[session.C2S] + t.Frames[session.S2C] + t.Frames[session.Stderr],
		Bytes:     reportBytes{t.Bytes[session.C2S], t.Bytes[session.S2C], t.Bytes[session.Stderr]},
		Exchanges: exchangesOf(&v.Session),
		Process:   reportProcess{State: "none"},
		Diagnosis: v.Headline(),
		Context:   contextOf(v),
		Findings:  []Finding{},
		Summary:   map[string]int{"error": 0, "warning": 0, "info": 0},
		verdict:   v,
		Missing:   t.Missing(),
	}
	if h := s.Header(); h != nil && h.URL != "" {
		r.Process.State = "remote"
	}
	for _, c := range s.Conns() {
		if !v.Session.OfProbe(c.ID) && !c.Probe {
			r.ofConn(c, s.End() != nil)
		}
	}
	r.ProtocolVersion, r.Process.Signal = v.Session.Shown(r.ProtocolVersion), v.Session.Shown(r.Process.Signal)
	for i := range v.Findings {
		r.Worst = append(r.Worst, v.Findings[i].Finding)
	}
	sort.SliceStable(r.Worst, func(i, j int) bool { return r.Worst[i].Severity > r.Worst[j].Severity })
	for _, f := range r.Worst {
		r.Summary[f.Severity.String()]++
		r.Findings = append(r.Findings, Finding{
			f.Rule, f.Severity.String(), f.Fault.String(), f.N, f.Count, f.Message, f.Hint, f.Ref, append([]string{}, f.Breaks...),
		})
	}
	return r
}

// ofConn takes what is to be known of a connection. The process is that of the
// last one; era and version are all that were spoken.
func (r *Report) ofConn(c session.Conn, ended bool) {
	version := c.VersionText
	if version == "" && c.Version != mcp.NoVersion {
		version = c.Version.String()
	}
	switch era := c.Era.String(); {
	case r.Era == "" || version != "" && r.ProtocolVersion == "":
		r.Era, r.ProtocolVersion = era, version
	case era != "" && era != r.Era && version != "" && !strings.HasSuffix(r.ProtocolVersion, version):
		r.Era, r.ProtocolVersion = "both", r.ProtocolVersion+", "+version
	}
	switch {
	case c.Exited && c.ExitSig != "":
		r.Process = reportProcess{Signal: c.ExitSig, State: "signalled"}
	case c.Exited:
		r.Process = reportProcess{ExitCode: &c.ExitCode, State: "exited"}
	case c.Started && ended:
		r.Process = reportProcess{State: "running"}
	case c.Started:
		r.Process = reportProcess{State: "unknown"}
	}
}

// String says how the server exited.
func (p reportProcess) String() string {
	switch p.State {
	case "exited":
		return fmt.Sprintf("server exited with code %d", *p.ExitCode)
	case "signalled":
		return "server ended by " + p.Signal
	case "running":
		return "server still running at the end of the recording"
	case "unknown":
		return "the recording is incomplete: the server was still running"
	case "remote":
		return "over HTTP"
	}
	return "no server process"
}

// A Look says how text is written for a terminal. The zero Look is for files and pipes.
type Look struct {
	Colour bool
	Width  int // Width is where lines are broken, in columns; 0 breaks none.
}

// A writer writes reports in a format.
type writer struct {
	name  string
	write func(w io.Writer, reports []*Report, look Look) error
}

// writers are those of all formats, in the order of the help.
var writers = []writer{
	{"text", writeText},
	{"json", writeJSON},
	{"junit", writeJUnit},
	{"sarif", writeSARIF},
	{"github", writeGitHub},
}

// Formats are the names of the formats.
func Formats() (names []string) {
	for _, f := range writers {
		names = append(names, f.name)
	}
	return names
}

// Write writes reports in a format of Formats. look is for text.
func Write(w io.Writer, format string, look Look, reports ...*Report) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, reports, look)
		}
	}
	return fmt.Errorf("unknown format %q", format)
}

// writeJSON writes one report as an object, several as a list.
func writeJSON(w io.Writer, reports []*Report, _ Look) error {
	if len(reports) == 1 {
		return Encode(w, reports[0])
	}
	return Encode(w, reports)
}

// Encode writes a value as JSON for people and programs, indented.
func Encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"

	"wiretea/session"
	"wiretea/session/mcp"
	"wiretea/ui/plain"
	"wiretea/ui/units"
)

// A report is what check says of a session, in either format.
type report struct {
	Tool            string          `json:"tool"`
	Source          string          `json:"source"`
	Era             string          `json:"era"`
	ProtocolVersion string          `json:"protocolVersion"`
	Frames          int64           `json:"frames"`
	Bytes           reportBytes     `json:"bytes"`
	Exchanges       reportExchanges `json:"exchanges"`
	Process         reportProcess   `json:"process"`
	Findings        []reportFinding `json:"findings"`
	Summary         map[string]int  `json:"summary"`

	findings []session.Finding
	gap      int64 // gap is how many bytes could not be recorded.
}

type reportBytes struct {
	C2S    int64 `json:"c2s"`
	S2C    int64 `json:"s2c"`
	Stderr int64 `json:"stderr"`
}

// reportExchanges counts requests. Pending are those without an answer, also
// those that were given up or whose connection ended.
type reportExchanges struct {
	Total   int64 `json:"total"`
	Pending int64 `json:"pending"`
	Errors  int64 `json:"errors"`
}

// reportProcess is the end of the last server process. State is none, running,
// exited, signalled or unknown (the recording breaks off before its end).
type reportProcess struct {
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal"`
	State    string `json:"state"`
}

type reportFinding struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Fault    string `json:"fault"`
	Frame    uint64 `json:"frame"`
	Count    int    `json:"count"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
	Ref      string `json:"ref"`
}

// newReport draws the report of a session from its snapshot. Source is the file
// or the command it came from; live says that nothing more would come although
// no end was recorded.
func newReport(source string, s *session.Snapshot) *report {
	t := s.Totals()
	r := &report{
		Tool: toolName, Source: source, Frames: t.Frames[session.C2S] + t.Frames[session.S2C] + t.Frames[session.Stderr],
		Bytes:     reportBytes{t.Bytes[session.C2S], t.Bytes[session.S2C], t.Bytes[session.Stderr]},
		Exchanges: reportExchanges{t.Exchanges, t.Pending + t.Cancelled + t.Lost, t.Errors},
		Process:   reportProcess{State: "none"},
		Findings:  []reportFinding{},
		Summary:   map[string]int{"error": 0, "warning": 0, "info": 0},
		findings:  s.Findings(),
		gap:       t.Gap,
	}
	if conns := s.Conns(); len(conns) > 0 {
		r.ofConn(conns[len(conns)-1], s.End() != nil)
	}
	sort.SliceStable(r.findings, func(i, j int) bool { return r.findings[i].Severity > r.findings[j].Severity })
	for _, f := range r.findings {
		r.Summary[f.Severity.String()]++
		r.Findings = append(r.Findings, reportFinding{
			f.Rule, f.Severity.String(), f.Fault.String(), f.N, f.Count, f.Message, f.Hint, f.Ref,
		})
	}
	return r
}

func (r *report) ofConn(c session.Conn, ended bool) {
	r.Era, r.ProtocolVersion = c.Era.String(), c.VersionText
	if r.ProtocolVersion == "" && c.Version != mcp.NoVersion {
		r.ProtocolVersion = c.Version.String()
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

func (r *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (r *report) writeText(w io.Writer, colour bool) error {
	era := "no protocol seen"
	if r.Era != "" {
		era = strings.TrimSpace(r.Era + " " + r.ProtocolVersion)
	}
	fmt.Fprintf(w, "%s\n%s · %s · %s, %d unanswered, %d answered by an error · %s\n", r.Source, era,
		units.Plural(r.Frames, "frame"), units.Plural(r.Exchanges.Total, "request"), r.Exchanges.Pending, r.Exchanges.Errors, r.Process.words())
	if r.gap > 0 {
		fmt.Fprintf(w, "✖ %s could not be recorded\n", units.Size(r.gap))
	}
	if len(r.findings) > 0 {
		fmt.Fprintln(w)
		plain.WriteFindings(w, r.findings, colour)
		fmt.Fprintln(w)
	}
	_, err := fmt.Fprintf(w, "%s, %s, %d info\n", units.Plural(int64(r.Summary["error"]), "error"),
		units.Plural(int64(r.Summary["warning"]), "warning"), r.Summary["info"])
	return err
}

func (p reportProcess) words() string {
	switch p.State {
	case "exited":
		return fmt.Sprintf("server exited with code %d", *p.ExitCode)
	case "signalled":
		return "server ended by " + p.Signal
	case "running":
		return "server still running at the end of the recording"
	case "unknown":
		return "the recording breaks off while the server runs"
	}
	return "no server process"
}

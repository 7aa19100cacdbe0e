package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/mcp"
)

// A report is what check says of a session. Its JSON is described by
// docs/check.schema.json.
type report struct {
	Tool            string          `json:"tool"`
	Source          string          `json:"source"`
	Era             string          `json:"era"`
	ProtocolVersion string          `json:"protocolVersion"`
	Frames          int64           `json:"frames"`
	Bytes           reportBytes     `json:"bytes"`
	Exchanges       reportExchanges `json:"exchanges"`
	Process         reportProcess   `json:"process"`
	Diagnosis       string          `json:"diagnosis"`
	Findings        []reportFinding `json:"findings"`
	Summary         map[string]int  `json:"summary"` // Summary counts the findings by severity: error, warning, info.

	verdict  *judgement
	findings []session.Finding // findings are those of the report, the worst first.

	failOn  session.Severity
	live    string   // live is the program that was started; empty = it is a recording.
	command []string // command is all of its words.
	gap     int64    // gap is how many bytes could not be recorded.
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
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Fault    string   `json:"fault"`
	Frame    uint64   `json:"frame"` // Frame is the record's number, 0 = it stands at none.
	Count    int      `json:"count"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint"`
	Ref      string   `json:"ref"`
	Breaks   []string `json:"breaks"` // Breaks are the clients that fail on it; never null.
}

// newReport draws the report of a recording as it stands, with nothing left out.
func newReport(source string, s *session.Snapshot) *report {
	return reportOf(source, new(policy).judge(evidenceOf{snap: s, probe: noConn}))
}

// reportOf draws the report of a session from its judgement. Source is the file
// or the command it came from.
func reportOf(source string, v *judgement) *report {
	s := v.snap
	t := s.Totals()
	r := &report{
		Tool: recorder.ToolName, Source: source, Frames: t.Frames[session.C2S] + t.Frames[session.S2C] + t.Frames[session.Stderr],
		Bytes:     reportBytes{t.Bytes[session.C2S], t.Bytes[session.S2C], t.Bytes[session.Stderr]},
		Exchanges: reportExchanges{t.Exchanges, t.Pending + t.Cancelled + t.Lost, t.Errors},
		Process:   reportProcess{State: "none"},
		Diagnosis: v.headline(),
		Findings:  []reportFinding{},
		Summary:   map[string]int{"error": 0, "warning": 0, "info": 0},
		verdict:   v,
		gap:       t.Gap,
	}
	for _, c := range s.Conns() {
		if !v.probe(c.ID) {
			r.ofConn(c, s.End() != nil)
		}
	}
	for i := range v.found {
		r.findings = append(r.findings, v.found[i].Finding)
	}
	sort.SliceStable(r.findings, func(i, j int) bool { return r.findings[i].Severity > r.findings[j].Severity })
	for i := range r.findings {
		r.add(&r.findings[i])
	}
	return r
}

func (r *report) add(f *session.Finding) {
	r.Summary[f.Severity.String()]++
	breaks := f.Breaks
	if breaks == nil {
		breaks = []string{}
	}
	r.Findings = append(r.Findings, reportFinding{
		f.Rule, f.Severity.String(), f.Fault.String(), f.N, f.Count, f.Message, f.Hint, f.Ref, breaks,
	})
}

// ofConn takes what is to be known of a connection. The process is that of the
// last one; era and version are all that were spoken.
func (r *report) ofConn(c session.Conn, ended bool) {
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

func (r *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// writeReports writes the reports in a format: several of one kind as a list.
func writeReports(w io.Writer, format string, reports []*report) error {
	switch format {
	case "json":
		if len(reports) == 1 {
			return reports[0].writeJSON(w)
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(reports)
	case "junit":
		return writeJUnit(w, reports)
	case "sarif":
		return writeSARIF(w, reports)
	case "github":
		return writeGitHub(w, reports)
	}
	return writeTexts(w, reports)
}

// reportFormats are the words of --format.
var reportFormats = []string{"text", "json", "junit", "sarif", "github"}

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

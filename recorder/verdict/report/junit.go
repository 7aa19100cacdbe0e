package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// The elements of JUnit's XML as CI systems read them: a suite a session, a case
// a finding. What --fail-on lets pass is a case that succeeds and says so.
type (
	JUnit struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func writeJUnit(w io.Writer, reports []*Report, _ Look) error {
	all := JUnit{Name: recorder.ToolName}
	var took time.Duration
	for _, r := range reports {
		suite := junitOf(r)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		took += time.Duration(r.verdict.Session.Snapshot.Clock())
		all.Suites = append(all.Suites, suite)
	}
	all.Time = junitSeconds(took)
	return all.write(w)
}

func (all *JUnit) write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitOf(r *Report) junitSuite {
	s := r.verdict.Session.Snapshot
	suite := junitSuite{
		Name: xmlText(r.Source), Time: junitSeconds(time.Duration(s.Clock())), Out: xmlText(r.Diagnosis),
		Properties: []junitProperty{{"era", r.Era}, {"protocolVersion", xmlText(r.ProtocolVersion)}, {"process", r.Process.String()}},
	}
	if h := s.Header(); h != nil && !h.T0.IsZero() {
		suite.Timestamp = h.T0.UTC().Format("2006-01-02T15:04:05")
	}
	for i := range r.verdict.Findings {
		suite.add(r, &r.verdict.Findings[i].Finding)
	}
	if len(suite.Cases) == 0 {
		suite.Cases = []junitCase{{Class: "wiretea.check", Name: "no findings", Time: suite.Time}}
	}
	suite.Tests = len(suite.Cases)
	return suite
}

func (suite *junitSuite) add(r *Report, f *session.Finding) {
	name := f.Rule
	if f.N > 0 {
		name += fmt.Sprintf(" #%d", f.N)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\n", f.Severity, f.Message)
	for _, line := range [][2]string{{"fault", f.Fault.String()}, {"breaks", strings.Join(f.Breaks, ", ")}, {"hint", f.Hint}, {"spec", f.Ref}} {
		if line[1] != "" {
			fmt.Fprintf(&text, "%s: %s\n", line[0], line[1])
		}
	}
	c := junitCase{Class: "wiretea." + f.Rule, Name: xmlText(name), Time: "0"}
	if f.Severity >= r.verdict.FailOn() {
		suite.Failures++
		c.Failure = &junitFailure{Message: xmlText(f.Message), Type: f.Severity.String(), Text: xmlText(text.String())}
	} else {
		c.Out = xmlText(text.String())
	}
	suite.Cases = append(suite.Cases, c)
}

func junitSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// xmlText is text without the characters that XML 1.0 cannot have, not even
// escaped.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r', r >= 0x20 && r <= 0xd7ff, r >= 0xe000 && r <= 0xfffd, r >= 0x10000:
			return r
		}
		return '\ufffd'
	}, text)
}

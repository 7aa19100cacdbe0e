package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/format"
)

// writeGitHub writes workflow commands, which GitHub Actions shows as annotations:
// one for each finding. The diagnosis comes first, in the log.
func writeGitHub(w io.Writer, reports []*Report, _ Look) error {
	for _, r := range reports {
		v := r.verdict
		if v.Sentence != "" {
			// A line that a server wrote must not become a command.
			if _, err := fmt.Fprintf(w, "%s: %s\n", logText(r.Source), logText(v.Headline())); err != nil {
				return err
			}
		}
		for i := range v.Findings {
			if err := writeCommand(w, r, &v.Findings[i].Finding); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "%s: %s, %s, %d info\n", logText(r.Source), format.Plural(int64(r.Summary["error"]), "error"), format.Plural(int64(r.Summary["warning"]), "warning"), r.Summary["info"]); err != nil {
			return err
		}
	}
	return nil
}

func writeCommand(w io.Writer, r *Report, f *session.Finding) error {
	command := "notice"
	switch f.Severity {
	case session.Error:
		command = "error"
	case session.Warning:
		command = "warning"
	case session.Info, session.NoSeverity:
	}
	text := format.Line(f.Message)
	if f.Count > 1 {
		text += fmt.Sprintf(" (%d times)", f.Count)
	}
	if f.Hint != "" {
		text += "\nhint: " + format.Line(f.Hint)
	}
	if len(f.Breaks) > 0 {
		text += "\nbreaks: " + strings.Join(f.Breaks, ", ")
	}
	if f.Ref != "" {
		text += "\n" + f.Ref
	}
	title := f.Rule
	if f.N > 0 {
		title += fmt.Sprintf(" #%d", f.N)
	}
	_, err := fmt.Fprintf(w, "::%s title=%s::%s\n", command, propertyText(title+" · "+format.Line(r.Source)), dataText(text))
	return err
}

// logText makes a text one line of the log that is not taken for a workflow command.
func logText(text string) string {
	text = format.Line(text)
	if strings.HasPrefix(strings.TrimSpace(text), "::") || strings.HasPrefix(strings.TrimSpace(text), "##[") {
		text = "'" + text
	}
	return text
}

// dataText and propertyText escape as the runner unescapes them.
func dataText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func propertyText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}

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

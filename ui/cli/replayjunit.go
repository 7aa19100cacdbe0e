package cli

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/replay"
	"wiretea/session/jsonrpc"
	"wiretea/ui/format"
)

// writeReplayJUnit writes a report with a test for each request of the client's that
// was reached, and one for what belongs to none.
func writeReplayJUnit(file, recording string, played []playedScript) error {
	all := junitSuites{Name: recorder.ToolName}
	name := xmlText(filepath.Base(recording))
	var took time.Duration
	for _, p := range played {
		suite := junitSuite{Name: name, Time: junitSeconds(p.took)}
		if len(played) > 1 {
			suite.Name += fmt.Sprintf(" connection %d", p.script.Conn)
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
		took += p.took
		all.Suites = append(all.Suites, suite)
	}
	all.Time = junitSeconds(took)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte(xml.Header), append(text, '\n')...), 0o644)
}

func (s *junitSuite) cases(class string, p playedScript) {
	failures := map[int32]*junitFailure{}
	for _, d := range p.got.First {
		f := failures[d.Request]
		if f == nil {
			f = &junitFailure{Message: inAttribute(fmt.Sprintf("frame %d: %s", d.N, d.Why)), Type: d.Kind.String()}
			failures[d.Request] = f
		}
		var b strings.Builder
		(&replayPrinter{out: &b}).found(&d)
		f.Text += xmlText(b.String())
	}
	for i := range p.script.Messages {
		m := &p.script.Messages[i]
		if m.Kind != jsonrpc.Request || m.Sender != replay.FromClient {
			continue
		}
		failure := failures[int32(i)]
		if failure == nil && p.got.Stopped && p.got.Took[i] == 0 {
			continue // not reached
		}
		s.Cases = append(s.Cases, junitCase{Class: class, Name: fmt.Sprintf("frame %d %s", p.script.Steps[m.Step].N, inAttribute(strings.TrimSpace(m.Method+" "+m.Target))),
			Time: fmt.Sprintf("%.6f", p.got.Took[i].Seconds()), Failure: failure})
	}
	s.Cases = append(s.Cases, junitCase{Class: class, Name: "notifications, other output and the end", Time: "0", Failure: failures[-1]})
}

// inAttribute is a text as an attribute of XML.
func inAttribute(text string) string { return xmlText(format.Visible([]byte(text), 300)) }

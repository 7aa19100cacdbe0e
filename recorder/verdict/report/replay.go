package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/replay"
	"wiretea/session/jsonrpc"
	"wiretea/ui/format"
)

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
func inAttribute(text string) string { return xmlText(format.Visible([]byte(text), 300)) }

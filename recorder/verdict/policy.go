package verdict

import (
	"fmt"
	"path"
	"strings"
	"time"

	"wiretea/recorder/statistics"
	"wiretea/session"
	"wiretea/session/text"
)

// A Policy says which findings of a session count, and as what. The zero Policy counts
// all, and fails on each.
type Policy struct {
	FailOn   session.Severity            // FailOn is the lowest severity that fails.
	Severity map[string]session.Severity // Severity replaces the severity of rules, by id.
	Ignore   map[string]bool             // Ignore leaves out the findings of rules, by id.
	Latency  []LatencyLimit              // Latency limits how long requests may take.
	Context  int64                       // Context limits the estimated tokens of the tools and the instructions; 0 = it does not.
	Baseline *Baseline                   // Baseline leaves out what was found before; nil leaves out nothing.
}

// A LatencyLimit is how long a request may take.
type LatencyLimit struct {
	Method string // Method is a pattern as of path.Match; "*" matches every method.
	Limit  time.Duration
}

// slow returns a finding for each kind of request that took longer than its limit.
// Connections for which skip holds are not judged.
func (p *Policy) slow(s *session.Snapshot, skip func(conn int) bool) (found []session.Finding) {
	if len(p.Latency) == 0 {
		return nil
	}
	places := map[string]int{} // by request: the place of its finding
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowRequest || row.Stream != session.C2S || skip(int(row.Conn)) {
			continue
		}
		what := strings.TrimSpace(s.Name(row.Method) + " " + s.Name(row.Target))
		limit, limited := p.limitOf(s.Name(row.Method))
		took, answered := s.Latency(i)
		// What was held on the way, or answered here, says nothing of the server.
		ours := row.Flags&session.FlagDecided != 0
		if !limited || !answered || ours || took <= int64(limit) {
			continue
		}
		f := at(Found(maxLatency, fmt.Sprintf("%s took %s, more than %v", what, latencyWords(took), limit)), s, i)
		place, again := places[what]
		if !again {
			places[what] = len(found)
			found = append(found, f)
			continue
		}
		// The slowest request represents all.
		f.Count = found[place].Count + 1
		if slowest, _ := s.Latency(found[place].Row); slowest >= took {
			found[place].Count++
			continue
		}
		found[place] = f
	}
	return found
}

// tooLarge returns a finding where the tools and the instructions take more tokens than
// the limit.
func (p *Policy) tooLarge(s *session.Snapshot, c *statistics.Context) []session.Finding {
	if p.Context == 0 || c == nil || c.Tokens() <= p.Context {
		return nil
	}
	words := fmt.Sprintf("%s take about %s tokens in every conversation, more than %s; the largest: %s",
		c.What(), statistics.AboutTokens(c.Tokens()), text.Count(p.Context), c.Largest(3))
	return []session.Finding{at(Found(maxContext, words), s, c.Tools.Row)}
}

// latencyWords writes a span, rounded to milliseconds.
func latencyWords(ns int64) string {
	d := time.Duration(ns)
	if d < time.Millisecond {
		return d.Round(time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// limitOf returns the limit of a method. A limit that names the method goes before a
// pattern.
func (p *Policy) limitOf(method string) (limit time.Duration, limited bool) {
	for _, l := range p.Latency {
		if l.Method == method {
			return l.Limit, true
		}
		// path.Match matches no slash with *.
		if match, _ := path.Match(l.Method, method); !limited && (match || l.Method == "*") {
			limit, limited = l.Limit, true
		}
	}
	return limit, limited
}

package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"wiretea/recorder/cost"
	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/lazy"
	"wiretea/ui/format"
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
func (p *Policy) tooLarge(s *session.Snapshot, c *cost.Context) []session.Finding {
	if p.Context == 0 || c == nil || c.Tokens() <= p.Context {
		return nil
	}
	words := fmt.Sprintf("%s take about %s tokens in every conversation, more than %s; the largest: %s",
		c.What(), cost.About(c.Tokens()), format.Count(p.Context), c.Largest(3))
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

// A Baseline is what an earlier check found.
type Baseline struct{ seen map[string]bool } // by fingerprint

// ReadBaseline reads a report of one session or several, as JSON.
func ReadBaseline(file string) (*Baseline, error) {
	type report struct {
		Findings []struct{ Rule, Fault, Message string }
	}
	text, err := atomicfile.Read(file, longest)
	if err != nil {
		return nil, err
	}
	var reports []report
	if err := json.Unmarshal(text, &reports); err != nil {
		var one report
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		reports = []report{one}
	}
	b := &Baseline{seen: map[string]bool{}}
	for _, r := range reports {
		if r.Findings == nil {
			return nil, fmt.Errorf("%s is not a report written by check", file)
		}
		for _, f := range r.Findings {
			b.seen[Fingerprint(f.Rule, f.Fault, f.Message)] = true
		}
	}
	return b, nil
}

// has reports whether a finding was there before; false where b is nil.
func (b *Baseline) has(f *session.Finding) bool {
	return b != nil && b.seen[Fingerprint(f.Rule, f.Fault.String(), f.Message)]
}

// figures match numbers that differ from run to run, as times, sizes, frames and pids,
// and not those that are part of a name.
var figures = lazy.Regexp{Text: `(^|[^\pL\d_.-])[#+-]?\d[\d.,:]*`}

// Fingerprint identifies a finding from run to run: figures in it do not count.
func Fingerprint(rule, fault, message string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", rule, fault, figures.Get().ReplaceAllString(message, "${1}0")))
	return hex.EncodeToString(sum[:16])
}

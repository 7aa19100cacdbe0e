package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/lazy"
)

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

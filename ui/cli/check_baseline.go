package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sync"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// A baseline is what an earlier check found, by fingerprint.
type baseline struct{ seen map[string]bool }

// readBaseline reads what --format json has written, of one session or several.
func readBaseline(file string) (*baseline, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, term.Usage("wiretea check --format json … > "+file+" writes one", "--baseline: %w", err)
	}
	var reports []report
	if err := json.Unmarshal(text, &reports); err != nil {
		var one report
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, term.Usage("wiretea check --format json … > "+file+" writes one", "--baseline: %s: %w", file, err)
		}
		reports = []report{one}
	}
	b := &baseline{seen: map[string]bool{}}
	for i := range reports {
		if reports[i].Findings == nil {
			return nil, term.Usage("wiretea check --format json … > "+file+" writes one", "--baseline: %s is not a report written by check", file)
		}
		for _, f := range reports[i].Findings {
			b.seen[fingerprint(f.Rule, f.Fault, f.Message)] = true
		}
	}
	return b, nil
}

// has reports whether a finding was there before. b may be nil: then none was.
func (b *baseline) has(f *session.Finding) bool {
	return b != nil && b.seen[fingerprint(f.Rule, f.Fault.String(), f.Message)]
}

// figures are numbers that differ from run to run: times, sizes, frames, pids,
// not those that are a part of a name.
var figures = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\pL\d_.-])[#+-]?\d[\d.,:]*`) })

// fingerprint is the same for a finding that is found again: it has no figures.
func fingerprint(rule, fault, message string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", rule, fault, figures().ReplaceAllString(message, "${1}0")))
	return hex.EncodeToString(sum[:16])
}

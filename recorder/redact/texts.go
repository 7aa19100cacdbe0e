package redact

import (
	"context"
	"strings"
	"sync"

	"wiretea/recorder"
	"wiretea/recorder/redact/secrets"
)

// Texts returns a function that takes the secrets of a log out of texts about it that
// others will read, such as findings in the log of a build. The log is read when the
// first text comes; of one that cannot be read only those secrets are taken out that a
// text shows by itself. Placeholders have no numbers, so that the texts of two sessions
// can be compared, and the names of home folders stay.
func Texts(ctx context.Context, log recorder.Log) func(text string) string {
	learned := sync.OnceValue(func() *Redactor {
		if log != nil {
			if r, err := Learn(ctx, log, Options{keepHomes: true}); err == nil {
				return r
			}
		}
		r := newRedactor(log, Options{keepHomes: true})
		r.find = newMatcher(r.known)
		return r
	})
	return func(text string) string {
		if text == "" {
			return ""
		}
		r := learned()
		return secrets.Unnumbered(r.withoutBeginnings(r.Text(text)))
	}
}

// Bounds of the search for the beginnings of secrets.
const (
	leastBeginning = 4
	maxBeginnings  = 10_000 // maxBeginnings is how many secrets are looked for.
)

// withoutBeginnings takes out what is left of secrets where a text was cut, which an
// ellipsis shows.
func (r *Redactor) withoutBeginnings(text string) string {
	const ellipsis = "…"
	parts := strings.Split(text, ellipsis)
	for i, part := range parts[:len(parts)-1] {
		most := leastBeginning - 1
		for _, s := range r.known.list[:min(len(r.known.list), maxBeginnings)] {
			for n := min(len(s.value)-1, len(part)); n > most; n-- {
				if strings.HasSuffix(part, s.value[:n]) {
					most = n
					break
				}
			}
		}
		if most >= leastBeginning {
			parts[i] = part[:len(part)-most] + "redacted"
		}
	}
	return strings.Join(parts, ellipsis)
}

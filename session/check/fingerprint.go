package check

import (
	"crypto/sha256"
	"io"

	"wiretea/session/check/rule"
)

// Fingerprint changes when a rule changes, is added or removed: sessions that
// were judged with another fingerprint may be judged differently today.
func Fingerprint() (mark [sha256.Size]byte) {
	h := sha256.New()
	io.WriteString(h, rule.Source) // It never fails.
	var text []byte
	for _, f := range families {
		for _, r := range f.Rules {
			text = appendRule(text[:0], r)
			h.Write(text)
		}
	}
	h.Sum(mark[:0])
	return mark
}

// appendRule appends every field of a rule and the clients that it breaks.
func appendRule(b []byte, r *rule.Rule) []byte {
	part := func(text string) { b = append(append(b, text...), 0) }
	part(r.ID)
	b = append(b, byte(r.Severity), byte(r.Fault), byte(r.Since), byte(r.Until))
	if r.Check != nil {
		b = append(b, 1)
	}
	if r.Alone {
		b = append(b, 2)
	}
	if r.Timed {
		b = append(b, 3)
	}
	if r.NeedsAll {
		b = append(b, 4)
	}
	for _, name := range r.Clients() {
		part(name)
	}
	return append(b, '\n')
}

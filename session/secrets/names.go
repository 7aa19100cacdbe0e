package secrets

import (
	"bytes"
	_ "embed"
	"strings"

	"wiretea/session/lazy"
)

//go:embed names.txt
var namesText string

// names are the lists of words of namesText.
var names = lazy.Value[map[string][]string]{New: func() map[string][]string {
	all := map[string][]string{}
	for line := range lazy.Lines(namesText) {
		words := strings.Fields(line)
		all[words[0]] = append(all[words[0]], words[1:]...)
	}
	return all
}}

// A set is a list of namesText to look words up in.
type set struct {
	list string
	made lazy.Value[map[string]bool]
}

func (s *set) get() map[string]bool { return s.made.From(s.split) }

func (s *set) split() map[string]bool {
	m := make(map[string]bool)
	for _, w := range names.Get()[s.list] {
		m[w] = true
	}
	return m
}

// The sets of names.
var (
	whole        = set{list: "whole"}
	last         = set{list: "last"}
	digits       = set{list: "digits"}
	prosaic      = set{list: "prosaic"}
	weak         = set{list: "weak"}
	harmless     = set{list: "harmless"}
	unremarkable = set{list: "unremarkable"}
)

// byLast are the endings that make a name secret, by their last two letters.
var byLast = lazy.Value[*[pairs][]string]{New: func() *[pairs][]string {
	var by [pairs][]string
	for _, e := range names.Get()["endings"] {
		p := pair(e[len(e)-2], e[len(e)-1])
		by[p] = append(by[p], e)
	}
	return &by
}}

// pairs is how many numbers two bytes may have in a table of words; see pair.
const pairs = 1 << 10

// pair is the number of two bytes, which few other letters have too.
func pair(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// wholeLengths has a bit for each length, in bytes, of a whole name by its first letter, as
// nearly all names are of neither.
var wholeLengths = lazy.Value[*[256]uint64]{New: func() *[256]uint64 {
	var by [256]uint64
	for w := range whole.get() {
		by[w[0]] |= 1 << len(w)
	}
	return &by
}}

// endsLast reports whether one of the last words ends in a letter.
func endsLast(c byte) bool { return c == 's' || c == 'w' || c == 'd' || c == 'h' }

// Named reports whether a field or parameter of that name usually holds a secret.
func Named(name string) bool { return new(Finder).secretName([]byte(name)) }

// secretName reports whether a member of that name holds a secret.
func (f *Finder) secretName(name []byte) bool {
	if len(name) < 2 || len(name) > 80 {
		return false
	}
	var buf [80]byte
	plain := appendPlain(buf[:0], name)
	for _, own := range f.Names {
		if string(plain) == plainName(own) {
			return true
		}
	}
	if len(plain) < 2 {
		return false
	}
	for _, e := range byLast.Get()[pair(plain[len(plain)-2], plain[len(plain)-1])] {
		if bytes.HasSuffix(plain, []byte(e)) {
			return !harmless.get()[string(plain)]
		}
	}
	if bare := bytes.TrimPrefix(plain, []byte("x")); len(bare) > 0 && wholeLengths.Get()[bare[0]]>>len(bare)&1 != 0 && whole.get()[string(bare)] {
		return true
	}
	if !endsLast(plain[len(plain)-1]) {
		return false
	}
	word := lastWord(name)
	return word != nil && last.get()[string(appendPlain(buf[:0], word))]
}

// lastWord is the last word of a name of several, nil of one that is one word.
func lastWord(name []byte) []byte {
	for i := len(name) - 1; i > 0; i-- {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			return name[i+1:]
		case c >= 'A' && c <= 'Z' && (name[i-1] >= 'a' && name[i-1] <= 'z' || digit(name[i-1])):
			return name[i:]
		}
	}
	return nil
}

// plainName is a name in lower case without what separates its words.
func plainName[T string | []byte](name T) string { return string(appendPlain(nil, name)) }

func appendPlain[T string | []byte](out []byte, name T) []byte {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			out = append(out, c|0x20)
		case c == '_' || c == '-' || c == '.' || c == ' ':
		default:
			out = append(out, c)
		}
	}
	return out
}

// public reports whether what has such a name looks random and is none of
// anybody's business: ids and cursors, which must stay what they are, and hashes.
func public(name []byte) bool {
	for _, end := range []string{"Id", "Ids", "_id", "_ids", "-id", "-ids", "-Id", " id", " ids", " Id", " ID", "ID", "IDs"} {
		before, found := bytes.CutSuffix(name, []byte(end))
		if found && len(before) > 0 && (end[0] != 'I' || !upper(before[len(before)-1])) {
			return true
		}
	}
	plain := plainName(name)
	for _, end := range names.Get()["publicEndings"] {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return unremarkable.get()[plain]
}

// telling reports whether a secret is spoken of in a name, wherever: mySecretString.
func telling(name []byte) bool {
	plain := plainName(name)
	for _, part := range []string{"secret", "token", "password", "credential", "apikey", "auth"} {
		if strings.Contains(plain, part) {
			return true
		}
	}
	return strings.HasSuffix(plain, "key") || plain == "appid"
}

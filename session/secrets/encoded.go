package secrets

import (
	"bytes"
	"compress/gzip"
	b64 "encoding/base64"
	"io"
	"iter"
	"unicode/utf8"
)

const (
	maxEncoded   = 2       // maxEncoded is how many encodings are looked through, base64 and gzip together being one.
	leastEncoded = 16      // leastEncoded is the length of base64 that is looked into.
	maxToken     = 1 << 20 // maxToken is the length of what is looked into, coded or not.
)

// encodedSecret takes a run of base64 in which a secret is. It reports whether the run
// is base64 of a text, which then is not random.
func (s *scan) encodedSecret(from, end int) bool {
	if s.encoded >= maxEncoded {
		return false
	}
	plain := Decoded(s.text[from:end])
	if plain == nil {
		return false
	}
	for _, inner := range s.f.find(plain, s.encoded+1) {
		s.add(from, end, inner.Kind)
		break
	}
	return true
}

// Runs yields where the runs of base64 are in a text that are long enough to be looked
// into: from and to.
func Runs(text []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		classes := classes.Get()
		for i := 0; i < len(text); i++ {
			from := i
			for i < len(text) && classes[text[i]] == letter {
				i++
			}
			if i-from < leastEncoded {
				continue
			}
			for i < len(text) && text[i] == '=' {
				i++
			}
			if !yield(from, i) {
				return
			}
		}
	}
}

// Decoded returns the text that a run of base64 stands for, unzipped where it was
// zipped; nil where that is not text.
func Decoded(run []byte) []byte {
	if len(run) < leastEncoded || len(run) > maxToken {
		return nil
	}
	run = bytes.TrimRight(run, "=")
	coding := b64.RawStdEncoding
	if bytes.IndexByte(run, '-') >= 0 || bytes.IndexByte(run, '_') >= 0 {
		coding = b64.RawURLEncoding
	}
	var begin [12]byte
	if n, err := coding.Decode(begin[:], run[:leastEncoded]); err != nil || !printable(begin[:n]) && !zipped(begin[:n]) {
		return nil
	}
	plain, err := coding.AppendDecode(nil, run)
	if err != nil {
		return nil
	}
	if zipped(plain) {
		return unzipped(plain)
	}
	if !printable(plain) || !utf8.Valid(plain) {
		return nil
	}
	return plain
}

// printable reports whether bytes have no control characters but white space.
func printable(p []byte) bool {
	for _, c := range p {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return utf8.Valid(p[:wholeRunes(p)])
}

// wholeRunes is the length of bytes without a rune at the end that is cut.
func wholeRunes(p []byte) int {
	for n := len(p) - 1; n >= max(0, len(p)-utf8.UTFMax); n-- {
		if utf8.RuneStart(p[n]) {
			if !utf8.FullRune(p[n:]) {
				return n
			}
			break
		}
	}
	return len(p)
}

func zipped(p []byte) bool { return len(p) > 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 }

// unzipped returns the beginning of what was zipped, nil where nothing was.
func unzipped(p []byte) []byte {
	if !zipped(p) {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(p))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(io.LimitReader(r, maxToken)) // of what is broken, what there is
	return plain
}

package recorder

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSeal: a seal depends on the key, the head and each byte of the payload, and not on the
// pieces that it is written in.
func TestSeal(t *testing.T) {
	payload := make([]byte, 3*sealChunk+16)
	rand.NewChaCha8([32]byte{1}).Read(payload)
	of := func(key, head string, payload []byte, pieces ...int) string {
		s := newSeal([]byte(key), []byte(head))
		s.Write(payload[:0])
		for _, n := range pieces {
			s.Write(payload[:n])
			payload = payload[n:]
		}
		s.Write(payload)
		return string(s.sum())
	}
	want := of("key", "head", payload)
	for _, pieces := range [][]int{{1}, {sealChunk}, {sealChunk - 1, 1}, {sealChunk - 1, 2}, {5, 2 * sealChunk}, {3 * sealChunk}} {
		if of("key", "head", payload, pieces...) != want {
			t.Errorf("pieces of %v bytes have another seal", pieces)
		}
	}
	altered := func(at int) []byte {
		p := bytes.Clone(payload)
		p[at] ^= 1
		return p
	}
	for name, got := range map[string]string{
		"key": of("kez", "head", payload), "head": of("key", "heae", payload), "first byte": of("key", "head", altered(0)), "second chunk": of("key", "head", altered(sealChunk)),
		"last byte": of("key", "head", altered(len(payload)-1)), "shorter": of("key", "head", payload[:len(payload)-1]), "without the last chunk": of("key", "head", payload[:3*sealChunk]),
		"empty": of("key", "head", nil), "head and payload shifted": of("key", "hea", append([]byte("d"), payload...)),
		"chunks in another order": of("key", "head", slices.Concat(payload[sealChunk:2*sealChunk], payload[:sealChunk], payload[2*sealChunk:])),
	} {
		if got == want {
			t.Errorf("%s: the same seal", name)
		}
	}
}

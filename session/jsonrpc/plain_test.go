package jsonrpc

import (
	"bytes"
	"testing"
)

// TestPlain puts every byte in every place of texts of many lengths, and has each of
// the ways find it.
func TestPlain(t *testing.T) {
	for _, length := range []int{0, 1, 7, 8, 31, 32, 33, 63, 64, 95, 96, 97, 127, 128, 160, 200} {
		for from := range min(length+1, 9) {
			for at := from; at <= length; at++ {
				for _, c := range []byte{0, 1, '\n', 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7e, 0x7f, 0x80, 0xc3, 0xff} {
					p := bytes.Repeat([]byte("x"), length)
					want := length
					if at < length {
						p[at] = c
						if c < ' ' || c == '"' || c == '\\' || c > 0x7f {
							want = at
						}
					}
					// What lies before the beginning and behind the end must not count.
					all := append(append([]byte{'"'}, p...), bytes.Repeat([]byte{'"'}, 64)...)
					p = all[1 : 1+length]
					if got := plain(p, from); got != want {
						t.Fatalf("plain(%q, %d) = %d, want %d", p, from, got, want)
					}
					if got := plainLong(p, from); got != want {
						t.Fatalf("plainLong(%q, %d) = %d, want %d", p, from, got, want)
					}
					if !wide {
						continue
					}
					if got := plainBlocks(p[from:]); got > want-from || want-from-got >= 64 || got%64 != 0 {
						t.Fatalf("plainBlocks(%q) = %d, want the blocks before %d", p[from:], got, want-from)
					}
				}
			}
		}
	}
}

// BenchmarkPlain reads long plain text by words and by blocks.
func BenchmarkPlain(b *testing.B) {
	p := bytes.Repeat([]byte("The quick brown fox. "), 64<<10/21)
	for name, find := range map[string]func([]byte, int) int{"words": plain, "blocks": plainLong} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for range b.N {
				if find(p, 0) != len(p) {
					b.Fatal("found something")
				}
			}
		})
	}
}

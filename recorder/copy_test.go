package recorder

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestCopy holds that a copy has every whole record and not the beginning of one
// that is being written.
func TestCopy(t *testing.T) {
	long := strings.Repeat("x", 3*readSize)
	for name, c := range map[string]struct{ log, want string }{
		"empty":        {"", ""},
		"whole":        {"a\nb\n", "a\nb\n"},
		"torn":         {"a\nb", "a\n"},
		"only torn":    {"a", ""},
		"long records": {long + "\n" + long + "\nrest", long + "\n" + long + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			sink := NewMemory(64 << 20)
			sink.write([]byte(c.log))
			var out bytes.Buffer
			if _, err := CopyFrom(&out, sink, 0); err != nil || out.String() != c.want {
				t.Errorf("%d bytes, %v; want %d bytes", out.Len(), err, len(c.want))
			}
		})
	}
	sink := NewMemory(8)
	sink.write([]byte("head\n"))
	for range 3 {
		sink.write([]byte(strings.Repeat("x", tailChunk) + "\n"))
	}
	if _, err := CopyFrom(io.Discard, sink, 0); !errors.Is(err, ErrEvicted) {
		t.Errorf("a log that has forgotten: %v", err)
	}
}

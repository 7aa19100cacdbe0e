package verdict

import (
	"testing"
)

func TestFingerprint(t *testing.T) {
	for _, same := range [][2]string{
		{"server exited with code 3, 51 ms after tools/call #7", "server exited with code 3, 2.5 ms after tools/call #12"},
		{"1 process of the server outlived it: pid 123", "1 process of the server outlived it: pid 99"},
	} {
		if Fingerprint("r", "server", same[0]) != Fingerprint("r", "server", same[1]) {
			t.Errorf("%q and %q are two", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{`tool "add2" has no inputSchema`, `tool "add3" has no inputSchema`},
		{`tool "v1.2" has no inputSchema`, `tool "v1.3" has no inputSchema`},
		{"a", "b"},
	} {
		if Fingerprint("r", "server", other[0]) == Fingerprint("r", "server", other[1]) {
			t.Errorf("%q and %q are one", other[0], other[1])
		}
	}
	if Fingerprint("r", "server", "a") == Fingerprint("s", "server", "a") || Fingerprint("r", "server", "a") == Fingerprint("r", "client", "a") {
		t.Error("rule and fault do not count")
	}
}

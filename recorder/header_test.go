package recorder

import (
	"slices"
	"testing"

	"wiretea/session"
)

// TestHeaderAs holds that how we behaved as the client is read as it was written,
// and that a header without it has none.
func TestHeaderAs(t *testing.T) {
	for _, as := range [][]string{nil, {"--client-info", `{"name":"é \"x\""}`, "--root", "/a b"}} {
		h := mustRead(t, appendHeader(nil, &session.Header{SID: "00", As: as}))[0].Header
		if !slices.Equal(h.As, as) {
			t.Errorf("%q became %q", as, h.As)
		}
	}
}

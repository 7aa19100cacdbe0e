package capture

import (
	"slices"
	"testing"

	"wiretea/session"
)

// TestHeaderShown holds that a header has the words of a command as the configuration
// wrote them, without what was filled in.
func TestHeaderShown(t *testing.T) {
	p := &Process{Argv: []string{"x", "s3cret"}, Shown: []string{"x", "${TOKEN}"}, Env: []string{"KEY=s3cret"}}
	var h session.Header
	p.Describe(&h)
	if !slices.Equal(h.Cmd, p.Shown) || !slices.Equal(h.EnvKeys, []string{"KEY"}) {
		t.Errorf("%+v", h)
	}
	p.Shown = nil
	if p.Describe(&h); !slices.Equal(h.Cmd, p.Argv) {
		t.Errorf("%+v", h)
	}
}

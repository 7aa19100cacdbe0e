package flags

import (
	"testing"

	"wiretea/recorder"
)

func TestRingFlag(t *testing.T) {
	for text, want := range map[string]recorder.Ring{
		"size=64MiB,files=8": {Size: 64 << 20, Files: 8},
		"files=3,size=1MB":   {Size: 1e6, Files: 3},
		"size=64KiB":         {Size: 64 << 10, Files: 8},
	} {
		var f ringFlag
		if err := f.Set(text); err != nil || recorder.Ring(f) != want {
			t.Errorf("%s is %+v (%v), want %+v", text, f, err, want)
		}
		var again ringFlag
		if err := again.Set(f.String()); err != nil || again != f {
			t.Errorf("%s is written as %s, which is %+v (%v)", text, f.String(), again, err)
		}
	}
	for _, text := range []string{"", "64MiB", "size=", "size=10k", "size=1MB,files=1", "size=1MB,files=x", "size=1MB,age=3"} {
		var f ringFlag
		if err := f.Set(text); err == nil {
			t.Errorf("%q is taken for %+v", text, f)
		}
	}
}

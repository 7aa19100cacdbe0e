package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiretea/recorder"
	"wiretea/ui/cli/term"
)

// TestCallPrunes removes what is too much in the sessions folder, whether the server
// could be started or not, and says so once.
func TestCallPrunes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server string
		code   int
	}{
		"healthy": {"wiretea demo --server healthy", term.ExitFine},
		"none":    {filepath.Join(t.TempDir(), "none"), term.ExitServer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i := range recorder.DefaultPolicy.Keep + 1 {
				// With the session that begins there are two too many.
				file := filepath.Join(dir, fmt.Sprintf("20200102-0000%02d-old-1%s", i, recorder.Suffix))
				writeFile(t, file, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"00","t0":"2020-01-01T00:00:00Z"}`+"\n")
				if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour*24*50)); err != nil {
					t.Fatal(err)
				}
			}
			o := wiretea(t, "", append([]string{"call", "tools/list", "--sessions", dir, "--"}, strings.Fields(c.server)...)...)
			if o.code != c.code || strings.Count(o.err, "removed: 2 old sessions beyond ") != 1 {
				t.Errorf("%v", o)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*"+recorder.Suffix))
			if err != nil || len(left) != recorder.DefaultPolicy.Keep {
				t.Errorf("%d files are left, %v", len(left), err)
			}
		})
	}
}

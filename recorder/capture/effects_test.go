package capture

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/session/path"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestFaultEffects holds for every kind of fault what is different for the two sides of a
// conversation in which one request, or one response, has met it: the bytes, in their pieces, at
// their times.
func TestFaultEffects(t *testing.T) {
	for over, play := range ways {
		name := map[path.Where]string{path.Stdio: "stdio", path.HTTP: "http"}[over]
		var without played
		never := parsed(t, []string{"m:never: drop"}) // With a fault, every message is looked at.
		synctest.Test(t, func(t *testing.T) { without = play(t, said(9, 13), never) })
		for _, k := range path.FaultKinds() {
			if k.Where != path.Everywhere && k.Where != over {
				continue
			}
			t.Run(name+" "+k.Name, func(t *testing.T) {
				var text strings.Builder
				for _, filter := range []string{"m:tools/call is:request", "m:tools/call is:response", "m:tools/list is:response"} {
					specs := []string{filter + ": " + brief(k) + " n=1 seed=7"}
					faults := parsed(t, specs)
					var p played
					synctest.Test(t, func(t *testing.T) { p = play(t, said(9, 13), faults) })
					if !strings.Contains(strings.Join(p.Record, ""), `"by":"fault: `+k.Name) {
						continue // It does not apply there.
					}
					fmt.Fprintf(&text, "%s\n", specs[0])
					changes(&text, "server", without.Server, p.Server)
					changes(&text, "client", without.Client, p.Client)
				}
				if text.Len() == 0 {
					t.Error("the fault met nothing")
				}
				golden(t, filepath.Join("testdata", "effects", name+"-"+k.Name+".golden"), text.String())
			})
		}
	}
}

// changes writes which pieces a side receives in place of others.
func changes(text *strings.Builder, who string, without, with []string) {
	for _, list := range []struct {
		verb      string
		some, all []string
	}{{"does not receive", without, with}, {"receives", with, without}} {
		rest := slices.Clone(list.all)
		for _, piece := range list.some {
			if i := slices.Index(rest, piece); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
				continue
			}
			fmt.Fprintf(text, "  the %s %s %s\n", who, list.verb, shortened(piece))
		}
	}
}

// shortened leaves out the middle of what is very long.
func shortened(piece string) string {
	const most = 600
	if len(piece) <= most {
		return piece
	}
	return fmt.Sprintf("%s … %d bytes … %s", piece[:most/2], len(piece)-most, piece[len(piece)-most/2:])
}

// golden compares a text with a file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestGivenUp holds that what the server sent is in the record, also where the client has given
// up while a fault kept it back: the server did answer.
func TestGivenUp(t *testing.T) {
	for _, kind := range []string{"delay(10s)", "hang(10s)"} {
		faults := parsed(t, []string{"m:tools/ is:response: " + kind})
		var p played
		synctest.Test(t, func(t *testing.T) {
			p = playProxy(t, said(9, 13), faults)
			time.Sleep(think) // The server ends after its clients.
		})
		record := strings.Join(p.Record, "")
		if n := strings.Count(record, `"by":"fault: `+kind); n != 6 { // Bodies, and events.
			t.Errorf("%s: %d responses that were kept back, want 6:\n%s", kind, n, record)
		}
	}
}

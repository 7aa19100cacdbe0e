package watch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wiretea/session"
)

// TestWords holds what is said of what happens, with nothing that a terminal would obey.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	there := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, gone := there("a.go"), there("b\x1b.go"), filepath.Join(dir, "gone.go")
	for name, c := range map[string]struct {
		news News
		want string
		sev  session.Severity
	}{
		"nothing":       {News{}, "", session.Info},
		"asked for":     {News{Building: &BuildBegun{}}, "", session.Info},
		"changed":       {News{Building: &BuildBegun{Changed: []string{gone, a}}}, "a.go changed", session.Info},
		"several":       {News{Building: &BuildBegun{Changed: []string{b, a}, Again: true}}, "a.go and 1 other file changed meanwhile", session.Info},
		"visible":       {News{Building: &BuildBegun{Changed: []string{b}}}, "b␛.go changed", session.Info},
		"only gone":     {News{Building: &BuildBegun{Changed: []string{gone}}}, "gone.go changed", session.Info},
		"first start":   {News{Restarted: &RestartDone{First: true, Took: time.Second}}, "", session.Info},
		"restarted":     {News{Restarted: &RestartDone{Took: 1500 * time.Millisecond}}, "restarted in 1.50 s", session.Info},
		"not started":   {News{Restarted: &RestartDone{First: true, Err: errors.New("no such file")}}, "not started: no such file", session.Error},
		"its own file":  {News{Own: "/x/log\n.txt"}, "log␊.txt is written by the server itself: its changes are ignored", session.Info},
		"ended":         {News{Ended: errors.New("too many files")}, "watching has stopped: too many files", session.Error},
		"a build ended": {News{Built: &Built{}}, "", session.Info},
	} {
		if got, sev := c.news.Words(); got != c.want || sev != c.sev {
			t.Errorf("%s: got %q, %v", name, got, sev)
		}
	}
	if got := (&Call{Method: "tools/call", Name: "echo\x1b"}).String(); got != "tools/call echo␛" {
		t.Errorf("got %q", got)
	}
}

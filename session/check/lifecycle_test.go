package check

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// TestOurClientIsNotAccused judges conversations that accuse the client as if the
// client were this program, which does what its user asks for: nothing is said of
// it any more.
func TestOurClientIsNotAccused(t *testing.T) {
	for _, folder := range []string{"lifecycle", "modern", "mrtr", "http", "http-sessions", "http-headers", "sse"} {
		for _, file := range glob(t, folder) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(ar.Files[1].Data), " client ") {
				continue
			}
			t.Run(folder+"/"+filepath.Base(file), func(t *testing.T) {
				recs := parseConversation(t, string(ar.Files[0].Data)).framed()
				h := *recs[0].Header
				h.Mode = "run"
				recs[0].Header = &h
				for _, f := range analyze(recs).Findings() {
					if f.Fault == session.Client {
						t.Errorf("our client is accused: %s: %s", f.Rule, f.Message)
					}
				}
			})
		}
	}
}

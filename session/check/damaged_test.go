package check

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session"
)

// TestNobodyIsAccusedOfDamage holds that the rules with NeedsAll are enough. It takes each record out of each conversation, as a reader does
// with a line that is not a record: what it had been known to belong to is known, or
// nothing is. Beside the damage, nothing is found that was not found before.
func TestNobodyIsAccusedOfDamage(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil || len(files) < 500 {
		t.Fatalf("%d conversations, %v", len(files), err)
	}
	accused := map[string][]string{}
	for k, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil || len(ar.Files) < 2 || ar.Files[0].Name != "conversation" {
			continue
		}
		c := parseConversation(t, string(ar.Files[0].Data))
		recs := c.framed()
		before := rulesOf(analyze(recs))
		for i := range recs {
			if (i+k)%sample != 0 && !*update {
				continue
			}
			for _, lost := range losses(&recs[i]) {
				with := slices.Clone(recs)
				with[i] = lost
				found := rulesOf(analyze(with))
				if !found["recording-damaged nobody"] {
					t.Fatalf("%s: without record %d nothing is said", file, i)
				}
				for f := range found {
					if !before[f] && f != "recording-damaged nobody" {
						accused[f] = append(accused[f], strings.TrimPrefix(file, "testdata/"))
					}
				}
			}
		}
	}
	for f, where := range accused {
		t.Errorf("%s: accused %d times, as in %s: the rule needs NeedsAll", f, len(where), where[0])
	}
}

// sample is which part of the records is taken out; with -update all are.
const sample = 5

// losses are the gaps that a reader may give for a record.
func losses(rec *session.Record) []session.Record {
	if rec.Kind == session.RecHeader || rec.Kind == session.RecUnknown || rec.Kind == session.RecGap {
		return nil
	}
	any := session.Record{Kind: session.RecGap, T: rec.T, T1: rec.T, Stream: session.AnyStream, Gap: session.Gap{Stream: session.AnyStream, Frames: -1, Lines: 1, Why: "damage"}}
	if rec.Kind != session.RecFrame && rec.Kind != session.RecRaw {
		return []session.Record{any}
	}
	known := any
	known.Conn, known.Trip, known.Stream, known.Gap.Stream = rec.Conn, rec.Trip, rec.Stream, rec.Stream
	return []session.Record{any, known}
}

// rulesOf are the rules of findings, with who is at fault.
func rulesOf(s *session.Snapshot) map[string]bool {
	rules := map[string]bool{}
	for _, f := range s.Findings() {
		rules[f.Rule+" "+f.Fault.String()] = true
	}
	return rules
}

package check

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"wiretea/session/check/compat"
)

// TestJudgement holds the figures of docs/judgement.md against the tree. -update writes
// them anew.
func TestJudgement(t *testing.T) {
	const file = "../../docs/judgement.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	triggers, nears := 0, 0
	for i := range families {
		for _, path := range glob(t, families[i].Name) {
			if strings.Contains(path, "-near-") || strings.HasSuffix(path, "-near.txtar") {
				nears++
			} else {
				triggers++
			}
		}
	}
	figures := map[string]int{
		"rules":                               len(All()),
		"conversations that break a rule":     triggers,
		"near misses":                         nears,
		"healthy conversations":               len(glob(t, "healthy")),
		"sessions of SDKs with other SDKs":    len(glob(t, "sdks")),
		"faults measured with six SDKs":       int(compat.NumFaults),
		"recorded starts":                     recordedStarts(t),
		"explained as their maintainer would": recordedStarts(t),
	}
	got := string(text)
	for what, want := range figures {
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` \| ([^|]*) \|$`)
		m := row.FindStringSubmatchIndex(got)
		switch {
		case m == nil:
			t.Errorf("%s has no row %q", file, what)
		case got[m[2]:m[3]] != strconv.Itoa(want) && *update:
			got = got[:m[2]] + strconv.Itoa(want) + got[m[3]:]
		case got[m[2]:m[3]] != strconv.Itoa(want):
			t.Errorf("%s: %s are %s, not %d; run go test ./session/check -run Judgement -update", file, what, got[m[2]:m[3]], want)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// recordedStarts counts the servers of TestStarts, which must all be explained.
func recordedStarts(t *testing.T) (n int) {
	entry := regexp.MustCompile(`(?m)^-- [^/\n]+ --$`)
	for _, file := range glob(t, "../cause/testdata/starts") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += len(entry.FindAll(text, -1))
	}
	return n
}

package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"wiretea/recorder/analysis"
	"wiretea/recorder/export"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/ui/findings"
	"wiretea/ui/pane"
	"wiretea/ui/panetest"
	"wiretea/ui/plain"
)

// TestAccounts checks that check, the summary of run, the screen, an exported issue
// and the list of recordings give the same account of a recording: the same
// sentence with the same severity, and as many findings. The recordings are the
// conversations of the rules' tests, each alone and followed by another one on a
// second connection.
func TestAccounts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "session", "check", "testdata", "*", "*.txtar"))
	if err != nil || len(files) < 300 {
		t.Fatalf("%d conversations: %v", len(files), err)
	}
	troubled := 0
	for i, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			c := panetest.Conversation(t, file)
			d := analysis.Diagnose(c.Snap, c.Log, nil)
			if !d.Empty() {
				troubled++
			}
			compareAccounts(t, c, d.Sentence, d.Severity)
		})
		second := files[(i*7+1)%len(files)]
		t.Run(name+" and "+filepath.Base(second), func(t *testing.T) {
			c := panetest.Conversation(t, file, second)
			d := analysis.Diagnose(c.Snap, c.Log, nil)
			compareAccounts(t, c, d.Sentence, d.Severity)
		})
	}
	if troubled < 100 {
		t.Errorf("only %d conversations have a fault", troubled)
	}
}

// TestAccountsRefuted is TestAccounts for a finding that another connection replaces.
func TestAccountsRefuted(t *testing.T) {
	in := filepath.Join("..", "..", "session", "check", "testdata")
	c := panetest.Conversation(t, filepath.Join(in, "process", "server-exited-probe-alone.txtar"), filepath.Join(in, "healthy", "batches.txtar"))
	d := analysis.Diagnose(c.Snap, c.Log, nil)
	if len(d.Refuted) == 0 {
		t.Fatalf("nothing is replaced: %v", c.Snap.Findings())
	}
	compareAccounts(t, c, d.Sentence, d.Severity)
	var out bytes.Buffer
	plain.WriteSummary(&out, c.Snap, &d, false, true)
	if strings.Contains(out.String(), c.Snap.Findings()[d.Refuted[0]].Rule+" ") {
		t.Errorf("run lists a finding that was replaced:\n%s", &out)
	}
}

// compareAccounts compares each account of a recording with its diagnosis.
func compareAccounts(t *testing.T, c *pane.Context, sentence string, severity session.Severity) {
	t.Helper()
	v := new(verdict.Policy).Judge(verdict.Session{Snapshot: c.Snap, Log: c.Log})
	if v.Sentence != sentence || v.Severity != severity {
		t.Errorf("check says %v %q, the diagnosis %v %q", v.Severity, v.Sentence, severity, sentence)
	}

	p := findings.New()
	panetest.Tell(t, p, c, pane.MovedMsg{})
	if cause, sev := p.Cause(c); cause.Sentence != sentence || sev != severity {
		t.Errorf("the screen says %v %q, the diagnosis %v %q", sev, cause.Sentence, severity, sentence)
	}

	var out bytes.Buffer
	d := analysis.Diagnose(c.Snap, c.Log, nil)
	plain.WriteSummary(&out, c.Snap, &d, false, true)
	if !strings.Contains(letters(out.String()), letters(sentence)) {
		t.Errorf("run does not say %q:\n%s", sentence, &out)
	}

	out.Reset()
	if err := export.Markdown(t.Context(), &out, &export.Recording{Log: c.Log, Snap: c.Snap, Name: "a", Tool: "b"}); err != nil {
		t.Fatal(err)
	}
	title, _, _ := strings.Cut(out.String(), "\n")
	if want := letters(sentence); want != "" && letters(title) != want || want == "" && !strings.HasSuffix(title, ": nothing is wrong") {
		t.Errorf("the issue says %q, the diagnosis %q", title, sentence)
	}

	sum := analysis.Summary(c.Log, c.Snap)
	listed := [4]int64{0, sum.Infos, sum.Warnings, sum.Errors}
	if counts, _ := p.Counts(c); counts != listed && d.Finding >= 0 {
		t.Errorf("the screen counts %v, the list of recordings %v", counts, listed)
	}
	var inCheck [4]int64
	for i := range v.Findings {
		inCheck[v.Findings[i].Severity]++
	}
	if len(c.Snap.Conns()) == 1 && listed != inCheck { // It joins what is the same on two connections.
		t.Errorf("the list of recordings counts %v, check %v", listed, inCheck)
	}
}

// letters are the letters and digits of a text: what formats do not escape.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

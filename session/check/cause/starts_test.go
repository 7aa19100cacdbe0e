package cause_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session/check/cause"
)

// A start is a real server that did not start: how it was started, all that it
// wrote, and what its maintainer would say of it.
type start struct {
	name           string
	stdout, stderr []byte
	exit           string // exit is the exit code, or the signal.
	line           string // line is the deciding part of what it wrote; empty = it does not say.
	cause          string // cause is the reason in a clause; empty = the line says all there is to say.
	mend           string // mend is what to change; empty = nobody can know.
}

// starts reads the archives of testdata/starts: for each server a file with its
// command, "exit CODE", "line …", "cause …" and "mend …", and NAME/stdout and
// NAME/stderr.
func starts(t *testing.T) []start {
	t.Helper()
	files, err := filepath.Glob("testdata/starts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings", err)
	}
	var all []start
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			name, stream, output := strings.Cut(f.Name, "/")
			switch {
			case !output:
				all = append(all, start{name: name})
				all[len(all)-1].told(f.Data)
			case stream == "stdout":
				all[len(all)-1].stdout = f.Data
			default:
				all[len(all)-1].stderr = f.Data
			}
		}
	}
	return all
}

func (s *start) told(text []byte) {
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		switch key {
		case "exit":
			s.exit = value
		case "line":
			s.line = value
		case "cause":
			s.cause = value
		case "mend":
			s.mend = value
		}
	}
}

// story is the start as a session: it wrote everything at once, then it exited.
func (s *start) story() string {
	var b strings.Builder
	b.WriteString("1 proc start\n10 c2s " + initialize + "\n")
	for line := range bytes.Lines(s.stdout) {
		b.WriteString("60 s2c " + string(line))
	}
	for line := range bytes.Lines(s.stderr) {
		b.WriteString("60 err " + string(line))
	}
	return b.String() + lastLines(60, s.exit)
}

// unknown are the mends for a server that ended for a reason that nobody knows:
// they say where to look, which depends on where it wrote.
var unknown = []string{"read what it wrote to stderr before it ended", "read what it wrote on stdout before it ended"}

// TestStarts holds that real servers that do not start are explained as their
// maintainers would explain it.
func TestStarts(t *testing.T) {
	all := starts(t)
	explained := 0
	for _, s := range all {
		ok := t.Run(s.name, func(t *testing.T) {
			snap, lines := tell(t, s.story())
			d := cause.Among(snap, lines, nil)
			mend := d.Mend
			if mend == unknown[0] && len(s.stderr) > 0 || mend == unknown[1] && len(s.stdout) > 0 {
				mend = ""
			}
			if !strings.Contains(d.Sentence, s.line) || d.Reason != s.cause || mend != s.mend {
				t.Errorf("it says\n\t%s\n\t%s\n\t%s\nnot\n\t%s\n\t%s\n\t%s", d.Sentence, d.Reason, d.Mend, s.line, s.cause, s.mend)
			}
		})
		if ok {
			explained++
		}
	}
	t.Logf("%d of %d explained", explained, len(all))
}

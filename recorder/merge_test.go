package recorder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiretea/session"
)

// member is the file of a session that began some time after t0, with a record for each of the
// words: a time in milliseconds, or clk=MILLISECONDS for the wall clock then.
func memberFile(after time.Duration, words ...string) string {
	h := header()
	h.T0 = t0.Add(after)
	file, at := string(appendHeader(nil, &h)), int64(0)
	for i, word := range words {
		if wall, clock := strings.CutPrefix(word, "clk="); clock {
			var ms int64
			fmt.Sscan(wall, &ms)
			file += string(appendClock(nil, uint64(i+1), at, t0.Add(time.Duration(ms)*time.Millisecond)))
			continue
		}
		fmt.Sscan(word, &at)
		at *= int64(time.Millisecond)
		file += fmt.Sprintf(`{"k":"f","n":%d,"t":%d,"t1":%d,"c":2,"trip":3,"d":"c2s","b":{"jsonrpc":"2.0","method":"m%s"}}`+"\n", i+1, at, at-1, word)
	}
	return file
}

// frames are the frames of a merged log: session, number, time in milliseconds.
func frames(t *testing.T, log Log) (list []string) {
	t.Helper()
	r := NewReader(log, 0)
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == session.RecFrame {
			list = append(list, fmt.Sprintf("%s%d@%d", session.Letter(rec.In), rec.N, rec.T/1e6))
		}
	}
	if r.Damage().Lines > 0 {
		t.Error(r.Damage())
	}
	return list
}

func ended(t *testing.T, log Log) {
	t.Helper()
	for size := int64(-1); ; size = log.Size() {
		if err := log.Wait(t.Context(), size); err == ErrFinished {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestMerge holds the order of a merged log, and what its records keep.
func TestMerge(t *testing.T) {
	never := memberFile(0, "1000")
	never = strings.Replace(never, `"t0":"2026-`, `"t0":"9999-`, 1)
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"interleaved":              {[]string{memberFile(0, "0", "1500"), memberFile(time.Second, "0", "1000")}, "A1@0 B1@1000 A2@1500 B2@2000"},
		"equal times":              {[]string{memberFile(0, "1"), memberFile(0, "1"), memberFile(0, "1")}, "A1@1 B1@1 C1@1"},
		"the later first":          {[]string{memberFile(time.Second, "0"), memberFile(0, "0")}, "B1@0 A1@1000"},
		"a clock that went back":   {[]string{memberFile(0, "5", "3", "9"), memberFile(0, "4", "6")}, "B1@4 A1@5 A2@3 B2@6 A3@9"},
		"a computer that slept":    {[]string{memberFile(0, "0", "2000", "clk=3602000", "3000"), memberFile(time.Second, "10000")}, "A1@0 A2@2000 B1@11000 A4@3000"},
		"a beginning in no year":   {[]string{memberFile(0, "500", "1500"), never}, "A1@500 B1@1000 A2@1500"},
		"a torn end":               {[]string{memberFile(0, "1") + `{"k":"f","n":`, memberFile(0, "2")}, "A1@1 B1@2"},
		"a line that is no record": {[]string{strings.Replace(memberFile(0, "1", "2"), "\n", "\nwhat\n", 1), memberFile(0, "1")}, "A1@1 B1@1 A2@2"},
		"one alone":                {[]string{memberFile(0, "1")}, "A1@1"},
	} {
		t.Run(name, func(t *testing.T) {
			var logs []Log
			for _, f := range c.files {
				logs = append(logs, bytesLog([]byte(f)))
			}
			f := Merge(logs, nil)
			defer f.Close()
			ended(t, f)
			if got := strings.Join(frames(t, f), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			snap := snapshotOf(t, f)
			if totals := snap.Totals(); totals.Torn > 0 != strings.HasPrefix(name, "a torn") || totals.Damaged > 0 != strings.HasPrefix(name, "a line") {
				t.Errorf("the totals are %+v", totals)
			}
		})
	}
	f := Merge([]Log{bytesLog([]byte(memberFile(0, "1"))), bytesLog([]byte(memberFile(0, "2")))}, []string{"a", "b"})
	defer f.Close()
	ended(t, f)
	want := `{"k":"f","in":2,"c":4,"trip":6,"t":2000000,"t1":1999999,"n":1,"d":"c2s","b":{"jsonrpc":"2.0","method":"m2"}}`
	if got := string(contents(t, f)); !slices.Contains(strings.Split(got, "\n"), want) || !strings.Contains(got, `"members":["a","b"]`) {
		t.Errorf("%s is not in\n%s", want, got)
	}
}

// TestMergeLive holds that what comes of a session that goes on is behind what is there, that
// nothing waits for another session, and that Close ends the reading.
func TestMergeLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := NewMemory(0), NewMemory(0)
		add := func(s *Sink, file string) { s.write([]byte(file)); synctest.Wait() }
		first, second := memberFile(0, "1", "5", "9"), memberFile(0, "2", "4")
		lines := strings.SplitAfter(first, "\n")
		f := Merge([]Log{a, b}, nil)
		add(a, lines[0]+lines[1])
		if got := frames(t, f); len(got) > 0 {
			t.Errorf("before the second header: %v", got)
		}
		add(b, second)
		add(a, lines[2])
		if got := strings.Join(frames(t, f), " "); got != "A1@1 B1@2 B2@4 A2@5" || f.Live() != Live {
			t.Errorf("%s, %v", got, f.Live())
		}
		b.finish(true)
		add(a, lines[3])
		if got := strings.Join(frames(t, f), " "); got != "A1@1 B1@2 B2@4 A2@5 A3@9" || f.Live() != Live {
			t.Errorf("%s, %v", got, f.Live())
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

package recorder

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// someLines is a whole session file, line by line.
func someLines(t testing.TB) []string {
	t.Helper()
	s := &script{steps: []step{
		{at: 1e6, batch: []session.Observation{{Conn: 1, Kind: session.ObsProc, T: 1e6, Proc: session.Proc{Event: "start", PID: 7}}}},
		{at: 2e6, batch: []session.Observation{chunk(2e6, session.C2S, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")}},
		{at: 3e6, batch: []session.Observation{chunk(3e6, session.S2C, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")}},
		{at: 4e6, batch: []session.Observation{chunk(4e6, session.Stderr, "\xff\n")}},
	}}
	file := recordAll(t, s, NewMemory(1<<20))
	lines := strings.SplitAfter(string(file), "\n")
	return lines[:len(lines)-1]
}

func TestRepair(t *testing.T) {
	lines := someLines(t)
	end := len(lines) - 1
	if len(lines) != 6 || !strings.HasPrefix(lines[end], `{"k":"end"`) {
		t.Fatalf("the session is %q", lines)
	}
	modified := t0.Add(time.Hour)
	with := func(i int, line string) string {
		dup := slices.Clone(lines)
		dup[i] = line
		return strings.Join(dup, "")
	}
	for _, test := range []struct {
		name  string
		file  string
		want  Repairs // without First
		holds []string
	}{
		{"whole", strings.Join(lines, ""), Repairs{Records: 6}, lines},
		{"without its end", strings.Join(lines[:end], ""), Repairs{Records: 5, Ended: true}, []string{`"frames":3,"bytes":80,"lost":0,"why":"repair"`}},
		{"torn", strings.Join(lines[:end-1], "") + lines[end-1][:20], Repairs{Records: 4, Ended: true, Torn: 20}, []string{`"frames":2,`}},
		{"a damaged frame", with(3, strings.Replace(lines[3], `"len":36`, `"len":35`, 1)),
			Repairs{Records: 5, Dropped: 1, Bytes: int64(len(lines[3])), Gaps: []string{"s2c"}}, []string{`{"k":"gap","n":3,"t":2000000,"d":"s2c","bytes":35,"lines":1,"why":"damage"}`}},
		{"rubbish", with(2, "\x00\x00\x00\n"), Repairs{Records: 5, Dropped: 1, Bytes: 4, Gaps: []string{"c2s", "s2c", "err"}},
			[]string{`{"k":"gap","n":2,"c":0,"t":1000000,"bytes":0,"lines":1,"why":"damage"}`}},
		{"a damaged event", with(1, `{"k":"proc","n":1,"t":}`+"\n"), Repairs{Records: 5, Dropped: 1, Bytes: 24, Gaps: []string{"c2s", "s2c", "err"}}, nil},
		{"an unknown record", with(4, `{"k":"later","n":4,"t":4000000,"z":[1]}`+"\n"), Repairs{Records: 6}, []string{`{"k":"later","n":4,"t":4000000,"z":[1]}`}},
		{"without its beginning", strings.Join(lines[2:], ""), Repairs{Records: 4, Header: true}, []string{`{"k":"hdr","fmt":"mcpcap"`, `"t0":"2026-11-20T10:59:59.996000000Z"`}},
		{"with half a header", with(0, `{"k":"hdr","fmt":"mcp`+"\n"), Repairs{Records: 5, Header: true, Dropped: 1, Bytes: 22, Gaps: []string{"c2s", "s2c", "err"}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			got, err := Repair(t.Context(), &out, bytesLog([]byte(test.file)), modified)
			if err != nil {
				t.Fatal(err)
			}
			if (got.First != nil) != (got.Dropped > 0) {
				t.Errorf("%d lines dropped, and the first because %v", got.Dropped, got.First)
			}
			got.First = nil
			if got.Records != test.want.Records || got.Header != test.want.Header || got.Ended != test.want.Ended || got.Dropped != test.want.Dropped ||
				got.Bytes != test.want.Bytes || got.Torn != test.want.Torn || !slices.Equal(got.Gaps, test.want.Gaps) {
				t.Errorf("repairs are %+v, want %+v", got, test.want)
			}
			for _, part := range test.holds {
				if !strings.Contains(out.String(), part) {
					t.Errorf("it lacks %s:\n%s", part, out.String())
				}
			}
			list := mustRead(t, out.Bytes())
			if last := list[len(list)-1]; last.Kind != session.RecEnd || len(list) > 1 && got.Ended && last.N != list[len(list)-2].N+1 {
				t.Errorf("it ends with %+v", last)
			}
			var again bytes.Buffer
			if twice, err := Repair(t.Context(), &again, bytesLog(out.Bytes()), modified); err != nil || twice.Needed() || again.String() != out.String() {
				t.Errorf("what is repaired needs %+v (%v)", twice, err)
			}
		})
	}
	for _, file := range []string{"", "hello\n", `{"jsonrpc":"2.0"}` + "\n", `{"k":"hdr","fmt":"other"}` + "\n"} {
		if _, err := Repair(t.Context(), &bytes.Buffer{}, bytesLog([]byte(file)), modified); !errors.Is(err, ErrNotSession) {
			t.Errorf("repairing %q: %v", file, err)
		}
	}
}

// FuzzRepair holds that whatever is repaired is whole.
func FuzzRepair(f *testing.F) {
	whole := strings.Join(someLines(f), "")
	f.Add([]byte(whole))
	f.Add([]byte(whole[200:]))
	f.Add([]byte(strings.ReplaceAll(whole, `"t":3`, `"t":x`)))
	f.Fuzz(func(t *testing.T, file []byte) {
		var out bytes.Buffer
		if _, err := Repair(t.Context(), &out, bytesLog(file), t0); err != nil {
			return
		}
		_, r, err := readAll(t, out.Bytes())
		if err != nil || r.Damage().Lines > 0 || r.Torn() > 0 {
			t.Fatalf("still wrong: %v, %+v, %d bytes torn\n%q", err, r.Damage(), r.Torn(), out.Bytes())
		}
	})
}

func TestRepairFile(t *testing.T) {
	dir := t.TempDir()
	lines := someLines(t)
	torn := filepath.Join(dir, "a"+Suffix)
	whole := filepath.Join(dir, "b"+Suffix)
	old := t0.Add(-time.Hour)
	for path, text := range map[string]string{torn: strings.Join(lines[:3], "") + "{", whole: strings.Join(lines, "")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	target := filepath.Join(dir, "a.repaired"+Suffix)
	for range 2 {
		done, err := RepairFile(context.Background(), torn, target)
		if _, there := os.Stat(target); there != nil || !done.Needed() {
			t.Fatalf("repairs are %+v (%v, %v)", done, err, there)
		}
		if err != nil && !errors.Is(err, ErrExists) {
			t.Fatal(err)
		}
	}
	if _, err := RepairFile(context.Background(), torn, target); !errors.Is(err, ErrExists) {
		t.Errorf("what is there is overwritten: %v", err)
	}
	info, err := Stat(target)
	if err != nil || info.Err != nil || info.End == nil || !info.Modified.Equal(old) {
		t.Errorf("the repaired file is %+v (%v)", info, err)
	}
	if text, err := os.ReadFile(torn); err != nil || !strings.HasSuffix(string(text), "\n{") {
		t.Errorf("the original is now %q (%v)", text, err)
	}
	if _, err := RepairFile(context.Background(), torn, filepath.Join(dir, "none", "c")); !errors.Is(err, ErrNoFolder) {
		t.Errorf("in a folder that does not exist: %v, want ErrNoFolder", err)
	}
	if done, err := RepairFile(context.Background(), whole, filepath.Join(dir, "c")); err != nil || done.Needed() {
		t.Errorf("a whole file needs %+v (%v)", done, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("the folder has %v (%v)", left, err)
	}
	sink, err := Create(filepath.Join(dir, "live"+Suffix), false)
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if _, err := RepairFile(context.Background(), sink.Path(), target+"2"); !errors.Is(err, ErrBusy) {
		t.Errorf("a live file: %v", err)
	}
}

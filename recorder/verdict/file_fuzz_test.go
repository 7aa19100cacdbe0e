package verdict

import (
	"os"
	"path/filepath"
	"testing"

	"wiretea/session"
)

// FuzzBaseline checks that no file brings down what reads it as a baseline.
func FuzzBaseline(f *testing.F) {
	file := filepath.Join(f.TempDir(), "baseline.json")
	f.Add([]byte(`{"findings":[{"rule":"a","fault":"server","message":"1 b"}]}`))
	f.Add([]byte(`[{"findings":[]},{"findings":[{}]},{"findings":null}]`))
	f.Add([]byte(`{"findings":{}}`))
	f.Add([]byte("\xef\xbb\xbf[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := ReadBaseline(file)
		if (b == nil) != (err != nil) {
			t.Errorf("%v, %v", b, err)
		}
		if b.has(&session.Finding{Rule: "no such rule", Message: "never said"}) {
			t.Errorf("it knows what it does not have: %q", text)
		}
	})
}

// FuzzLock checks that no file brings down what reads it as approved definitions, and
// that what is read is written as it is.
func FuzzLock(f *testing.F) {
	file := filepath.Join(f.TempDir(), "lock.json")
	f.Add([]byte(`{"format":"` + lockFormat + `","tools":[{"name":"a","inputSchema":{"type":"object","n":1.0}},{"name":"b"}]}`))
	f.Add([]byte(`{"format":"` + lockFormat + `","tools":[null,1,"a",{"name":null},{"name":"a"},{"name":"a"}]}`))
	f.Add([]byte(`{"format":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		approved, err := readLock(file)
		if err != nil {
			return
		}
		l := &toolsListing{tools: approved}
		if changes := l.drift(approved); len(changes) > 0 {
			t.Errorf("definitions differ from themselves: %q", changes)
		}
		if err := l.write(file); err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		again, err := readLock(file)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		if changes := l.drift(again); len(changes) > 0 {
			t.Errorf("definitions differ after they were written: %q", changes)
		}
	})
}

package session

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// chatter adds n exchanges, each answered a while after it was asked.
func chatter(a *Analyzer, n int) {
	for i := range n {
		feed(a, client(int64(i), request(fmt.Sprint(i), "tools/call", fmt.Sprintf(`{"name":"tool-%d"}`, i%50))))
		if i >= 2000 {
			feed(a, server(int64(i), result(fmt.Sprintf("%d", i-2000), "{}")))
		}
	}
}

// digest sums up what a snapshot shows.
func digest(s *Snapshot) string {
	var b strings.Builder
	for i := range uint32(s.Len()) {
		r := s.Row(i)
		ns, _ := s.Latency(i)
		fmt.Fprintln(&b, r, s.Name(r.Method), s.Name(r.Target), s.ID(r), ns)
	}
	fmt.Fprintln(&b, s.Totals(), s.Methods(), s.Clock(), len(s.Findings()))
	for _, c := range s.Conns() {
		fmt.Fprintln(&b, c.Frames, len(c.Open[C2S]))
		for _, x := range c.Open[C2S] {
			fmt.Fprintln(&b, *x)
		}
	}
	return b.String()
}

func TestSnapshotIsImmutable(t *testing.T) {
	a := NewAnalyzer(Config{})
	var shots []*Snapshot
	var digests []string
	for range 4 {
		chatter(a, 2500)
		feed(a, on(len(shots)+2, process(5000, "start"))) // All that wait are lost: their rows change.
		s := a.Snapshot()
		shots, digests = append(shots, s), append(digests, digest(s))
	}
	for i, s := range shots {
		if digest(s) != digests[i] {
			t.Errorf("snapshot %d has changed", i)
		}
	}
}

func TestSnapshotWhileAdding(t *testing.T) {
	a := NewAnalyzer(Config{})
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		chatter(a, 5000)
	})
	for range 2 {
		wg.Go(func() {
			for {
				s := a.Snapshot()
				if one, two := digest(s), digest(s); one != two {
					t.Error("a snapshot changed while it was read")
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
}

func TestEmptySnapshotIsTotal(t *testing.T) {
	for name, s := range map[string]*Snapshot{"zero": {}, "new": NewAnalyzer(Config{}).Snapshot()} {
		t.Run(name, func(t *testing.T) {
			r := s.Row(NoRow)
			if s.Len() != 0 || s.Name(r.Method) != "" || s.Name(99) != "" || s.ID(r) != "" || s.ID(Row{ID: ^IDRef(0)}) != "" || r.Pair != NoRow {
				t.Errorf("row %+v", r)
			}
			if _, ok := s.Latency(0); ok {
				t.Error("no row has a latency")
			}
			if s.Header() != nil || s.End() != nil || len(s.Conns())+len(s.Findings())+len(s.Methods())+len(s.RowFindings(0)) != 0 {
				t.Error("not empty")
			}
		})
	}
}

func TestIDTexts(t *testing.T) {
	ids := []string{
		"0", "7", "-1", "01", "1.0", "1e3", "9007199254740993", "72057594037927935", "72057594037927936", "123456789012345678901234567890",
		`""`, `"a"`, `"abcde"`, `"abcdef"`, `"0b9f3c1e-1111-4222-8333-444455556666"`, "null", "true", "[1,2]", `"` + strings.Repeat("x", 254) + `"`,
	}
	var texts idTexts
	var refs []IDRef
	for _, id := range ids {
		refs = append(refs, texts.ref([]byte(id)))
	}
	seen := map[IDRef]string{}
	for i, id := range ids {
		if got := texts.text(refs[i]); got != id {
			t.Errorf("%s came back as %s", id, got)
		}
		if other, ok := seen[refs[i]]; ok {
			t.Errorf("%s and %s are one", id, other)
		}
		seen[refs[i]] = id
	}
	long := []byte(strings.Repeat("y", 256))
	var last IDRef
	for range idBlocks*idBlock/len(long) + 1 {
		last = texts.ref(long)
	}
	if len(texts.blocks) != idBlocks || texts.text(last) != "yyyyyyy…" {
		t.Errorf("%d blocks, %q", len(texts.blocks), texts.text(last))
	}
}

func TestNamesAreBounded(t *testing.T) {
	n := newInterner()
	for i := range maxTargets + 100 {
		n.target(fmt.Append(nil, "target ", i))
	}
	if len(n.list) != maxTargets || n.target([]byte("one more")) != manyName || n.target([]byte("target 5")) == manyName {
		t.Errorf("%d names", len(n.list))
	}
	if m := n.method([]byte("tools/call")); n.list[m] != "tools/call" {
		t.Error("methods find no place")
	}
	for i := range maxNames {
		n.method(fmt.Append(nil, "method ", i))
	}
	if len(n.list) != maxNames {
		t.Errorf("%d names", len(n.list))
	}
}

// TestMatchIDs holds which rows have an id, whether its text is in the row or stored.
func TestMatchIDs(t *testing.T) {
	ids := []string{"7", `"7"`, "72057594037927935", `"0b9f3c1e-1111"`, `"0b9f3c1e-2222"`}
	a := NewAnalyzer(Config{})
	for i, id := range ids {
		feed(a, client(int64(i), request(id, "ping", "")))
	}
	feed(a, server(9, notification("notifications/message", "{}")))
	s := a.Snapshot()
	for k, id := range append(ids, "", "8", `"0b9f3c1e-3333"`) {
		for i := range uint32(s.Len()) {
			if got := MatchIDs("x", id).Match(s, s.Row(i).ID); got != (k < len(ids) && int(i) == k) {
				t.Errorf("row %d has the id %q: %t", i, id, got)
			}
		}
	}
}

// TestMarked holds which rows are marked.
func TestMarked(t *testing.T) {
	a := NewAnalyzer(Config{})
	chatter(a, 10)
	marked := a.Snapshot().Marked([]uint32{2, 5})
	if !marked.IsMarked(2) || marked.IsMarked(3) {
		t.Error("other rows are marked")
	}
	for row, want := range map[uint32]int64{1: -1, 2: 2, 4: 2, 5: 5, 7: 5} {
		now := marked.Row(row).T
		if at, ok := marked.LastMark(func(t int64) bool { return t > now }); ok != (want >= 0) || ok && at != marked.Row(uint32(want)).T {
			t.Errorf("the last mark of row %d is at %d, %t", row, at, ok)
		}
	}
}

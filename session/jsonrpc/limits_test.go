package jsonrpc

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// feed writes n bytes of repeated chunk.
func feed(s *Scanner, chunk []byte, n int) {
	for ; n > 0; n -= len(chunk) {
		s.Write(chunk[:min(n, len(chunk))])
	}
}

// TestLongTokens checks that a long token costs no memory, wherever it is,
// and that all of it is looked at.
func TestLongTokens(t *testing.T) {
	for _, test := range []struct {
		name         string
		size         int
		before, unit string
		after        string
		want         Syntax
	}{
		{"string", 100_000_000, `{"params":{"arguments":{"a":"`, "x", `"}}}`, Complete},
		{"captured string", 10_000_000, `{"id":"`, "x", `"}`, Complete},
		{"broken string", 10_000_000, `{"id":"`, "x", "\x01\"}", Malformed},
		{"escapes", 1_000_000, `{"id":"`, `\u00e9`, `"}`, Complete},
		{"key", 10_000_000, `{"`, "k", `":1}`, Complete},
		{"number", 1_000_000, `{"id":1`, "2", `}`, Complete},
		{"white space", 10_000_000, `{`, " ", `}`, Complete},
		{"text", 10_000_000, ``, "x", `}`, Malformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			chunk := []byte(strings.Repeat(test.unit, 60_000))
			var (
				s   Scanner
				got Text
			)
			ignore := func(*Message) {}
			once := func() {
				s.Reset(ignore)
				s.Write([]byte(test.before))
				feed(&s, chunk, test.size*len(test.unit))
				s.Write([]byte(test.after))
				got = s.End()
			}
			if allocs := allocated(once); allocs > 32<<10 {
				t.Errorf("allocated %d bytes", allocs)
			}
			if got.Syntax != test.want || got.Len != int64(len(test.before)+test.size*len(test.unit)+len(test.after)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestDeep checks that depth costs a bit a level and comes back down.
func TestDeep(t *testing.T) {
	for _, depth := range []int{63, 64, 65, 128, 129, 10_000, 4_000_000} {
		for _, bracket := range []string{"[]", `{}`, "[{"} {
			var head, tail string
			switch bracket {
			case "[]":
				head, tail = "[", "]"
			case "{}":
				head, tail = `{"":`, "}"
			default:
				head, tail = `[{"":`, "}]"
			}
			levels := depth / (len(tail))
			var s Scanner
			var got Text
			up, down := []byte(strings.Repeat(head, 1000)), []byte(strings.Repeat(tail, 1000))
			once := func() {
				s.Reset(nil)
				feed(&s, up, levels*len(head))
				s.Write([]byte("0"))
				if got := s.Syntax(); got != Incomplete {
					t.Fatalf("half-way: %v", got)
				}
				feed(&s, down, levels*len(tail))
				got = s.End()
			}
			// A bit a level, in a slice that append lets grow, and the tables.
			if limit := uint64(depth/8*6 + 8<<20); allocated(once) > limit {
				t.Errorf("%s × %d allocates more than %d bytes", head, levels, limit)
			}
			if got.Syntax != Complete || got.Depth != levels*len(tail) || got.Defects&^KeysUnchecked != 0 {
				t.Errorf("%s × %d: %+v", head, levels, got)
			}
		}
	}
}

// TestDeepBreaks checks that the kinds of many levels are told apart.
func TestDeepBreaks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var up, down []byte
		levels := 1 + rng.IntN(300)
		for range levels {
			if rng.IntN(2) == 0 {
				up, down = append(up, '['), append(down, ']')
			} else {
				up, down = append(up, `{"":`...), append(down, '}')
			}
		}
		for i, j := 0, len(down)-1; i < j; i, j = i+1, j-1 {
			down[i], down[j] = down[j], down[i]
		}
		text := append(append(up, '1'), down...)
		if got := Scan(text, nil); got.Syntax != Complete || got.Depth != levels {
			t.Fatalf("%s: %+v", text, got)
		}
		at := len(text) - 1 - rng.IntN(levels)
		text[at] ^= ']' ^ '}'
		if got := Scan(text, nil); got.Syntax != Malformed || got.BadAt != int64(at) {
			t.Fatalf("%s broken at %d: %+v", text, at, got)
		}
	}
}

// object writes an object of n members with keys of their own.
func object(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"key%d":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}

func TestKeyLimits(t *testing.T) {
	with := func(object, more string) string { return strings.TrimSuffix(object, "}") + more + "}" }
	many, most := object(maxKeys), object(maxKeys+1)
	for _, test := range []struct {
		name string
		text string
		want Defect
	}{
		{"few", object(fewKeys), 0},
		{"few and the first again", with(object(fewKeys), `,"key0":1`), DuplicateKey},
		{"few and the last again", with(object(fewKeys), `,"key15":1`), DuplicateKey},
		{"one more", object(fewKeys + 1), 0},
		{"one more and the last again", with(object(fewKeys+1), `,"key16":1`), DuplicateKey},
		{"one more and the first again", with(object(fewKeys+1), `,"key0":1`), DuplicateKey},
		{"many", many, 0},
		{"many and the first again", with(many, `,"key0":1`), DuplicateKey},
		{"most", most, KeysUnchecked},
		{"most and the first again", with(most, `,"key0":1`), KeysUnchecked | DuplicateKey},
		{"most and an object", with(most, `,"x":{"a":1,"a":1}`), KeysUnchecked},
		{"an object after most", "[" + most + `,{"a":1}]`, KeysUnchecked},
		{"siblings", "[" + strings.Repeat(object(100)+",", 1000) + "0]", 0},
		{"nested", strings.Repeat(with(object(30), `,"in":`)[:len(object(30))+5], 200) + "0" + strings.Repeat("}", 200), 0},
		{"nested, then again", strings.Repeat(with(object(30), `,"in":`)[:len(object(30))+5], 200) + "0" +
			strings.Repeat("}", 199) + `,"key29":0}`, DuplicateKey},
		{"objects", strings.Repeat(`{"":`, maxKeys) + "0" + strings.Repeat("}", maxKeys), 0},
		{"too many objects", strings.Repeat(`{"":`, maxKeys+1) + "0" + strings.Repeat("}", maxKeys+1), KeysUnchecked},
		{"too many objects, then again", strings.Repeat(`{"":`, maxKeys+1) + "0" + strings.Repeat("}", maxKeys) + `,"":1}`, KeysUnchecked | DuplicateKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Scan([]byte(test.text), nil)
			if got.Syntax != Complete || got.Defects != test.want {
				t.Errorf("%v with %q, want %q", got.Syntax, got.Defects, test.want)
			}
		})
	}
}

// TestKeySet compares a keySet with a stack of maps.
func TestKeySet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var k keySet
	for range 30 {
		k.reset()
		var open []map[uint64]bool
		for range 5000 {
			switch n := rng.IntN(100); {
			case n < 3 || len(open) == 0:
				k.open()
				open = append(open, map[uint64]bool{})
			case n < 5:
				k.close()
				open = open[:len(open)-1]
			default:
				h := uint64(rng.IntN(500))
				last := open[len(open)-1]
				want := Defect(0)
				if last[h] {
					want = DuplicateKey
				}
				if got := k.add(h); got != want {
					t.Fatalf("key %d of %d in object %d: %v, want %v", h, len(last), len(open), got, want)
				}
				last[h] = true
			}
		}
	}
}

// TestAllocations checks that a Scanner which has warmed up allocates nothing,
// whether its texts come whole or in parts.
func TestAllocations(t *testing.T) {
	for _, body := range bodies() {
		for _, size := range []int{len(body.text), 1 + len(body.text)/3} {
			var s Scanner
			n := 0
			count := func(m *Message) {
				n++
				if m.Method.Is("x") || m.Field(ParamName).Is("\n") {
					t.Error("a wrong name")
				}
			}
			scan := func() {
				s.Reset(count)
				for rest := body.text; len(rest) > 0; {
					m := min(len(rest), size)
					s.Write(rest[:m])
					rest = rest[m:]
				}
				s.End()
			}
			scan()
			if allocs := testing.AllocsPerRun(20, scan); allocs > 0 {
				t.Errorf("%s in chunks of %d: %v allocations", body.name, size, allocs)
			}
			if n == 0 {
				t.Errorf("%s in chunks of %d: no message", body.name, size)
			}
		}
	}
	for _, text := range []string{
		`{"unknown":1}`,
		"{" + strings.Repeat(`"id":1,"params":{"name":1,"_meta":{"progressToken":1}},`, 10_000) + `"id":2}`,
	} {
		var s Scanner
		again := []byte(text)
		if allocs := allocated(func() { s.Reset(nil); s.Write(again); s.End() }); allocs > 32<<10 {
			t.Errorf("%.40s: allocated %d bytes the first time", text, allocs)
		}
		if allocs := testing.AllocsPerRun(20, func() { s.Reset(nil); s.Write(again); s.End() }); allocs > 0 {
			t.Errorf("%.40s: %v allocations", text, allocs)
		}
	}
}

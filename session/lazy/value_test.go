package lazy_test

import (
	"slices"
	"sync"
	"testing"

	"wiretea/session/lazy"
)

// TestValue holds that a value is made at the first use, once, whoever comes first.
func TestValue(t *testing.T) {
	made := 0
	v := lazy.Value[map[string]int]{New: func() map[string]int {
		made++
		return map[string]int{"a": 1}
	}}
	if made != 0 {
		t.Fatal("made before it is used")
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := v.Get()["a"]; got != 1 {
				t.Errorf("got %d, want 1", got)
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Fatalf("made %d times, want once", made)
	}
}

// TestNothing holds that a value that is nil is made once too.
func TestNothing(t *testing.T) {
	made := 0
	v := lazy.Value[*int]{New: func() *int { made++; return nil }}
	first, second := v.Get(), v.Get()
	if first != nil || second != nil || made != 1 {
		t.Fatalf("made %d times, want once", made)
	}
}

// TestPanic holds that a value whose making panics is made again.
func TestPanic(t *testing.T) {
	made := 0
	v := lazy.Value[int]{New: func() int {
		if made++; made == 1 {
			panic("not yet")
		}
		return made
	}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Get does not panic")
			}
		}()
		v.Get()
	}()
	if got := v.Get(); got != 2 {
		t.Fatalf("got %d, want 2", got)
	}
}

// TestFrom holds that a table whose functions use it is made once.
func TestFrom(t *testing.T) {
	made := 0
	var v lazy.Value[int]
	build := func() int { made++; return made }
	first, second, third := v.From(build), v.From(build), v.Get()
	if first != 1 || second != 1 || third != 1 {
		t.Fatalf("made %d times, want once", made)
	}
}

// TestRegexp holds that an expression is compiled once, and that a wrong one panics.
func TestRegexp(t *testing.T) {
	r := lazy.Regexp{Text: "^a+$"}
	if first := r.Get(); !first.MatchString("aa") || first != r.Get() {
		t.Fatal("compiled again")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression does not panic")
		}
	}()
	wrong := lazy.Regexp{Text: "("}
	wrong.Get()
}

// TestLines holds what a table leaves out, and that it may be left early.
func TestLines(t *testing.T) {
	var got []string
	for line := range lazy.Lines("# a comment\n#\n#\tmore\n\na\n  b #\r\n   \n#c\nlast\n") {
		if line == "last" {
			break
		}
		got = append(got, line)
	}
	if want := []string{"a", "  b #", "#c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

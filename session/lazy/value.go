package lazy

import (
	"iter"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// A Value is made by New when Get is first called, and is the same from then on. New must
// be set, unless From is used in place of Get, and must not call Get of the same Value. Several
// goroutines may call Get at once. A Value must not be copied after the first call.
type Value[T any] struct {
	New func() T

	made atomic.Pointer[T]
	mu   sync.Mutex
}

// Get returns what New made. When New panics, so does Get, and the next call calls New
// again.
func (v *Value[T]) Get() T {
	if p := v.made.Load(); p != nil {
		return *p
	}
	return v.make(v.New)
}

// From is Get for a Value without New, for a table whose functions use the table: the
// compiler refuses it as the value of the variable that it is in. Each call passes the same
// function.
func (v *Value[T]) From(make func() T) T {
	if p := v.made.Load(); p != nil {
		return *p
	}
	return v.make(make)
}

func (v *Value[T]) make(make func() T) T {
	v.mu.Lock()
	defer v.mu.Unlock()
	if p := v.made.Load(); p != nil {
		return *p // Another goroutine made it meanwhile.
	}
	t := make()
	v.made.Store(&t)
	return t
}

// A Regexp is a regular expression that is compiled when it is first used. It must not be
// copied after that.
type Regexp struct {
	Text string // Text is in the syntax of package regexp. Get panics where it is not.

	made Value[*regexp.Regexp]
}

// Get returns the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	return r.made.From(r.compile)
}

func (r *Regexp) compile() *regexp.Regexp { return regexp.MustCompile(r.Text) }

// OnTable, if a test sets it, is called for each table that Lines reads.
var OnTable func()

// Lines yields the lines of an embedded table. Blank lines and comments, which begin with a
// "#" and a blank or are a "#" alone, are left out.
func Lines(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if OnTable != nil {
			OnTable()
		}
		for line := range strings.Lines(table) {
			line = strings.TrimRight(line, "\r\n")
			isComment := line == "#" || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#\t")
			if strings.TrimSpace(line) != "" && !isComment && !yield(line) {
				return
			}
		}
	}
}

package lazy

import "regexp"

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

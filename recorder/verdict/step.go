package verdict

import "time"

// A Step is one look at a server at a URL, or one probe of it.
type Step struct {
	Name  string
	State StepState
	Took  time.Duration // Took is 0 where it was not measured.
	Text  string        // Text is what was seen, in one line. It may quote the server.
	Rule  string        // Rule is the rule that the server breaks by it; empty for none.
	Conn  int           // Conn is the connection that its round trips belong to; 0 for none of its own.
}

// StepState is how a Step went.
type StepState uint8

const (
	Skipped StepState = iota // Skipped: it was not made, or there is nothing to judge.
	Passed
	Failed
)

// String returns skipped, passed or failed.
func (s StepState) String() string { return [...]string{"skipped", "passed", "failed"}[s] }

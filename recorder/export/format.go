package export

import (
	"context"
	"io"
)

// A Form is a way to write a recording.
type Form struct {
	Name   string
	Ending string // Ending is that of files in this form: ".html".
	Write  func(ctx context.Context, w io.Writer, r *Recording) error
}

// Forms are all forms but the exact bytes of a stream, the plainest first.
var Forms = []Form{
	{"text", ".txt", Text},
	{"html", ".html", HTML},
	{"md", ".md", Markdown},
	{"har", ".har", HAR},
	{"jsonl", ".jsonl", JSONL},
	{"csv", ".csv", CSV},
	{"go", ".go", Go},
}

// FormOf returns the form of that name.
func FormOf(name string) (Form, bool) {
	for _, f := range Forms {
		if f.Name == name {
			return f, true
		}
	}
	return Form{}, false
}

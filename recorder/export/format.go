package export

import (
	"context"
	"io"
)

// A Format is a way to write a recording.
type Format struct {
	Name   string
	Ending string // Ending is that of files in this format: ".html".
	Write  func(ctx context.Context, w io.Writer, r *Recording) error
}

// Formats are all formats but the exact bytes of a stream. A new format is a file with
// its Write function and a line here.
var Formats = []Format{
	{"text", ".txt", Text},
	{"html", ".html", HTML},
	{"md", ".md", Markdown},
	{"har", ".har", HAR},
	{"jsonl", ".jsonl", JSONL},
	{"csv", ".csv", CSV},
	{"go", ".go", Go},
}

// Lookup returns the format of that name.
func Lookup(name string) (Format, bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

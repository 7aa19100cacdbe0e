package export

import (
	"context"
	"io"
)

// A Format is a way to write a recording.
type Format struct {
	Name   string
	Ending string // Ending is that of files in this format: ".html".
	Says   string // Says is what the format is, for a list of them.
	Write  func(ctx context.Context, w io.Writer, r *Recording) error

	Merged func(ctx context.Context, w io.Writer, m *Merged) error // Merged writes several sessions; nil = it cannot.
	Alone  string                                                  // Alone is why it cannot.
}

// Formats are all formats but the exact bytes of a stream. A new format is a file with
// its Write function and a line here.
var Formats = []Format{
	{"text", ".txt", "one line per frame without timestamps, for comparing two sessions", Text, MergedText, ""},
	{"html", ".html", "one self-contained page: findings, latencies, waterfall, frames", HTML, MergedHTML, ""},
	{"md", ".md", "the text of an issue: findings, the frames around them, how to reproduce them", Markdown, nil, "an issue is about one server"},
	{"har", ".har", "HTTP archive 1.2, for the tools of browsers", HAR, MergedHAR, ""},
	{"curl", ".sh", "the requests of a session over HTTP as commands for curl, with variables for credentials", Curl, nil, "its variables are those of one server"},
	{"jsonl", ".jsonl", "only the messages, one per line", JSONL, MergedJSONL, ""},
	{"csv", ".csv", "the exchanges: latency, sizes, outcome", CSV, MergedCSV, ""},
}

// Names are the names of the formats.
func Names() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
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

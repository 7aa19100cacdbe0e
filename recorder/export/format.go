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

	Alone string // Alone is why it cannot hold several sessions; empty = it can.
}

// Formats are all formats but the exact bytes of a stream. A new format is a file with
// its Write function and a line here.
var Formats = []Format{
	{"text", ".txt", "one line per frame without timestamps, for comparing two sessions", Text, ""},
	{"html", ".html", "one self-contained page: findings, latencies, waterfall, frames", HTML, ""},
	{"md", ".md", "the text of an issue: findings, the frames around them, how to reproduce them", Markdown, "an issue is about one server"},
	{"har", ".har", "HTTP archive 1.2, for the tools of browsers", HAR, ""},
	{"curl", ".sh", "the requests of a session over HTTP as commands for curl, with variables for credentials", Curl, "its variables are those of one server"},
	{"jsonl", ".jsonl", "only the messages, one per line", JSONL, ""},
	{"csv", ".csv", "the exchanges: latency, sizes, outcome", CSV, ""},
}

// MergedNames are the names of the formats that can hold several sessions.
func MergedNames() (names []string) {
	for _, f := range Formats {
		if f.Alone == "" {
			names = append(names, f.Name)
		}
	}
	return names
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

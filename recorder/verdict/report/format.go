package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// A Look says how text is written for a terminal. The zero Look is for files and pipes.
type Look struct {
	Colour bool
	Width  int // Width is where lines are broken, in columns; 0 breaks none.
}

// A writer writes reports in a format.
type writer struct {
	name  string
	write func(w io.Writer, reports []*Report, look Look) error
}

// writers are those of all formats, in the order of the help.
var writers = []writer{
	{"text", writeText},
	{"json", writeJSON},
	{"junit", writeJUnit},
	{"sarif", writeSARIF},
	{"github", writeGitHub},
}

// Formats are the names of the formats.
func Formats() (names []string) {
	for _, f := range writers {
		names = append(names, f.name)
	}
	return names
}

// Write writes reports in a format of Formats. look is for text.
func Write(w io.Writer, format string, look Look, reports ...*Report) error {
	for _, f := range writers {
		if f.name == format {
			return f.write(w, reports, look)
		}
	}
	return fmt.Errorf("unknown format %q", format)
}

// writeJSON writes one report as an object, several as a list.
func writeJSON(w io.Writer, reports []*Report, _ Look) error {
	if len(reports) == 1 {
		return Encode(w, reports[0])
	}
	return Encode(w, reports)
}

// Encode writes a value as JSON for people and programs, indented.
func Encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

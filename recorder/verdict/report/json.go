package report

import (
	"encoding/json"
	"io"
)

// writeJSON writes one report as an object, several as a list.
func writeJSON(w io.Writer, reports []*Report, _ Look) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if len(reports) == 1 {
		return enc.Encode(reports[0])
	}
	return enc.Encode(reports)
}

package content

import (
	"bytes"
	"strings"
)

// mediaWords say what a file that is no image is, in words that are safe to print. They are
// empty for what is not known.
func mediaWords(data []byte) string {
	switch {
	case len(data) >= 12 && string(data[4:8]) == "ftyp":
		return "MP4 (" + strings.TrimSpace(visible(string(data[8:12]))) + ")"
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return "PDF " + visible(string(bytes.TrimSpace(data[5:min(len(data), 8)])))
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "webp, a format that is not drawn"
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		return "gzip"
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		return "ZIP"
	}
	return ""
}

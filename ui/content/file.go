package content

import (
	"cmp"
	"net/http"
	"path"
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// endings are those of files by language, and by MIME type.
var endings = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"markdown": ".md", "json": ".json", "python": ".py", "go": ".go", "bash": ".sh.txt", "sql": ".sql", "xml": ".xml", "yaml": ".yaml", "html": ".html.txt",
		"css": ".css", "javascript": ".js.txt", "typescript": ".ts.txt", "diff": ".diff", "log": ".log",
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "audio/wave": ".wav", "audio/mpeg": ".mp3", "application/ogg": ".ogg", "application/pdf": ".pdf",
	}
}}

func endingOf(language string) string {
	return cmp.Or(endings.Get()[language], ".txt")
}

// maxName is the longest name of a file, in bytes.
const maxName = 80

// fileName is a good name of a file: the last part of a URI or another name, of which
// only what every shell and file system takes is kept. What data is decides on its ending
// where it has none.
func fileName(name, mime string, data []byte) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, path.Base(name))
	name = strings.TrimLeft(name[:min(len(name), maxName)], ".-_")
	name = cmp.Or(name, "content")
	if path.Ext(name) != "" {
		return name
	}
	for _, kind := range []string{kindOf(data), strings.ToLower(mime)} {
		if ending := endings.Get()[kind]; ending != "" {
			return name + ending
		}
	}
	return name + ".bin"
}

// kindOf is the MIME type of data by its bytes.
func kindOf(data []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(data), ";")
	return kind
}

// outside are the types of files that other programs only show.
var outside = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "audio/wave", "audio/mpeg", "application/ogg", "application/pdf"}

// shownOutside is the MIME type of data if it is one of those, else empty.
func shownOutside(data []byte) string {
	if kind := kindOf(data); slices.Contains(outside, kind) {
		return kind
	}
	return ""
}

// Ending is the ending of a file of a Block's Kind.
func Ending(kind string) string { return endings.Get()[kind] }

package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"wiretea/recorder/statistics"
	"wiretea/session/lazy"
	"wiretea/session/text"
	"wiretea/ui/highlight"
)

// contentBlock is an item of a result's or a message's content.
func contentBlock(item value) Block {
	notes, shown := annotations(item), ""
	if item.get("annotations").only("audience priority lastModified") {
		shown = " annotations"
	}
	is := func(member, begins string) bool { return bytes.HasPrefix(item.get(member), []byte(begins)) }
	switch kind := item.get("type").text(); {
	case kind == "text" && is("text", `"`):
		return textBlock("text", item.get("text").text(), "", notes).also(item, "", "type text"+shown)
	case (kind == "image" || kind == "audio") && is("data", `"`):
		return dataBlock(kind, item.get("data").text(), item.get("mimeType").text(), kind, notes).also(item, "mimeType", "type data"+shown)
	case kind == "resource_link" && is("uri", `"`):
		return linkBlock(item, notes).also(item, "title name description", "type uri mimeType size"+shown)
	case kind == "resource" && is("resource", "{"):
		return resourceBlock(item.get("resource"), notes).also(item, "", "type resource"+shown)
	case kind == "tool_use":
		input := item.get("input")
		return Block{Title: "calls the tool " + item.get("name").words(), Notes: notes, draw: func(l *layout) { l.members("  ", input, 0) }}.also(item, "name", "type input"+shown)
	case kind == "tool_result":
		inner := toolResult(item)
		return Block{Title: "result of the tool call " + item.get("toolUseId").words(), Notes: notes, draw: func(l *layout) {
			for _, b := range inner {
				l.wrap(nil, "  ", Part{Ink: Dim, Text: noted(b.Title, b.Notes)})
				if b.draw != nil {
					b.draw(l)
				}
			}
		}}.also(item, "toolUseId", "type content isError"+shown)
	default:
		title := "content of the type " + text.OneLine(kind)
		if kind == "" {
			title = "content without a type"
		}
		return Block{Title: title, Notes: notes, draw: func(l *layout) { l.json("  ", item) }}
	}
}

// annotations are those of an item, in words.
func annotations(item value) string {
	a := item.get("annotations")
	var words []string
	var audience []string
	for _, v := range a.get("audience").items() {
		audience = append(audience, v.words())
	}
	if len(audience) > 0 {
		words = append(words, "for "+strings.Join(audience, " and "))
	}
	if p := a.get("priority"); p.present() {
		words = append(words, "priority "+p.words())
	}
	if t := a.get("lastModified"); t.present() {
		words = append(words, "modified "+t.words())
	}
	return strings.Join(words, " · ")
}

// noted joins what is said of a block.
func noted(notes ...string) string {
	var all []string
	for _, n := range notes {
		if n != "" {
			all = append(all, n)
		}
	}
	return strings.Join(all, " · ")
}

// textBlock is a text. language is empty where it is to be found out.
func textBlock(title, text, language, notes string) Block {
	if language == "" {
		language = languageOf("", "", text)
	}
	if v := value(bytes.TrimSpace([]byte(text))); language == "json" && (v.object() || v.array()) {
		return Block{Title: title + " · JSON", Notes: noted(notes, size(len(text))), Name: "text.json", Data: v, draw: func(l *layout) {
			if l.doc.Source {
				l.text("  ", text, "")
				return
			}
			l.json("  ", v)
		}}
	}
	if decoded, ok := base64Text(text); ok {
		return Block{Title: title + " · base64 of a text", Notes: noted(notes, size(len(text))), Name: "decoded.txt", Data: []byte(decoded), draw: func(l *layout) {
			if l.doc.Source {
				l.text("  ", text, "")
				return
			}
			l.encoded("  ", "base64", nil, value(text), decoded, "")
		}}
	}
	if language != "" {
		title += " · " + language
	}
	return Block{Title: title, Notes: noted(notes, size(len(text))), Name: "text" + endingOf(language), Data: []byte(text), draw: func(l *layout) { l.text("  ", text, language) }}
}

// shortestBase64 is the shortest text that is tried as base64: words are base64 too.
const shortestBase64 = 32

// base64Text decodes a text that is base64 of a text.
func base64Text(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if len(text) < shortestBase64 || len(text)%4 != 0 || strings.ContainsAny(text, " .,-") {
		return "", false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !utf8.Valid(data) || bytes.ContainsFunc(data, func(r rune) bool { return r < 0x20 && !strings.ContainsRune("\n\r\t", r) }) {
		return "", false
	}
	return string(data), true
}

// languages are those of MIME types and endings, for which the look need not be asked.
var languages = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{
		"text/markdown": "markdown", "text/html": "html", "application/json": "json", "application/xml": "xml", "text/xml": "xml", "text/css": "css",
		"text/javascript": "javascript", "application/javascript": "javascript", "application/yaml": "yaml", "text/yaml": "yaml", "application/sql": "sql",
		"text/x-python": "python", "text/x-go": "go", "text/x-sh": "bash", "text/x-diff": "diff", "image/svg+xml": "xml",
		".md": "markdown", ".html": "html", ".json": "json", ".xml": "xml", ".css": "css", ".js": "javascript", ".ts": "typescript", ".yaml": "yaml", ".yml": "yaml",
		".sql": "sql", ".py": "python", ".go": "go", ".sh": "bash", ".diff": "diff", ".patch": "diff", ".svg": "xml", ".log": "log",
	}
}}

// languageOf is the language of a text by its MIME type, its URI, or its look.
func languageOf(mime, uri, text string) string {
	mime, _, _ = strings.Cut(strings.ToLower(mime), ";")
	if l := languages.Get()[strings.TrimSpace(mime)]; l != "" {
		return l
	}
	if l := languages.Get()[strings.ToLower(path.Ext(uri))]; l != "" {
		return l
	}
	return highlight.Language(text)
}

// linkBlock is a link to a resource.
func linkBlock(item value, notes string) Block {
	uri := item.get("uri").text()
	b := Block{Title: "resource link · " + firstOf(item, "title", "name", "uri"), Notes: notes, URI: uri}
	b.draw = func(l *layout) {
		l.wrap(nil, "  ", Part{Ink: Link, Text: visible(uri)})
		l.plain("  ", Plain, item.get("description").text())
		size := ""
		if s := item.get("size"); s.present() {
			size = s.words() + " B"
		}
		name := item.get("name").words()
		if firstOf(item, "title") == "" {
			name = "" // It is the block's title.
		}
		if words := noted(name, item.get("mimeType").words(), size); words != "" {
			l.wrap(nil, "  ", Part{Ink: Dim, Text: words})
		}
	}
	return b
}

// firstOf is the first of the members that is a string, on one line.
func firstOf(item value, members ...string) string {
	for _, name := range members {
		if content := item.get(name).text(); content != "" {
			return text.OneLine(content)
		}
	}
	return ""
}

// resourceBlock is the contents of a resource.
func resourceBlock(item value, notes string) Block {
	uri, mime := item.get("uri").text(), item.get("mimeType").text()
	title := strings.TrimSuffix("resource "+visible(uri), " ")
	if blob := item.get("blob"); blob.present() {
		return dataBlock(title, blob.text(), mime, path.Base(uri), notes).also(item, "uri mimeType blob", "")
	}
	text := item.get("text").text()
	b := textBlock(title, text, languageOf(mime, uri, text), noted(notes, visible(mime)))
	b.Name, b.Data = fileName(uri, mime, b.Data), []byte(text)
	return b.also(item, "uri mimeType text", "")
}

// dataBlock is data in base64: an image is drawn, anything else is described.
func dataBlock(title, encoded, mime, name, notes string) Block {
	data, err := base64.StdEncoding.DecodeString(strings.TrimRight(encoded, "\r\n"))
	if err != nil {
		return Block{Title: title, Bad: true, Notes: noted(notes, visible(mime), "its data is not base64: "+err.Error())}
	}
	b := Block{Title: title, Name: fileName(name, mime, data), Data: data, Kind: shownOutside(data)}
	words, drawable := pictureSize(data)
	if words == "" {
		words = mediaWords(data)
	}
	found := http.DetectContentType(data)
	wrong := ""
	if strings.HasPrefix(found, "image/") && mime != "" && !strings.EqualFold(mime, found) {
		wrong = "the bytes are " + found
	}
	b.Notes = noted(notes, visible(mime), words, text.Size(int64(len(data))), wrong)
	b.draw = func(l *layout) {
		switch {
		case drawable && l.picture("  ", data):
			return
		case utf8.Valid(data) && strings.HasPrefix(found, "text/"):
			l.text("  ", string(data), languageOf(mime, name, string(data)))
			return
		}
		sum := sha256.Sum256(data)
		if mime == "" {
			l.fact("  ", "looks like", Plain, found)
		}
		l.wrap([]Part{{Ink: Dim, Text: "sha-256  "}}, "  ", Part{Ink: Dim, Text: hex.EncodeToString(sum[:])})
	}
	return b
}

const (
	// MaxMessage is the longest message that is read, in bytes.
	MaxMessage = 8 << 20

	// MaxText is how much of one text is laid out, in bytes.
	MaxText = 64 << 10

	// maxLines is how many lines are laid out.
	maxLines = 20_000
)

// An Ink says what a piece of a line is, from which a theme takes its style.
type Ink uint8

const (
	Plain   Ink = iota
	Dim         // Dim is what matters less.
	Strong      // Strong is emphasised.
	Heading     // Heading of a block or a section.
	Link        // Link is a URI.
	Good
	Warn
	Bad
	code // code is highlight.Plain; the other kinds of highlight follow.
)

// Code returns what a piece of source code is; ok is false for any other text.
func (k Ink) Code() (kind highlight.Kind, ok bool) {
	if k < code {
		return 0, false
	}
	return highlight.Kind(k - code), true
}

// A Part is a piece of a line. Its text is safe to print.
type Part struct {
	Ink  Ink
	Text string
	SGR  string // SGR are the parameters of the style of a picture's cell, empty = that of Ink.
}

// A Line is one line of a layout.
type Line struct {
	Parts []Part
	URI   string // URI is a resource that the line links to, verbatim; empty = none.

	// Block is the index of the line's block; -1 = between two.
	Block int

	Fold  string // Fold is the part that the line begins and that folds, empty = none.
	Open  bool   // Open: that part is unfolded.
	Depth int    // Depth is how many parts that fold the line is in.

	Log int // Log is the index in Message.Log of what the line shows, -1 = nothing.

	// Picture is what the line is a part of, and Row which line of that; nil = none.
	Picture *Picture
	Row     int
}

// A Block is a part of a message that is laid out by itself, such as an item of a
// result's content.
type Block struct {
	Title string // Title says what it is, safe to print.
	Notes string // Notes are its role, annotations and cost, safe to print.
	Bad   bool   // Bad: it is an error.
	URI   string // URI is the resource that it is, or links to; empty = none.

	// Data is what can be saved, nil = nothing, and Name a good name of a file with it, of
	// ASCII letters, digits, points, dashes and underscores.
	Name string
	Data []byte

	// Kind is the MIME type of Data by its own bytes, where that is of an image, of
	// audio or of a PDF, which other programs show without running it; else empty.
	Kind string

	draw func(l *layout)
}

// size says how large a text for the model is.
func size(bytes int) string {
	return text.Size(int64(bytes)) + " · ≈ " + text.Plural(statistics.Tokens(int64(bytes)), "token")
}

package content

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// TestMedia holds what is said of files that are no images.
func TestMedia(t *testing.T) {
	for name, tt := range map[string]struct{ data, want string }{
		"pdf":          {"%PDF-1.7\n%…", "PDF 1.7"},
		"pdf, hostile": {"%PDF-\x1b[m", "PDF ␛[m"},
		"mp4":          {"\x00\x00\x00\x18ftypM4A \x00", "MP4 (M4A)"},
		"gzip":         {"\x1f\x8b\x08", "gzip"},
		"zip":          {"PK\x03\x04", "ZIP"},
		"audio":        {"RIFF\x00\x00\x00\x00WAVE", ""},
		"nothing":      {"", ""},
	} {
		if got := mediaWords([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func FuzzMedia(f *testing.F) {
	f.Add([]byte("%PDF-1.7"))
	f.Add([]byte("\x00\x00\x00\x18ftypM4A \x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBP"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkLines(t, []Line{{Parts: []Part{{Text: mediaWords(data)}}}}, 200)
		if name := fileName(string(data), "", data); strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\"'$&;`, r) }) || name[0] == '.' || name[0] == '-' {
			t.Errorf("the name of a file %q", name)
		}
	})
}

// TestFileNames holds that what peers call a file is safe to write.
func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"demo://a/report.md": "report.md", "file:///../../etc/passwd": "passwd.bin", "": "content.bin", "..": "content.bin", "/": "content.bin", "a b\x1b[m;rm -rf.sh": "a_b__m_rm_-rf.sh",
		"-rf": "rf.bin", "\u202egnp.exe": "gnp.exe", strings.Repeat("a", 300): strings.Repeat("a", maxName) + ".bin",
	} {
		if got := fileName(name, "", nil); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// bomb is a PNG file of one colour with many pixels in few bytes.
func bomb(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func imageResult(files ...[]byte) []byte {
	var items []string
	for _, f := range files {
		items = append(items, fmt.Sprintf(`{"type":"image","mimeType":"image/png","data":%q}`, base64.StdEncoding.EncodeToString(f)))
	}
	return []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[` + strings.Join(items, ",") + `]}}`)
}

// TestPixelBudget holds that the images of a message together are decoded up to a number
// of pixels, and that the rest says so.
func TestPixelBudget(t *testing.T) {
	large := bomb(t, 4096, 3072) // 12 Mpx
	doc := Read(Message{Method: "tools/call", Response: imageResult(large, bytes.Clone(large), bomb(t, 16, 16))})
	text := written(doc.Layout(60, false), false)
	if n := strings.Count(text, "decoding takes too long"); n != 1 || doc.pixels > maxPixels {
		t.Errorf("%d images are refused, %d pixels were decoded:\n%s", n, doc.pixels, text)
	}
	if !strings.Contains(text, "png 16×16") {
		t.Errorf("the small one is not there:\n%s", text)
	}
	huge := Read(Message{Method: "tools/call", Response: imageResult(withSize(bomb(t, 8, 8), 1<<20, 1<<20))})
	if text := written(huge.Layout(60, false), false); !strings.Contains(text, "too large to draw") || huge.pixels > 0 {
		t.Errorf("an image of 2^40 pixels:\n%s", text)
	}
}

// TestScans holds that a JPEG file counts as often as it would be decoded, and that nothing is
// decoded for a selection that has moved on.
func TestScans(t *testing.T) {
	head := "\xff\xd8\xff\xc2\x00\x0b\x08\x07\xd0\x07\xd0\x01\x01\x11\x00" // progressive, 2000×2000, one component
	for scans, want := range map[int]string{1: "damaged", 10 * freeScans: "decoding takes too long"} {
		doc := Read(Message{Method: "tools/call", Response: imageResult([]byte(head + strings.Repeat("\xff\xda\x00\x02", scans)))})
		if text := written(doc.Layout(60, false), false); !strings.Contains(text, want) {
			t.Errorf("%d scans:\n%s", scans, text)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	doc := Read(Message{Method: "tools/call", Response: imageResult(bomb(t, 1024, 1024))})
	doc.Wanted = ctx
	if lines := doc.Layout(60, false); slices.ContainsFunc(lines, func(l Line) bool { return l.Picture != nil }) {
		t.Error("an image was decoded in vain")
	}
}

// withSize is a PNG file that claims another size.
func withSize(data []byte, w, h uint32) []byte {
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	return withChecksums(data)
}

// TestPictureLines holds that a picture's lines are a whole picture, for terminals that
// draw it, and that the styles of its cells are parameters only.
func TestPictureLines(t *testing.T) {
	lines := Read(Message{Method: "tools/call", Response: imageResult(bomb(t, 30, 20))}).Layout(60, true)
	row := 0
	for _, l := range lines {
		if l.Picture == nil {
			continue
		}
		if l.Row != row || l.Picture.Cols != 30 || l.Picture.Rows != 10 || l.Picture.Indent != 2 || l.Picture.Image.Bounds().Dx() != 30 {
			t.Errorf("line %d of the picture: %+v of %+v", row, l.Row, l.Picture)
		}
		for _, p := range l.Parts {
			if strings.ContainsAny(p.SGR, "\x1b[m") {
				t.Errorf("the style %q is not only parameters", p.SGR)
			}
		}
		row++
	}
	if row != 10 {
		t.Errorf("%d lines", row)
	}
}

// TestSchemaBeside holds that what is wrong with structured content by the output schema
// is beside the member.
func TestSchemaBeside(t *testing.T) {
	output := `{"type":"object","properties":{"temp":{"type":"number"},"where":{"type":"object","properties":{"city":{"type":"string"}}},"days":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}},"required":["temp","wind"]}`
	read := func(structured, schema string) (string, bool) {
		doc := Read(Message{Method: "tools/call", Response: []byte(`{"result":{"content":[],"structuredContent":` + structured + `}}`), Schema: []byte(schema)})
		return written(doc.Layout(76, false), false), doc.Blocks[len(doc.Blocks)-1].Bad
	}
	text, bad := read(`{"temp":"warm","where":{"city":7},"days":[{"n":1},{"n":"x"}]}`, output)
	if !bad || !strings.Contains(text, "does not match the output schema") {
		t.Errorf("the fault is not said:\n%s", text)
	}
	for member, next := range map[string]string{"temp": "number", "city": "string", "n  x": "integer"} {
		_, after, ok := strings.Cut(text, "  "+member)
		if lines := strings.Split(after, "\n"); !ok || len(lines) < 2 || !strings.Contains(lines[1], "✖ ") || !strings.Contains(lines[1], next) {
			t.Logf("looked for %q after %q", next, member)
			t.Errorf("no judgement beside the member:\n%s", text)
		}
	}
	if !strings.Contains(text, "wind") {
		t.Errorf("the member that is missing is not named:\n%s", text)
	}
	if text, bad := read(`{"temp":1,"wind":2}`, output); bad || !strings.Contains(text, "matches the output schema") {
		t.Errorf("what matches:\n%s", text)
	}
	for _, schema := range []string{"", `{"type":7}`, `[`, "null"} {
		if text, bad := read(`{"temp":1}`, schema); bad || strings.Contains(text, "schema") {
			t.Errorf("the schema %q judges:\n%s", schema, text)
		}
	}
}

// TestDifferences holds what is said of structured content and the text beside it.
func TestDifferences(t *testing.T) {
	for name, tt := range map[string]struct {
		structured, text string
		want             []string
	}{
		"no JSON":     {`{"a":1}`, `a is 1`, []string{"!the text"}},
		"the same":    {`{"a":1,"b":[2]}`, `{ "b": [2], "a": 1 }`, []string{"· the same as the text", "!≠"}},
		"another one": {`{"a":1}`, `[1]`, []string{"· another value than the text", "!≠"}},
		"each kind": {`{"a":2,"c":"\u001b[2J"}`, `{"a":1,"b":{"x":[1,` + "\n" + ` 2]}}`, []string{"· differs from the text",
			"≠ .a is 2, in the text 1\n", `≠ .b is in the text only: {"x":[1,2]}`, "≠ .c is not in the text\n"}},
		"many": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, `{}`, []string{"≠ .e is", "!≠ .f", "… 2 more differences"}},
		"long": {`{"a":"x"}`, `{"a":"` + strings.Repeat("日", 500) + `"}`, []string{"日日…"}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			doc := Read(Message{Method: "tools/call", Response: fmt.Appendf(nil, `{"result":{"content":[{"type":"text","text":%s}],"structuredContent":%s}}`, text, tt.structured)})
			lines := doc.Layout(200, false)
			expect(t, lines, tt.want...)
			checkLines(t, lines, 200)
			checkLines(t, doc.Layout(34, false), 34)
		})
	}
}

// TestSource holds that the source of what is laid out is one step away.
func TestSource(t *testing.T) {
	for text, in := range map[string][2]string{
		"# Head\n\n- **bold**": {"• bold", "- **bold**"},
		`{"a":"{\"b\":1}"}`:    {`"b": 1`, `{"a":"{\"b\":1}"}`},
		base64.StdEncoding.EncodeToString([]byte("a text that is long enough to be told from a word")): {"▸ YSB0ZXh0", "  YSB0ZXh0IHRo"},
	} {
		quoted, _ := json.Marshal(text)
		doc := Read(Message{Method: "tools/call", Response: []byte(`{"result":{"content":[{"type":"text","text":` + string(quoted) + `}]}}`)})
		laidOut := written(doc.Layout(76, false), false)
		doc.Source = true
		source := written(doc.Layout(76, false), false)
		if !strings.Contains(laidOut, in[0]) || strings.Contains(source, in[0]) || !strings.Contains(source, in[1]) {
			t.Errorf("%q:\n%s\nsource:\n%s", text, laidOut, source)
		}
	}
}

// TestProgressOverTime holds the bars of a request's progress.
func TestProgressOverTime(t *testing.T) {
	doc := Read(Message{Method: "tools/call", Request: []byte(`{"params":{"name":"brew"}}`)})
	doc.Progress = []Step{{After: 1e9, Done: 1, Total: 4, Says: "water"}, {After: 2e9, Done: 4, Total: 4}, {After: 3e9, Done: 7}}
	text := written(doc.Layout(60, false), false)
	for _, want := range []string{"progress  3 notifications", "+1.00 s", "25 %", "water", "100 %", "+3.00 s"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	checkLines(t, doc.Layout(30, false), 30)
}

// TestHandshakeColumns holds that client and server are beside each other where there is
// room for both.
func TestHandshakeColumns(t *testing.T) {
	m := Message{Method: "initialize", Request: []byte(`{"params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}}}`),
		Response: []byte(`{"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}`)}
	wide, narrow := written(Read(m).Layout(80, false), false), written(Read(m).Layout(40, false), false)
	if !strings.Contains(wide, "asked for 2025-06-18, agreed on 2025-03-26") {
		t.Errorf("the versions:\n%s", wide)
	}
	line := func(text, word string) int { return strings.Count(text[:strings.Index(text, word)], "\n") }
	if line(wide, "client c 1") != line(wide, "server s 2") || line(narrow, "client c 1") == line(narrow, "server s 2") {
		t.Errorf("wide:\n%s\nnarrow:\n%s", wide, narrow)
	}
}

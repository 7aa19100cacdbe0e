package recorder

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"wiretea/session"
)

// TestCopyFromCounts checks that the count of a copy is its length, with records that lie
// across the ends of what is read at once.
func TestCopyFromCounts(t *testing.T) {
	h := header()
	text := appendHeader(nil, &h)
	for i := range 40 {
		text = append(text, strings.Repeat("x", 50_000+i)+"\n"...)
	}
	var out bytes.Buffer
	n, err := CopyFrom(&out, bytesLog(append(text, "torn"...)), 0)
	if err != nil || n != int64(out.Len()) || !bytes.Equal(out.Bytes(), text) {
		t.Errorf("%d bytes are counted, %d copied of %d, %v", n, out.Len(), len(text), err)
	}
}

// TestRepairCounts checks that the end that a repair adds counts what is in raw records
// too.
func TestRepairCounts(t *testing.T) {
	h := header()
	file := string(appendHeader(nil, &h)) +
		`{"k":"raw","n":1,"t":1,"d":"s2c","len":4,"s":"a\nb\n"}` + "\n" +
		`{"k":"f","n":2,"t":2,"d":"err","len":3,"s":"abc"}` + "\n"
	var out bytes.Buffer
	if _, err := Repair(t.Context(), &out, bytesLog([]byte(file)), time.Time{}); err != nil {
		t.Fatal(err)
	}
	list := mustRead(t, out.Bytes())
	if end := list[len(list)-1]; end.Kind != session.RecEnd || end.End.Frames != 3 || end.End.Bytes != 8 {
		t.Errorf("it ends with %+v", end)
	}
}

func TestShortName(t *testing.T) {
	for want, h := range map[string]session.Header{
		"given":  {Name: "given", Cmd: []string{"node", "s.js"}, URL: "https://h.example/mcp"},
		"s":      {Cmd: []string{"node", "s.js"}, URL: "https://h.example/mcp"},
		"server": {},
	} {
		if got := ShortName(&h); got != want {
			t.Errorf("%+v is called %q, want %q", h, got, want)
		}
	}
	if got := ShortName(&session.Header{URL: "https://h.example:1/mcp"}); !strings.HasPrefix(got, "h.example") {
		t.Errorf("a server at a URL is called %q", got)
	}
}

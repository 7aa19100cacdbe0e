package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// The jsontext package is the second opinion. It does not go deeper than this.
const jsontextDepth = 10_000

// walk reads text as one JSON value with the jsontext package, and returns how
// deep it nests.
func walk(text []byte, opts ...jsontext.Options) (depth int, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), opts...)
	for {
		if _, err = dec.ReadToken(); err != nil {
			return depth, err
		}
		depth = max(depth, dec.StackDepth())
		if dec.StackDepth() == 0 {
			break
		}
	}
	if _, err = dec.ReadToken(); err != io.EOF {
		return depth, errors.New("more than one value")
	}
	return depth, nil
}

var lax = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// last returns the raw text of the member that a path leads to, the last of each
// name; nil where it leads nowhere.
func last(t *testing.T, raw []byte, path ...string) []byte {
	for _, name := range path {
		dec := jsontext.NewDecoder(bytes.NewReader(raw), lax...)
		if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
			return nil
		}
		raw = nil
		for dec.PeekKind() != '}' {
			tok, err := dec.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			found := tok.String() == name
			value, err := dec.ReadValue()
			if err != nil {
				t.Fatal(err)
			}
			if found {
				raw = slices.Clone(value)
			}
		}
		if raw == nil {
			return nil
		}
	}
	return raw
}

// checkText compares what a Scanner says of the whole text with what the
// standard library and the jsontext package say.
func checkText(t *testing.T, text []byte) {
	t.Helper()
	got := Scan(text, nil)
	if got.Len != int64(len(text)) {
		t.Errorf("length %d", got.Len)
	}
	if (got.Defects&InvalidUTF8 == 0) != utf8.Valid(text) {
		t.Errorf("invalid UTF-8: %v", got.Defects)
	}
	if (got.Defects&NULByte != 0) != bytes.Contains(text, []byte{0}) {
		t.Errorf("NUL bytes: %v", got.Defects)
	}
	separators := bytes.ContainsAny(text, "\r\n") ||
		bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029"))
	if (got.Defects&RawLineSeparator != 0) != separators {
		t.Errorf("line separators: %v", got.Defects)
	}
	mark := bytes.HasPrefix(text, []byte("\ufeff"))
	if (got.Defects&ByteOrderMark != 0) != mark {
		t.Errorf("byte order mark: %v", got.Defects)
	}
	if mark || got.Depth >= jsontextDepth {
		return
	}
	depth, err := walk(text, lax...)
	if (got.Syntax == Complete) != (err == nil) {
		t.Errorf("%v, jsontext says %v", got, err)
	}
	if err != nil {
		return
	}
	if got.Depth != depth {
		t.Errorf("depth %d, want %d", got.Depth, depth)
	}
	_, err = walk(text, jsontext.AllowDuplicateNames(true))
	if (got.Defects&(InvalidUTF8|LoneSurrogate) == 0) != (err == nil) {
		t.Errorf("%v, jsontext without invalid UTF-8 says %v", got.Defects, err)
	}
	if err == nil {
		_, err = walk(text)
		if (got.Defects&DuplicateKey == 0) != (err == nil) {
			t.Errorf("%v, jsontext without duplicate names says %v", got.Defects, err)
		}
		checkMembers(t, text)
	}
}

// checkMembers compares the members that are captured of a message.
func checkMembers(t *testing.T, text []byte) {
	Scan(text, func(m *Message) {
		if m.Elem >= 0 {
			return
		}
		same := func(v *Value, path ...string) {
			want := last(t, text, path...)
			if m.Type != Object {
				want = nil
			}
			if v.Present() != (want != nil) || v.Len != int64(len(want)) ||
				!bytes.Equal(v.Raw, want[:min(len(want), MaxCapture)]) {
				t.Errorf("%s is %+v %q, want %q", strings.Join(path, "."), v.Span, v.Raw, want)
				return
			}
			if want != nil && !bytes.Equal(text[v.Off:v.Off+v.Len], want) {
				t.Errorf("%s is at %d", strings.Join(path, "."), v.Off)
			}
			checkDecoded(t, v, want)
		}
		same(&m.Version, "jsonrpc")
		same(&m.ID, "id")
		same(&m.Method, "method")
		for f := range NumFields {
			same(m.Field(f), fieldPaths[f]...)
		}
		for name, span := range map[string]Span{"params": m.Params, "result": m.Result, "error": m.Error} {
			want := last(t, text, name)
			if (span.Type != Absent) != (want != nil) || !bytes.Equal(text[span.Off:span.Off+span.Len], want) {
				t.Errorf("%s is %+v, want %q", name, span, want)
			}
		}
	})
}

// checkDecoded compares the decoded text of v, whose raw text is raw.
func checkDecoded(t *testing.T, v *Value, raw []byte) {
	got, ok := v.Unquoted()
	if ok != (v.Type == String && len(raw) <= MaxCapture) {
		t.Errorf("%q: unquoted %v", raw, ok)
	}
	if !ok {
		return
	}
	want, err := jsontext.AppendUnquote(nil, raw)
	if err != nil || got != string(want) {
		t.Errorf("%q: unquoted %q, want %q (%v)", raw, got, want, err)
	}
	if !v.Is(string(want)) || v.Is(string(want)+"x") || v.Is("x"+string(want)) {
		t.Errorf("%q is not %q", raw, want)
	}
}

func TestSecondOpinion(t *testing.T) {
	for _, test := range texts {
		t.Run("", func(t *testing.T) {
			checkText(t, []byte(test.text))
			if t.Failed() {
				t.Logf("%q", test.text)
			}
		})
	}
}

// FuzzScanner compares with the second opinion.
func FuzzScanner(f *testing.F) {
	for _, test := range texts {
		f.Add([]byte(test.text))
	}
	f.Fuzz(checkText)
}

// FuzzSplits checks that it makes no difference where the chunks end.
func FuzzSplits(f *testing.F) {
	for _, test := range texts {
		f.Add([]byte(test.text), uint64(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var chunks [][]byte
		for rest := text; len(rest) > 0; {
			n := rng.IntN(min(len(rest), 1+int(seed%64)) + 1)
			chunks = append(chunks, rest[:n])
			rest = rest[n:]
		}
		var s Scanner
		want := scan(&s, text)
		if diff := cmp.Diff(want, scan(&s, chunks...)); diff != "" {
			t.Fatalf("split (-whole +split):\n%s", diff)
		}
	})
}

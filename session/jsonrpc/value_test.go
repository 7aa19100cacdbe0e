package jsonrpc

import (
	"strings"
	"testing"
)

// TestHash checks that a hash is that of the raw text, however it came.
func TestHash(t *testing.T) {
	value := strings.Repeat(`["tool",1.5]`, 50)
	text := []byte(`{"id":[` + value[:len(value)-1] + `]],"method":"m"}`)
	text = []byte(strings.ReplaceAll(string(text), `][`, `],[`))
	hashes := func(text []byte, at int) (id, method uint64) {
		var s Scanner
		s.Reset(func(m *Message) { id, method = m.ID.Hash, m.Method.Hash })
		s.Write(text[:at])
		s.Write(text[at:])
		if got := s.End(); got.Syntax != Complete {
			t.Fatalf("%+v", got)
		}
		return id, method
	}
	id, method := hashes(text, 0)
	if id == 0 || method == 0 || id == method {
		t.Fatalf("hashes %x and %x", id, method)
	}
	for at := range text {
		if i, m := hashes(text, at); i != id || m != method {
			t.Fatalf("split at %d: hashes %x and %x, want %x and %x", at, i, m, id, method)
		}
	}
	other := []byte(strings.Replace(string(text), `"tool",1.5]]`, `"tool",1.6]]`, 1))
	if i, m := hashes(other, 0); i == id || m != method {
		t.Errorf("another id has the hash %x", i)
	}
}

func TestVerbatim(t *testing.T) {
	for _, test := range []struct {
		text string
		want bool
	}{
		{`{"a":[1,"é\u2028\ud83d\udE00"],"a":2}`, true}, {`{"a":"\ud800"}`, false}, {`{"\uDC00":1}`, false}, {`["\ud83d\ud83d\ude00"]`, false}, {`"\\ud800"`, true},
		{`[[1]]`, true}, {`[[[1]]]`, false}, {`{`, false}, {`{}{}`, false}, {`{} `, false}, {" {}", false},
		{"[1,\n2]", false}, {"\"\u2028\"", false}, {"\"\xff\"", false}, {"\ufeff{}", false}, {``, false}, {`x`, false},
	} {
		text := Scan([]byte(test.text), nil)
		if got := text.Verbatim(2); got != test.want {
			t.Errorf("%q: %v, want %v", test.text, got, test.want)
		}
	}
}

func TestInt(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"-0", 0, true}, {"42", 42, true}, {"-42", -42, true},
		{"9223372036854775807", 9223372036854775807, true}, {"9223372036854775808", 0, false},
		{"-9223372036854775808", -9223372036854775808, true}, {"-9223372036854775809", 0, false},
		{"99999999999999999999999", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {`"1"`, 0, false}, {"null", 0, false},
		{strings.Repeat("1", 300), 0, false},
	} {
		Scan([]byte(`{"id":`+test.text+`}`), func(m *Message) {
			if got, ok := m.ID.Int(); got != test.want || ok != test.ok {
				t.Errorf("%.30s: %d, %v", test.text, got, ok)
			}
		})
	}
}

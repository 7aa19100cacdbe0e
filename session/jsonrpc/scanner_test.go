package jsonrpc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Short forms for the tables. Values, Batches and Emitted are told by the
// messages where they are left out.
func whole(depth int, messages ...string) facts {
	return facts{Text{Syntax: Complete, Values: 1, Emitted: len(messages), BadAt: -1, Depth: depth}, messages}
}

func batch(depth int, messages ...string) facts {
	f := whole(depth, messages...)
	f.Batches = 1
	return f
}

func open(depth int) facts {
	return facts{Text{Syntax: Incomplete, BadAt: -1, Depth: depth}, nil}
}

func bad(at int64, depth int, messages ...string) facts {
	return facts{Text{Syntax: Malformed, BadAt: at, Emitted: len(messages), Depth: depth}, messages}
}

func trailing(at int64, depth int, messages ...string) facts {
	n := len(messages)
	return facts{Text{Syntax: Trailing, BadAt: at, Values: n, Emitted: n, Depth: depth}, messages}
}

func (f facts) with(d Defect) facts {
	f.Defects |= d
	return f
}

var empty = facts{Text{Syntax: Empty, BadAt: -1}, nil}

var texts = []struct {
	text string
	want facts
}{
	// The kinds of messages.
	{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, whole(1, `request object 0+40 jsonrpc="2.0"@11 id=1@22 method="ping"@33`)},
	{`{"method":"a","id":null}`, whole(1, `request object 0+24 id=null@19 method="a"@10`)},
	{`{"method":"a"}`, whole(1, `notification object 0+14 method="a"@10`)},
	{`{"method":null}`, whole(1, `notification object 0+15 method=null@10`)},
	{`{"id":"1","result":{}}`, whole(2, `result object 0+22 id="1"@6 result=object@19+2`)},
	{`{"id":1.0,"error":[],"result":0}`, whole(2, `error object 0+32 id=1.0@6 result=number@30+1 error=array@18+2`)},
	{`{"error":null}`, whole(1, `error object 0+14 error=null@9+4`)},
	{`{"result":1,"method":2}`, whole(1, `notification object 0+23 method=2@21 result=number@10+1`)},
	{`{}`, whole(1, `invalid object 0+2`)},
	{`{"id":[1,{"id":2}]}`, whole(3, `invalid object 0+19 id=[1,{"id":2}]@6`)},
	{`{"level":"info","level_":1,"":2}`, whole(1, `invalid object 0+32 unknown="level"`)},
	{`0`, whole(0, `invalid number 0+1`)},
	{`true`, whole(0, `invalid bool 0+4`)},
	{`false`, whole(0, `invalid bool 0+5`)},
	{`null`, whole(0, `invalid null 0+4`)},
	{`""`, whole(0, `invalid string 0+2`)},
	{`"{\"id\":1}"`, whole(0, `invalid string 0+12`)},

	// Paths.
	{
		`{"params":{"name":"n","_meta":{"progressToken":7,"name":1},"arguments":{"uri":"u","_meta":{"progressToken":8}},"uri":"v"}}`,
		whole(4, `invalid object 0+122 params=object@10+111 params.name="n"@18 params.uri="v"@117`+
			` params.arguments={"uri":"u","_meta":{"progressToken":8}}@71 params._meta.progressToken=7@47`),
	},
	{
		`{"result":{"task":{"taskId":"t"},"isError":true,"content":[{"isError":false}]},"error":{"code":-1,"data":{"supported":["a"]},"message":"m"}}`,
		whole(4, `error object 0+140 result=object@10+68 error=object@87+52 result.isError=true@43`+
			` result.task.taskId="t"@28 error.code=-1@95 error.message="m"@135 error.data.supported=["a"]@118`),
	},
	{`{"params":[{"name":1}],"name":2}`, whole(3, `invalid object 0+32 params=array@10+12 unknown="name"`)},
	{`{"a":{"name":1,"id":2,"params":{"name":3}}}`, whole(3, `invalid object 0+43 unknown="a"`)},
	{`{"params":{"params":{"name":3},"task":{"taskId":1}}}`, whole(3, `invalid object 0+52 params=object@10+41 params.task={"taskId":1}@38`)},
	{`{"params":5,"x":{"name":1}}`, whole(2, `invalid object 0+27 params=number@10+1 unknown="x"`)},

	// Keys.
	{`{"\u0069d":1,"ID":2}`, whole(1, `invalid object 0+20 id=1@11 unknown="ID"`)},
	{`{"\u0070arams":{"n\u0061me":"\u0061"}}`, whole(2, `invalid object 0+38 params=object@15+22 params.name="\u0061"@28`)},
	{`{"a\n\ud83d\ude00":1}`, whole(1, `invalid object 0+21 unknown="a\n😀"`)},
	{`{"é":1}`, whole(1, `invalid object 0+8 unknown="é"`)},
	{`{"id":1,"id":2}`, whole(1, `invalid object 0+15 id=2@13 (duplicate key)`).with(DuplicateKey)},
	{`{"id":1,"\u0069d":2}`, whole(1, `invalid object 0+20 id=2@18 (duplicate key)`).with(DuplicateKey)},
	{`{"":1,"":2}`, whole(1, `invalid object 0+11 (duplicate key)`).with(DuplicateKey)},
	{`{"a":{"b":1},"b":[{"a":1},{"a":2}]}`, whole(3, `invalid object 0+35 unknown="a"`)},
	{`[{"a":1},{"x":{"b":1,"b":2}}]`, batch(3,
		`invalid object 1+7 elem=0 unknown="a"`, `invalid object 9+19 elem=1 unknown="x" (duplicate key)`).with(DuplicateKey)},
	{
		`{"params":{"name":1,"_meta":{"progressToken":2}},"params":{"uri":3}}`,
		whole(3, `invalid object 0+68 params=object@58+9 params.uri=3@65 (duplicate key)`).with(DuplicateKey),
	},
	{
		`{"params":{"name":1,"_meta":{"progressToken":2},"_meta":0}}`,
		whole(3, `invalid object 0+59 params=object@10+48 params.name=1@18 (duplicate key)`).with(DuplicateKey),
	},
	{
		`{"` + strings.Repeat("k", 100) + `":1,"` + strings.Repeat("k", 99) + `l":1}`,
		whole(1, `invalid object 0+211 unknown="`+strings.Repeat("k", 64)+`"`),
	},
	{
		`{"` + strings.Repeat("k", 100) + `":1,"` + strings.Repeat(`k`, 70) + `\u006b` + strings.Repeat("k", 29) + `":1}`,
		whole(1, `invalid object 0+216 unknown="`+strings.Repeat("k", 64)+`" (duplicate key)`).with(DuplicateKey),
	},

	// Batches and several values.
	{`[]`, batch(1)},
	{`[ ]`, batch(1)},
	{`[{"id":1},2,[{"id":3}],{}]`, batch(3, `invalid object 1+8 elem=0 id=1@7`, `invalid number 10+1 elem=1`,
		`invalid array 12+10 elem=2`, `invalid object 23+2 elem=3`)},
	{`{"id":1}{"id":2}`, trailing(-1, 1, `invalid object 0+8 id=1@6`, `invalid object 8+8 id=2@14`)},
	{`{} [] 1 "a"`, facts{
		Text{Syntax: Trailing, Defects: OuterSpace, Values: 4, Batches: 1, Emitted: 3, BadAt: -1, Depth: 1},
		[]string{`invalid object 0+2`, `invalid number 6+1`, `invalid string 8+3`},
	}},
	{`[1][2]`, facts{
		Text{Syntax: Trailing, Values: 2, Batches: 2, Emitted: 2, BadAt: -1, Depth: 1},
		[]string{`invalid number 1+1 elem=0`, `invalid number 4+1 elem=0`},
	}},
	{`{}garbage`, trailing(2, 1, `invalid object 0+2`)},
	{`{}{"a":}`, trailing(7, 1, `invalid object 0+2`)},
	{`{}{"a":`, trailing(-1, 1, `invalid object 0+2`)},
	{`1 2`, trailing(-1, 0, `invalid number 0+1`, `invalid number 2+1`).with(OuterSpace)},
	{`1"a"null{}`, trailing(-1, 1, `invalid number 0+1`, `invalid string 1+3`, `invalid null 4+4`, `invalid object 8+2`)},
	{`1,`, trailing(1, 0, `invalid number 0+1`)},
	{`null]`, trailing(4, 0, `invalid null 0+4`)},
	{`{}}`, trailing(2, 1, `invalid object 0+2`)},
	{`[{"id":1},{"id":}]`, bad(16, 2, `invalid object 1+8 elem=0 id=1@7`)},

	// Numbers and literals.
	{`-0`, whole(0, `invalid number 0+2`)},
	{`-12.50e+07`, whole(0, `invalid number 0+10`)},
	{`1E5`, whole(0, `invalid number 0+3`)},
	{`0e-0`, whole(0, `invalid number 0+4`)},
	{`[0,1.5,-1]`, batch(1, `invalid number 1+1 elem=0`, `invalid number 3+3 elem=1`, `invalid number 7+2 elem=2`)},
	{`01`, bad(1, 0)}, {`-01`, bad(2, 0)}, {`+1`, bad(0, 0)}, {`.5`, bad(0, 0)}, {`--1`, bad(1, 0)},
	{`1.2.3`, bad(3, 0)}, {`1.e5`, bad(2, 0)}, {`1e5.`, bad(3, 0)}, {`1ee`, bad(2, 0)}, {`1e+-`, bad(3, 0)},
	{`1-2`, bad(1, 0)}, {`10x`, bad(2, 0)}, {`nullx`, bad(4, 0)}, {`truefalse`, bad(4, 0)}, {`[1.]`, bad(3, 1)},
	{`[-]`, bad(2, 1)}, {`[1 2]`, bad(3, 1, `invalid number 1+1 elem=0`)}, {`NaN`, bad(0, 0)}, {`nan`, bad(1, 0)},
	{`Infinity`, bad(0, 0)}, {`True`, bad(0, 0)}, {`tru `, bad(3, 0)}, {`0x1`, bad(1, 0)},
	{`-`, open(0)}, {`1.`, open(0)}, {`1e`, open(0)}, {`1e+`, open(0)}, {`tru`, open(0)}, {`n`, open(0)},

	// Structure.
	{``, empty},
	{"\t \r\n", empty.with(OuterSpace | RawLineSeparator)},
	{`[`, open(1)}, {`{`, open(1)}, {`{"a"`, open(1)}, {`{"a":`, open(1)}, {`{"a":1`, open(1)}, {`{"a":1,`, open(1)},
	{`"`, open(0)}, {`"\`, open(0)}, {`"\u12`, open(0)}, {`[[[`, open(3)}, {`[1`, open(1)},
	{`[1,`, facts{Text{Syntax: Incomplete, BadAt: -1, Depth: 1, Emitted: 1}, []string{`invalid number 1+1 elem=0`}}},
	{`[1,]`, bad(3, 1, `invalid number 1+1 elem=0`)}, {`[,1]`, bad(1, 1)}, {`{,}`, bad(1, 1)}, {`{"a":1,}`, bad(7, 1)},
	{`{"a"}`, bad(4, 1)}, {`{"a" 1}`, bad(5, 1)}, {`{a:1}`, bad(1, 1)}, {`{1:1}`, bad(1, 1)}, {`{"a":1]`, bad(6, 1)},
	{`[1}`, bad(2, 1, `invalid number 1+1 elem=0`)}, {`[}`, bad(1, 1)}, {`{]`, bad(1, 1)}, {`]`, bad(0, 0)},
	{`{"a":1 "b":2}`, bad(7, 1)}, {`{'a':1}`, bad(1, 1)}, {`{"a":1,,}`, bad(7, 1)}, {`{:1}`, bad(1, 1)},
	{`/* c */{}`, bad(0, 0)}, {"[1,\v2]", bad(3, 1, `invalid number 1+1 elem=0`)}, {"[\x7f]", bad(1, 1)},
	{`Server started on {"port":1}`, bad(0, 0)},
	{` {"a" : [ 1 , 2 ] } `, whole(2, `invalid object 1+18 unknown="a"`).with(OuterSpace)},
	{"{\n  \"id\": 1,\r\n          \"method\": \"m\"\n}", whole(1,
		`request object 0+39 id=1@10 method="m"@34 (raw line separator)`).with(RawLineSeparator)},

	// Strings.
	{`"\"\\\/\b\f\n\r\t\u00e9"`, whole(0, `invalid string 0+24`)},
	{`"\x"`, bad(2, 0)}, {`"\u12g4"`, bad(5, 0)}, {`"\u 123"`, bad(3, 0)}, {`"\U0041"`, bad(2, 0)}, {`"\'"`, bad(2, 0)},
	{"\"a\nb\"", bad(2, 0).with(RawLineSeparator)},
	{"\"a\tb\"", bad(2, 0)}, {"\"\x1f\"", bad(1, 0)},
	{"\"\x7f\"", whole(0, `invalid string 0+3`)},
	{"\"a\x00b\"", bad(2, 0).with(NULByte)},
	{"\x00", bad(0, 0).with(NULByte)},
	{"x\r", bad(0, 0).with(RawLineSeparator)},
	{"\"\u2028\"", whole(0, `invalid string 0+5 (raw line separator)`).with(RawLineSeparator)},
	{"\"\u2029\"", whole(0, `invalid string 0+5 (raw line separator)`).with(RawLineSeparator)},
	{"\"\u2027\u202a\"", whole(0, `invalid string 0+8`)},
	{"\u2028", bad(0, 0).with(RawLineSeparator)},
	{`"\u2028"`, whole(0, `invalid string 0+8`)},

	// Surrogates.
	{`"\ud83d\ude00"`, whole(0, `invalid string 0+14`)},
	{`"\ud83d"`, whole(0, `invalid string 0+8 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ude00"`, whole(0, `invalid string 0+8 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ud83dx\ude00"`, whole(0, `invalid string 0+15 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ud83d\n"`, whole(0, `invalid string 0+10 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ud83d\ud83d\ude00"`, whole(0, `invalid string 0+20 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ud83dé"`, whole(0, `invalid string 0+10 (lone surrogate)`).with(LoneSurrogate)},
	{`"\ud83d\u0041"`, whole(0, `invalid string 0+14 (lone surrogate)`).with(LoneSurrogate)},
	{`{"\ud83d":1,"\ufffd":2}`, whole(1, `invalid object 0+23 unknown="`+"\ufffd"+`" (duplicate key, lone surrogate)`).with(DuplicateKey | LoneSurrogate)},

	// UTF-8.
	{`"é€😀"`, whole(0, `invalid string 0+11`)},
	{"\"\xff\"", whole(0, `invalid string 0+3 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xc3\"", whole(0, `invalid string 0+3 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xe2\x80\"", whole(0, `invalid string 0+4 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xe2\x80\\n\"", whole(0, `invalid string 0+6 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xe2\xe2\x80\xa8\"", whole(0, `invalid string 0+6 (invalid UTF-8, raw line separator)`).with(InvalidUTF8 | RawLineSeparator)},
	{"\"\xc0\xaf\"", whole(0, `invalid string 0+4 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xe0\x80\xaf\"", whole(0, `invalid string 0+5 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xed\xa0\x80\"", whole(0, `invalid string 0+5 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xf0\x80\x80\x80\"", whole(0, `invalid string 0+6 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xf4\x90\x80\x80\"", whole(0, `invalid string 0+6 (invalid UTF-8)`).with(InvalidUTF8)},
	{"\"\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\"", whole(0, `invalid string 0+12`)},
	{"\"\xe2\x80", open(0).with(InvalidUTF8)},
	{"{\"\xff\":1,\"\xfe\":2}", whole(1, "invalid object 0+13 unknown=\"\\xff\" (invalid UTF-8)").with(InvalidUTF8)},
	{"caf\xe9", bad(0, 0).with(InvalidUTF8)},
	{"café", bad(0, 0)},
	{"café\xc3", bad(0, 0).with(InvalidUTF8)},

	// Byte order mark.
	{"\ufeff{}", whole(1, `invalid object 3+2`).with(ByteOrderMark)},
	{"\ufeff", empty.with(ByteOrderMark)},
	{"\ufeff\ufeff{}", bad(3, 0).with(ByteOrderMark)},
	{" \ufeff{}", bad(1, 0).with(OuterSpace)},
	{"\"\ufeff\"", whole(0, `invalid string 0+5`)},
	{"\xef\xbb", open(0).with(InvalidUTF8)},
	{"\xef\xbb{}", bad(0, 0).with(InvalidUTF8)},
	{"\xef\xbc\x81", bad(0, 0)},

	// Captures.
	{`{"id":"` + strings.Repeat("a", 254) + `"}`, whole(1, `invalid object 0+263 id="`+strings.Repeat("a", 254)+`"@6`)},
	{`{"id":"` + strings.Repeat("a", 255) + `"}`, whole(1, `invalid object 0+264 id="`+strings.Repeat("a", 255)+`@6…257`)},
	{`{"id":` + strings.Repeat("1", 300) + `,"method":"m"}`, whole(1,
		`request object 0+320 id=`+strings.Repeat("1", 256)+`@6…300 method="m"@316`)},
}

func TestScanner(t *testing.T) {
	var s Scanner
	for _, test := range texts {
		text := []byte(test.text)
		test.want.Len = int64(len(text))
		if diff := cmp.Diff(test.want, scan(&s, text)); diff != "" {
			t.Errorf("%.80q (-want +got):\n%s", test.text, diff)
			continue
		}
		var single [][]byte
		for i := range text {
			single = append(single, text[i:i+1])
			if diff := cmp.Diff(test.want, scan(&s, text[:i], text[i:])); diff != "" {
				t.Errorf("%.80q split at %d (-want +got):\n%s", test.text, i, diff)
			}
		}
		if diff := cmp.Diff(test.want, scan(&s, single...)); diff != "" {
			t.Errorf("%.80q byte by byte (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestSyntax checks that Syntax in mid-text says what End would say of the text
// so far, and that asking changes nothing.
func TestSyntax(t *testing.T) {
	for _, test := range texts {
		var s Scanner
		s.Reset(nil)
		for i := range len(test.text) {
			want := Scan([]byte(test.text[:i]), nil).Syntax
			if got := s.Syntax(); got != want {
				t.Errorf("%.80q after %d bytes: %v, want %v", test.text, i, got, want)
			}
			s.Write([]byte{test.text[i]})
		}
		if text := s.End(); text.Syntax != test.want.Syntax || text.BadAt != test.want.BadAt {
			t.Errorf("%.80q: %+v", test.text, text)
		}
	}
}

// TestScan checks that Scan, and a Scanner that was never Reset, agree with one
// that was.
func TestScan(t *testing.T) {
	for _, test := range texts {
		test.want.Len = int64(len(test.text))
		var messages []string
		got := Scan([]byte(test.text), func(m *Message) { messages = append(messages, render(m)) })
		if diff := cmp.Diff(test.want, facts{got, messages}); diff != "" {
			t.Errorf("%.80q (-want +got):\n%s", test.text, diff)
		}
		var fresh Scanner
		fresh.Write([]byte(test.text))
		if diff := cmp.Diff(test.want.Text, fresh.End()); diff != "" {
			t.Errorf("%.80q without Reset (-want +got):\n%s", test.text, diff)
		}
	}
}

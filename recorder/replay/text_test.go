package replay

import (
	"testing"

	"wiretea/session/jsonrpc"
)

func TestSplice(t *testing.T) {
	for _, c := range []struct {
		name, head, body, term string
		id                     string
		want, line             string
	}{
		{"a longer id", "", `{"id": 4 ,"result":{"id":4}}`, "\r\n", `"four"`, `{"id": "four" ,"result":{"id":4}}` + "\r\n", `{"id": "four" ,"result":{"id":4}}` + "\n"},
		{"the same id", "", `{"id":4,"result":{}}`, "", `4`, `{"id":4,"result":{}}`, `{"id":4,"result":{}}` + "\n"},
		{"over lines", "", "{\n \"id\":4,\r\n \"result\":{}}", "\n", `5`, "{\n \"id\":5,\r\n \"result\":{}}\n", `{  "id":5,   "result":{}}` + "\n"},
		{"framed by header", "content-length:  20\r\nX: 20\r\n\r\n", `{"id":4,"result":{}}`, "", `"1234"`,
			"content-length:  25\r\nX: 20\r\n\r\n" + `{"id":"1234","result":{}}`, "Content-Length: 25\r\n\r\n" + `{"id":"1234","result":{}}`},
		{"a header that counts wrong is left alone", "Content-Length: 7\r\n\r\n", `{"id":4,"result":{}}`, "", `55`,
			"Content-Length: 7\r\n\r\n" + `{"id":55,"result":{}}`, "Content-Length: 21\r\n\r\n" + `{"id":55,"result":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := text{raw: []byte(c.head + c.body + c.term), body: len(c.head), end: len(c.head + c.body)}
			var list []splice
			scanMessages(x.json(), func(m *jsonrpc.Message) { list = spliceAt(list, x.json(), m.ID.Span, []byte(c.id)) })
			if got := string(x.splice(list)); got != c.want {
				t.Errorf("spliced it is %q, want %q", got, c.want)
			}
			if got := string(x.oneLine(list)); got != c.line {
				t.Errorf("on a line it is %q, want %q", got, c.line)
			}
		})
	}
}

func TestFitID(t *testing.T) {
	for _, c := range [][4]string{
		{`3`, `3`, `"x"`, `"x"`},
		{`3`, `"3"`, `8`, `"8"`},
		{`3`, `"3"`, `"x"`, `"x"`},
		{`"3"`, `3`, `"8"`, `8`},
		{`"3"`, `3`, `"x"`, `"x"`},
		{`3`, `3.0`, `8`, `8`},
	} {
		if got := string(fitID(c[0], c[1], []byte(c[2]))); got != c[3] {
			t.Errorf("%s answered as %s is %s for %s, want %s", c[0], c[1], got, c[2], c[3])
		}
	}
}

func TestMemberSpan(t *testing.T) {
	body := []byte(` {"result": {"a":[1,{"b":2}],"_meta" : {"x": "y\"" , "b":3} } }`)
	var in jsonrpc.Span
	scanMessages(body, func(m *jsonrpc.Message) { in = m.Result })
	for path, want := range map[string]string{"x": `"y\""`, "b": `3`, "c": ""} {
		at := memberSpan(body, in, "_meta", path)
		if got := string(at.In(body)); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

package replay

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"wiretea/session/json/diff"
	"wiretea/session/jsonrpc"
)

// FuzzParamsHash holds that parameters with one key mean the same, and that the
// order of members does not count.
func FuzzParamsHash(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":1,"b":[1,{"c":"é"}]}`, `{"b":[1.0,{"c":"\u00e9"}],"a":1e0}`},
		{`{"a":1,"_meta":{"x":1}}`, `{"a":1}`},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`},
		{`{"a":1e-400}`, `{"a":0}`},
		{`{"a":1,"a":2}`, `{"a":2,"a":1}`},
		{`{}`, `[]`}, {`""`, `null`}, {`{"a":[]}`, `{"a":{}}`}, {`nonsense`, `{"`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b || paramsHash([]byte(a)) != paramsHash([]byte(b)) {
			return
		}
		changes, err := diff.Compare([]byte(a), []byte(b), aside.Get()...)
		if err == nil && len(changes) > 0 && !strings.Contains(a+b, `\u`) && !duplicates(a) && !duplicates(b) {
			t.Fatalf("%q and %q have one key, and differ: %+v", a, b, changes[0])
		}
	})
}

// duplicates reports whether a name is twice in an object: then only its order
// tells the values apart, which does not count here.
func duplicates(text string) bool {
	found := jsonrpc.Scan([]byte(text), nil)
	return found.Defects&(jsonrpc.DuplicateKey|jsonrpc.KeysUnchecked|jsonrpc.InvalidUTF8) != 0
}

// FuzzSplice holds that a new id takes the old one's place, and that nothing else
// changes.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`), `"x"`)
	f.Add([]byte(`[{"id" : "a","method":"m"},{"error":{},"id":-1.5}]`), `12345678901234567890`)
	f.Add([]byte("{\n\"id\":\t7 ,\r\n\"result\":{\"id\":7}}"), `8`)
	f.Fuzz(func(t *testing.T, body []byte, id string) {
		if with := jsonrpc.Scan([]byte(id), nil); with.Syntax != jsonrpc.Complete || strings.TrimSpace(id) != id || strings.ContainsAny(id, "{[") || len(id) > 100 {
			return
		}
		var list []splice
		rest := len(body)
		first := jsonrpc.Scan(body, func(m *jsonrpc.Message) {
			if m.ID.Present() && m.Kind != jsonrpc.Invalid {
				list = spliceAt(list, body, m.ID.Span, []byte(id))
			}
		})
		if first.Syntax != jsonrpc.Complete || first.Defects != 0 {
			return
		}
		for _, sp := range list {
			rest += len(sp.with) - int(sp.len)
		}
		out := apply(body, list)
		if len(out) != rest {
			t.Fatalf("%q became %q: %d bytes, want %d", body, out, len(out), rest)
		}
		if second := jsonrpc.Scan(out, func(m *jsonrpc.Message) {
			if m.ID.Present() && m.Kind != jsonrpc.Invalid && m.ID.Whole() && string(m.ID.Raw) != id {
				t.Errorf("%q became %q: an id is %s", body, out, m.ID.Raw)
			}
		}); second.Syntax != jsonrpc.Complete || second.Emitted != first.Emitted {
			t.Errorf("%q became %q", body, out)
		}
	})
}

// FuzzMock records whatever lines, and serves them to their own client, and to one
// that says something else: it ends with its input, and never panics.
func FuzzMock(f *testing.F) {
	f.Add(strings.Join(after("→ "+call("1", "ask", ""), `← {"jsonrpc":"2.0","id":"s","method":"roots/list"}`, `→ {"jsonrpc":"2.0","id":"s","result":{}}`, `← {"jsonrpc":"2.0","id":1,"result":{}}`), "\n"), "{}")
	f.Add("→ [1,{\"id\":1,\"method\":\"a\"},{\"id\":1,\"method\":\"a\"}]\n← {\"id\":1,\"result\":1}\n← {\"id\":1,\"result\":1}\nclosed\nexit 3", `{"id":1,"method":"a"}`)
	f.Add("→ Content-Length: 2\n← {\n← \"id\":1\n←in x\n→out y\neof\n! z\nconn 2\n→ {\"method\":\"initialize\",\"id\":null}", "Content-Length: 5\r\n\r\n{\"a\"")
	f.Fuzz(func(t *testing.T, lines, said string) {
		var recorded []string
		var own bytes.Buffer
		for line := range strings.SplitSeq(lines, "\n") {
			word, rest, _ := strings.Cut(line, " ")
			switch word {
			case "→", "←", "→in", "←in", "→out", "←out", "!", "eof", "closed":
				recorded = append(recorded, line)
			case "exit":
				recorded = append(recorded, "exit 3")
			case "conn":
				recorded = append(recorded, "conn 2")
			}
			if word == "→" {
				own.WriteString(rest + "\n")
			}
		}
		for _, end := range []End{ClientEnd, ServerEnd} {
			scripts, err := ReadScripts(record(t, recorded...), end)
			if err != nil {
				continue
			}
			for _, in := range []string{own.String(), said} {
				for _, cfg := range []Mock{{}, {Unmatched: Nearest, Healthy: true}, {Unmatched: Empty}} {
					ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
					if _, err := cfg.Serve(ctx, scripts, strings.NewReader(in), io.Discard, io.Discard); err != nil {
						t.Errorf("serving: %v", err)
					}
					if ctx.Err() != nil {
						t.Error("it did not end with its input")
					}
					stop()
				}
			}
		}
	})
}

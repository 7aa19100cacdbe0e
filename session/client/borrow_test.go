package client

import (
	"encoding/json"
	"testing"
)

func TestBorrow(t *testing.T) {
	const theirs = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x","_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{ "roots" : {} },"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"1.0"}}}}`
	const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{ "roots" : {} },"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"1.0"}`
	for _, c := range []struct{ name, params, request, want string }{
		{"none", ``, theirs, `{"_meta":{` + meta + `}}`},
		{"some", `{"name":"echo", "n":1.0}`, theirs, `{"name":"echo", "n":1.0,"_meta":{` + meta + `}}`},
		{"own", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1","progressToken":3}}`, theirs,
			`{"_meta":{"io.modelcontextprotocol/protocolVersion":"1","progressToken":3,"io.modelcontextprotocol/clientCapabilities":{ "roots" : {} },"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"1.0"}}}`},
		{"legacy", `{"a":1}`, `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":1}}}`, `{"a":1}`},
		{"nothing to borrow", `{"a":1}`, `{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"a":1}`},
		{"no JSON", `{"a":1}`, `{`, `{"a":1}`},
	} {
		got, borrowed := CopyClientMeta(json.RawMessage(c.params), json.RawMessage(c.request))
		if string(got) != c.want || borrowed != (c.request == theirs) {
			t.Errorf("%s: %s, %t", c.name, got, borrowed)
		}
	}
}

func TestMessage(t *testing.T) {
	for _, c := range []struct{ method, params, want string }{
		{"tools/list", ``, `{"jsonrpc":"2.0","id":0,"method":"tools/list"}`},
		{"tools/call", "{ \"n\": 1.0,\n\"s\": \"\\u00e9\" }", `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{ "n": 1.0, "s": "\u00e9" }}`},
		{"notifications/cancelled", `{"requestId":1}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
	} {
		if got, err := Message(c.method, json.RawMessage(c.params)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v", c.method, got, err)
		}
	}
	if got, err := Message("x", json.RawMessage(`{`)); err == nil {
		t.Errorf("%s was made of what is no JSON", got)
	}
}

package wire

import "testing"

func TestRepeatedKey(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{`{"a":1,"b":2}`, "", false},
		{`{"a":1,"b":{"a":2},"c":["a","a",{"a":1}]}`, "", false},
		{`{"a":1,"a":2}`, "a", true},
		{`{"x":{"id":1,"\u0069d":2}}`, "id", true},
		{`[{"k":"k"},{"k":"\"k\":"}]`, "", false},
		{`{"a":"{\"b\":1,\"b\":2}","c`, "", false},
		{`}]{"a":1,"a`, "", false},
	}
	for _, tt := range tests {
		if got, ok := repeatedKey([]byte(tt.in)); got != tt.want || ok != tt.ok {
			t.Errorf("repeatedKey(%s) = %q, %v", tt.in, got, ok)
		}
	}
}

func TestSignatureOf(t *testing.T) {
	tests := []struct {
		line, want string
	}{
		{"[dotenv@17.2.3] injecting env (3) from .env", "dotenv"},
		{"◇ injected env (0) from .env", "dotenv"},
		{"npm warn deprecated inflight@1.0.6", "npm"},
		{"added 31 packages in 2s", "npm"},
		{"> node server.js", "npm-run"},
		{"info: Microsoft.Hosting.Lifetime[14]", "dotnet"},
		{"      Now listening on: http://localhost:5000", "dotnet"},
		{" :: Spring Boot ::                (v3.2.0)", "spring"},
		{"Traceback (most recent call last):", "traceback"},
		{"(node:71) [DEP0040] DeprecationWarning: punycode", "node"},
		{"INFO:root:ready", "python-logging"},
		{"INFO:     Uvicorn running on http://127.0.0.1:8000", "uvicorn"},
		{"\x1b[32minfo\x1b[39m: ready", "logger"},
		{"\x1b[1mready\x1b[0m", "ansi"},
		{"{'jsonrpc': '2.0'}", "python-repr"},
		{"[object Object]", "js-object"},
		{"HTTP/1.1 200 OK", "http"},
		{"Usage: server [options]", "usage"},
		{"2026-11-20T10:00:00Z ready", "logger"},
		{"[10:00:00] ready", "logger"},
		{"    at Object.<anonymous> (/srv/s.js:1:7)", "stack"},
		{"Server started!", "text"},
	}
	for _, tt := range tests {
		if got := signatureOf([]byte(tt.line), true).name; got != tt.want {
			t.Errorf("signatureOf(%q) = %s, want %s", tt.line, got, tt.want)
		}
	}
	if got := signatureOf([]byte("Server started!"), false).name; got != "banner" {
		t.Errorf("before any message: %s, want banner", got)
	}
}

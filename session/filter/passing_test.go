package filter

import (
	"strings"
	"testing"

	"wiretea/session"
)

// TestPassing holds what a filter says of a message that no row shows yet, with its text and
// without.
func TestPassing(t *testing.T) {
	call := Passing{Stream: session.C2S, Kind: session.RowRequest, Method: "tools/call", Target: "echo", ID: "7", Body: []byte(`{"method":"tools/call","x":"Secret"}`)}
	failed := Passing{Stream: session.S2C, Kind: session.RowResult, Failed: true, Method: "tools/call", Target: "echo", ID: `"7"`, Body: []byte(`{}`)}
	succeeded := failed
	succeeded.Failed = false
	log := Passing{Stream: session.S2C, Kind: session.RowNotification, Method: "notifications/message", Target: "error", Body: []byte(`{}`)}
	for _, test := range []struct {
		filter string
		m      Passing
		want   Verdict
		blind  Verdict // blind is the result where the text is not known.
	}{
		{"", call, Yes, Yes},
		{"m:tools/call t:echo d:c2s is:request", call, Yes, Yes},
		{"m:tools/call t:add", call, No, No},
		{"t~^ech", call, Yes, Yes},
		{"-t:echo", call, No, No},
		{"t:echo b:secret", call, Yes, Body},
		{"t:add b:secret", call, No, No},
		{"t:echo | b:nothing", call, Yes, Yes},
		{"b~Secr.t", call, Yes, Body},
		{"-b:secret", call, No, Body},
		{"secret", call, Yes, Body},
		{"j:.x=Secret", call, Yes, Body},
		{"-j:.x=Other", call, Yes, Body},
		{"echo", call, Yes, Yes},
		{"id:7", call, Yes, Body},
		{`id:"7"`, call, No, Body},
		{"size>10", call, Yes, Body},
		{"size>10k", call, No, Body},
		{"is:error", call, No, No},
		{"is:error", failed, Yes, Yes},
		{"is:error", succeeded, No, No},
		{"is:response m:tools/call", failed, Yes, Yes},
		{"is:response", call, No, No},
		{"is:log level>=warning", log, Yes, Yes},
		{"level<warning", log, No, No},
	} {
		f := parsed(t, test.filter)
		m := test.m
		if got := f.Passing(&m); got != test.want {
			t.Errorf("%q: %v, want %v", test.filter, got, test.want)
		}
		m.Body = nil
		if got := f.Passing(&m); got != test.blind {
			t.Errorf("%q without the text: %v, want %v", test.filter, got, test.blind)
		}
	}
}

func TestCheckPassing(t *testing.T) {
	for text, want := range map[string]string{
		"m:a t:b d:c2s id:1 is:request size>1 level:info b:x j:.x y": "",
		"lat>1s":             "lat: is not known",
		"a | (b -sev:error)": "sev: is not known",
		"is:late":            "is:late is not known",
		"header:x":           "header: is not a part",
		"trip:1":             "trip: is not known",
	} {
		f := parsed(t, text)
		if err := f.CheckPassing(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, by := range map[string][2]bool{ // by: names alone decide; it names responses
		"m:a t:b is:request d:c2s": {true, false},
		"m:a b:x":                  {false, false},
		"is:response m:a":          {true, true},
		"-is:response":             {true, false},
		"-(x -is:error)":           {false, true},
	} {
		f := parsed(t, text)
		if f.ByName() != by[0] || f.Responses() != by[1] {
			t.Errorf("%q: by name %v, responses %v", text, f.ByName(), f.Responses())
		}
	}
}

package session

import (
	"strings"
	"testing"
)

// TestWhole holds when rules see all of a body, and that a message's spans are
// places in it.
func TestWhole(t *testing.T) {
	res := result("1", `{"content":[]}`)
	long := result("1", `"`+strings.Repeat("x", MaxWhole)+`"`)
	for _, tt := range []struct {
		name    string
		records []Record
		want    string
		result  string
	}{
		{"a frame", []Record{server(0, res)}, res, `{"content":[]}`},
		{"behind a byte order mark", []Record{server(0, "\ufeff"+res)}, "\ufeff" + res, `{"content":[]}`},
		{"in pieces", []Record{raw(0, S2C, res[:9]), raw(600, S2C, res[9:]), raw(700, S2C, "\n")}, res, `{"content":[]}`},
		{"the next frame in pieces", []Record{raw(0, S2C, "abc\n"+res+"\n")}, res, `{"content":[]}`},
		{"the last one of a batch", []Record{server(0, "["+res+","+res+"]")}, "[" + res + "," + res + "]", `{"content":[]}`},
		{"as long as may be", []Record{server(0, long[:40]+long[len(long)-MaxWhole+40:])}, long[:40] + long[len(long)-MaxWhole+40:], ""},
		{"too long", []Record{server(0, long)}, "", ""},
		{"too long in pieces", []Record{raw(0, S2C, long), raw(1, S2C, "\n")}, "", ""},
		{"several lines", []Record{server(0, res[:40]), server(1, res[40:])}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, place string
			w := &witness{seen: func(ev *Event, _ Reporter) {
				if ev.Kind == FrameGrew && ev.Frame.Whole != nil {
					t.Errorf("a frame that has not ended has all of its body: %q", ev.Frame.Whole)
				}
				if ev.Kind != MessageSeen {
					return
				}
				got, place = string(ev.Frame.Whole), ""
				if at := ev.Message.Result; len(got) > 0 && len(got) < 200 {
					place = got[at.Off:][:at.Len]
				}
			}}
			play(t, Config{Checkers: []Checker{w}}, tt.records...)
			if got != tt.want || place != tt.result {
				t.Errorf("%d bytes %.80q, want %d; result %q", len(got), got, len(tt.want), place)
			}
		})
	}
}

package recorder

import (
	"reflect"
	"testing"

	"wiretea/session"
)

// recordLines are records of each kind, with all of their members.
var recordLines = []string{
	`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"ab","tool":"t","t0":"2026-11-20T10:00:00Z","mode":"run","tr":"stdio","cmd":["s"]}`,
	`{"k":"f","n":3,"c":2,"t":24834112,"t1":24810000,"d":"s2c","y":"r","id":"1","m":"tools/call","o":"echo","len":37,"e":"\r\n","way":"in","b":{"jsonrpc":"2.0","id":1,"result":{ }}}`,
	`{"k":"f","n":4,"t":24900000,"d":"s2c","y":"x","len":14,"x":"c3RyYXkg//4gYnl0ZXM="}`,
	`{"k":"f","n":5,"t":25000000,"d":"err","len":18,"s":"listening on stdio"}`,
	`{"k":"raw","n":6,"t":25000001,"d":"c2s","len":2,"s":"ab"}`,
	`{"k":"io","n":7,"t":26000000,"d":"s2c","ev":"eof","side":"server"}`,
	`{"k":"proc","n":8,"t":26100000,"ev":"exit","code":3,"sig":"SIGKILL"}`,
	`{"k":"gap","n":9,"t":26100001,"d":"s2c","bytes":7,"frames":1,"why":"memory"}`,
	`{"k":"end","n":10,"t":26200000,"frames":4,"bytes":1848,"lost":7,"why":"eof"}`,
}

// TestParseTorn checks that a line that is cut anywhere, or begins anywhere, brings
// nothing down.
func TestParseTorn(t *testing.T) {
	for _, line := range recordLines {
		var rec session.Record
		if err := new(parser).parse([]byte(line), &rec); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for i := range line {
			for _, part := range []string{line[:i], line[i:], line[:i] + "}", line[:i] + line[min(i+1, len(line)):]} {
				_ = new(parser).parse([]byte(part), &rec) // Some are records.
			}
		}
	}
}

// TestParseAgain checks that nothing of a record is left in the next one.
func TestParseAgain(t *testing.T) {
	var p parser
	var rec session.Record
	for _, before := range recordLines {
		for _, line := range recordLines {
			var alone session.Record
			if err := new(parser).parse([]byte(line), &alone); err != nil {
				t.Fatal(err)
			}
			_ = p.parse([]byte(before), &rec) // It was parsed above.
			if err := p.parse([]byte(line), &rec); err != nil || !reflect.DeepEqual(rec, alone) {
				t.Errorf("%s after %s: %+v, %v; want %+v", line, before, rec, err, alone)
			}
		}
	}
}

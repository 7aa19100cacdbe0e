package recorder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"wiretea/session"
)

const (
	ms  = int64(1e6)
	sec = int64(1e9)
)

// TestRecords holds what single chunks become, to the letter.
func TestRecords(t *testing.T) {
	deep := strings.Repeat("[", 201) + strings.Repeat("]", 201)
	cases := map[string]struct {
		stream session.Stream
		data   string
		want   string
	}{
		"request":         {session.C2S, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}` + "\n", `"d":"c2s","y":"q","id":"1","m":"tools/call","o":"echo","len":71,"b":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}}`},
		"string id":       {session.S2C, `{"jsonrpc":"2.0","id":"1","result":{}}` + "\n", `"d":"s2c","y":"r","id":"\"1\"","len":38,"b":{"jsonrpc":"2.0","id":"1","result":{}}}`},
		"notification":    {session.C2S, `{"jsonrpc":"2.0","method":"a\u002fb"}` + "\n", `"d":"c2s","y":"n","m":"a/b","len":37,"b":{"jsonrpc":"2.0","method":"a\u002fb"}}`},
		"error":           {session.S2C, `{"id":1.0,"error":{"code":1}}` + "\r\n", `"d":"s2c","y":"e","id":"1.0","len":29,"e":"\r\n","b":{"id":1.0,"error":{"code":1}}}`},
		"resource":        {session.C2S, `{"id":2,"method":"resources/read","params":{"uri":"file:///a"}}` + "\n", `"d":"c2s","y":"q","id":"2","m":"resources/read","o":"file:///a","len":63,"b":{"id":2,"method":"resources/read","params":{"uri":"file:///a"}}}`},
		"batch":           {session.C2S, `[{"id":1,"method":"a"}]` + "\n", `"d":"c2s","y":"b","len":23,"b":[{"id":1,"method":"a"}]}`},
		"scalar":          {session.C2S, "1.0\n", `"d":"c2s","y":"x","len":3,"b":1.0}`},
		"text":            {session.S2C, "Server \"started\"!\n", `"d":"s2c","y":"x","len":17,"s":"Server \"started\"!"}`},
		"stderr":          {session.Stderr, "listening on stdio\n", `"d":"err","len":18,"s":"listening on stdio"}`},
		"stderr JSON":     {session.Stderr, `{"level":"info"}` + "\n", `"d":"err","len":16,"b":{"level":"info"}}`},
		"empty":           {session.S2C, "\n", `"d":"s2c","y":"x","len":0,"s":""}`},
		"outer space":     {session.S2C, ` {"id":1,"result":1}` + "\n", `"d":"s2c","y":"r","id":"1","len":20,"s":" {\"id\":1,\"result\":1}"}`},
		"trailing CR":     {session.S2C, "{}\r\r\n", `"d":"s2c","y":"x","len":3,"e":"\r\n","s":"{}\r"}`},
		"BOM":             {session.S2C, "\ufeff{}\n", `"d":"s2c","y":"x","len":5,"s":"` + "\ufeff" + `{}"}`},
		"inner CR":        {session.S2C, "{\r}\n", `"d":"s2c","y":"x","len":3,"s":"{\r}"}`},
		"line separators": {session.S2C, "[\"\u2028\u2029€\"]\n", `"d":"s2c","y":"b","len":13,"s":"[\"\u2028\u2029€\"]"}`},
		"invalid UTF-8":   {session.S2C, "streak \xff\xfe bytes\n", `"d":"s2c","y":"x","len":15,"x":"c3RyZWFrIP/+IGJ5dGVz"}`},
		"half a pair":     {session.S2C, `{"id":"\ud800","result":1}` + "\n", `"d":"s2c","y":"r","id":"\"\\ud800\"","len":26,"s":"{\"id\":\"\\ud800\",\"result\":1}"}`},
		"invalid in JSON": {session.S2C, "{\"id\":1,\"result\":\"\xff\"}\n", `"d":"s2c","y":"r","id":"1","len":21,"x":"eyJpZCI6MSwicmVzdWx0Ijoi/yJ9"}`},
		"NUL":             {session.S2C, "\x00\n", `"d":"s2c","y":"x","len":1,"s":"\u0000"}`},
		"broken JSON":     {session.S2C, "{\"id\":1,}\n", `"d":"s2c","y":"x","len":9,"s":"{\"id\":1,}"}`},
		"two values":      {session.S2C, "{}{}\n", `"d":"s2c","y":"x","len":4,"s":"{}{}"}`},
		"too deep":        {session.S2C, deep + "\n", `"d":"s2c","y":"b","len":402,"s":"` + deep + `"}`},
		"deep":            {session.S2C, deep[1:401] + "\n", `"d":"s2c","y":"b","len":400,"b":` + deep[1:401] + `}`},
		"long hint": {session.C2S, `{"method":"` + strings.Repeat("é", 126) + `x€€"}` + "\n",
			`"d":"c2s","y":"n","m":"` + strings.Repeat("é", 126) + `x","len":272,"b":{"method":"` + strings.Repeat("é", 126) + `x€€"}}`},
		"header block": {session.S2C, "Content-Length: 2\r\n\r\n", `"d":"s2c","y":"x","len":17,"e":"\r\n\r\n","s":"Content-Length: 2"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := &script{steps: []step{{at: 5, batch: []session.Observation{chunk(5, c.stream, c.data)}}}}
			file := recordAll(t, s, NewMemory(0))
			lines := strings.Split(string(file), "\n")
			if want := `{"k":"f","n":1,"t":5,` + c.want; lines[1] != want {
				t.Errorf("got  %s\nwant %s", lines[1], want)
			}
			checkLines(t, file)
			if got := streams(mustRead(t, file))[place{1, c.stream}]; string(got) != c.data {
				t.Errorf("read back %q, want %q", got, c.data)
			}
		})
	}
}

// TestBodies holds that what a header block announces is a frame of its own.
func TestBodies(t *testing.T) {
	s := &script{steps: []step{{batch: []session.Observation{
		chunk(1, session.S2C, "Content-Length: 2\r\n\r\n{}Content-Le"), chunk(2, session.S2C, "ngth: 3\r\n\r\n[]"), chunk(3, session.S2C, "\n"),
	}}}}
	list := mustRead(t, recordAll(t, s, NewMemory(0)))
	var got []string
	for _, rec := range list {
		if rec.Kind == session.RecFrame {
			got = append(got, fmt.Sprintf("%d-%d %s|%q", rec.T1, rec.T, rec.Body, rec.Term))
		}
	}
	want := []string{`1-1 Content-Length: 2|"\r\n\r\n"`, `1-1 {}|""`, `1-2 Content-Length: 3|"\r\n\r\n"`, "2-3 []\n|\"\""}
	if strings.Join(got, ";") != strings.Join(want, ";") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEvents holds what the other observations become.
func TestEvents(t *testing.T) {
	s := &script{steps: []step{{batch: []session.Observation{
		{Kind: session.ObsProc, Conn: 1, T: 1, Proc: session.Proc{Event: "start", PID: 7, FDs: []string{"pipe", "pipe", "tty"}, Why: "a.go has changed"}},
		chunk(2, session.S2C, "half"),
		{Kind: session.ObsGap, Conn: 1, Stream: session.S2C, T: 3, Gap: session.Gap{Stream: session.S2C, Bytes: 99, Frames: -1, Why: "memory"}},
		chunk(4, session.S2C, "last line"),
		{Kind: session.ObsIO, Conn: 1, Stream: session.S2C, T: 5, IO: session.IOEvent{Event: "eof", Side: "server"}},
		{Kind: session.ObsIO, Conn: 1, Stream: session.C2S, T: 6, IO: session.IOEvent{Event: "epipe", Side: "server", Bytes: 12}},
		{Kind: session.ObsProc, Conn: 2, T: 7, Proc: session.Proc{Event: "exit", Code: 3}},
		{Kind: session.ObsProc, Conn: 2, T: 8, Proc: session.Proc{Event: "signal", Signal: "SIGTERM", By: "us"}},
		{Kind: session.ObsProc, Conn: 2, T: 9, Proc: session.Proc{Event: "orphans", PIDs: []int{1, 2}}},
		{Kind: session.ObsProc, Conn: 2, T: 9, Proc: session.Proc{Event: "failed", Err: "no such\nfile \xff"}},
		{Conn: 2, Stream: session.C2S, Way: session.WayOut, T: 10, Data: []byte("{}\n")},
		{Conn: 2, Stream: session.Stderr, T: 11, Data: []byte("left over")},
	}}}, now: 20}
	got := strings.SplitAfter(string(recordAll(t, s, NewMemory(0))), "\n")
	want := []string{
		`{"k":"proc","n":1,"t":1,"ev":"start","pid":7,"fds":["pipe","pipe","tty"],"why":"a.go has changed"}`,
		`{"k":"raw","n":2,"t":2,"d":"s2c","len":4,"s":"half"}`,
		`{"k":"gap","n":3,"t":3,"d":"s2c","bytes":99,"why":"memory"}`,
		`{"k":"f","n":4,"t":4,"d":"s2c","y":"x","len":9,"e":"","s":"last line"}`,
		`{"k":"io","n":5,"t":5,"d":"s2c","ev":"eof","side":"server"}`,
		`{"k":"io","n":6,"t":6,"d":"c2s","ev":"epipe","side":"server","bytes":12}`,
		`{"k":"proc","n":7,"c":2,"t":7,"ev":"exit","code":3}`,
		`{"k":"proc","n":8,"c":2,"t":8,"ev":"signal","sig":"SIGTERM","by":"us"}`,
		`{"k":"proc","n":9,"c":2,"t":9,"ev":"orphans","pids":[1,2]}`,
		`{"k":"proc","n":10,"c":2,"t":9,"ev":"failed","err":"no such\nfile ` + "\ufffd" + `"}`,
		`{"k":"f","n":11,"c":2,"t":10,"d":"c2s","way":"out","y":"x","len":2,"b":{}}`,
		`{"k":"raw","n":12,"c":2,"t":11,"d":"err","len":9,"s":"left over"}`,
		`{"k":"end","n":13,"t":20,"frames":4,"bytes":25,"lost":99,"why":"eof"}`,
	}
	for i, w := range want {
		if i+1 >= len(got) || got[i+1] != w+"\n" {
			t.Errorf("record %d:\ngot  %q\nwant %s", i+1, got[min(i+1, len(got)-1)], w)
		}
	}
}

// TestRaw holds when bytes are written without waiting for their frame's end.
func TestRaw(t *testing.T) {
	mib := strings.Repeat("a", 1<<20)
	obs := func(list ...session.Observation) []session.Observation { return list }
	cases := map[string]struct {
		steps []step
		want  string // kind, length and T of each record but the end
	}{
		"young":                {[]step{{at: 1, batch: obs(chunk(1, 1, "ab"))}, {at: 499 * ms}, {at: 500 * ms, batch: obs(chunk(500*ms, 1, "c\n"))}}, "f3@500000000"},
		"stuck":                {[]step{{at: 1, batch: obs(chunk(1, 1, "ab"))}, {at: 1 + 500*ms}, {at: sec, batch: obs(chunk(sec, 1, "c\nd\n"))}}, "raw2@1 raw2@1000000000 f1@1000000000"},
		"stuck CR":             {[]step{{at: 1, batch: obs(chunk(1, 1, "a\r"))}, {at: sec}, {at: 2 * sec, batch: obs(chunk(2*sec, 1, "\nb\n"))}}, "raw2@1 raw1@2000000000 f1@2000000000"},
		"stuck header":         {[]step{{at: 1, batch: obs(chunk(1, 1, "Content-Length: 1\r\n"))}, {at: sec}, {at: 2 * sec, batch: obs(chunk(2*sec, 1, "\r\nx{}\n"))}}, "raw19@1 raw2@2000000000 f1@2000000000 f2@2000000000"},
		"stuck half rune":      {[]step{{at: 1, batch: obs(chunk(1, 1, "a\xe2\x82"))}, {at: sec}, {at: 2 * sec}, {at: 3 * sec, batch: obs(chunk(3*sec, 1, "\xac\n"))}}, "raw1@1 raw4@3000000000"},
		"grows":                {[]step{{at: 1, batch: obs(chunk(1, 1, "a"))}, {at: sec, batch: obs(chunk(sec, 1, "b"))}, {at: 2 * sec, batch: obs(chunk(2*sec, 1, "c"))}, {at: 3 * sec}}, "raw2@1000000000 raw1@2000000000"},
		"just fits":            {[]step{{at: 1, batch: obs(chunk(1, 1, mib), chunk(2, 1, "\n"))}}, "f1048576@2"},
		"too long":             {[]step{{at: 1, batch: obs(chunk(1, 1, mib), chunk(2, 1, mib+"b\n"))}}, "raw1048576@2 raw1048576@2 raw2@2"},
		"bulk":                 {[]step{{at: 1, backlog: 65 << 20, batch: obs(chunk(1, 1, "{}\n{}\n{"), chunk(2, 1, "}\n"))}, {at: 3, batch: obs(chunk(3, 1, "{}\n"))}}, "raw9@2 f2@3"},
		"bulk open":            {[]step{{at: 1, backlog: 65 << 20, batch: obs(chunk(1, 1, "{}\n{"))}, {at: 3, batch: obs(chunk(3, 1, "}\n{}\n"))}}, "raw4@1 raw2@3 f2@3"},
		"bulk keeps the order": {[]step{{at: 1, backlog: 65 << 20, batch: obs(chunk(1, 0, "1\n"), chunk(2, 1, "2\n"), chunk(3, 0, "3\n"))}}, "raw2@1 raw2@2 raw2@3"},
		"late reader":          {[]step{{at: 9 * sec, backlog: 1, batch: obs(chunk(1, 1, "ab"))}, {at: 9 * sec, batch: obs(chunk(2, 1, "c\n"))}}, "f3@2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			sent := map[place][]byte{}
			for _, s := range c.steps {
				for _, o := range s.batch {
					at := place{o.Conn, o.Stream}
					sent[at] = append(sent[at], o.Data...)
				}
			}
			file := recordAll(t, &script{steps: c.steps}, NewMemory(0))
			checkLines(t, file)
			list := mustRead(t, file)
			var got []string
			for _, rec := range list {
				if rec.Kind == session.RecFrame || rec.Kind == session.RecRaw {
					got = append(got, fmt.Sprintf("%s%d@%d", map[session.RecordKind]string{session.RecFrame: "f", session.RecRaw: "raw"}[rec.Kind], len(rec.Body), rec.T))
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			for at, p := range streams(list) {
				if !bytes.Equal(p, sent[at]) {
					t.Errorf("stream %v is not what was sent", at)
				}
			}
		})
	}
}

// FuzzExact records random traffic, cut and timed at random, and holds that each
// stream is read back to the byte.
func FuzzExact(f *testing.F) {
	for seed := range uint64(150) {
		f.Add(seed, []byte("{\"id\":1,\"method\":\"a\"}\n\xff\r\n\u2028"))
	}
	f.Fuzz(func(t *testing.T, seed uint64, salt []byte) {
		s, sent := randomSession(rand.New(rand.NewPCG(seed, 7)), salt)
		file := recordAll(t, s, NewMemory(1<<40))
		checkLines(t, file)
		list := mustRead(t, file)
		got := streams(list)
		var total int64
		for at, p := range sent {
			total += int64(len(p))
			if !bytes.Equal(got[at], p) {
				t.Fatalf("stream %v: read back %d bytes %.300q, sent %d bytes %.300q", at, len(got[at]), got[at], len(p), p)
			}
		}
		if end := list[len(list)-1]; end.Kind != session.RecEnd || end.End.Bytes != total || end.End.Lost != 0 {
			t.Fatalf("the last record is %+v, %d bytes were sent", end, total)
		}
	})
}

// snippets are what random streams are made of.
var snippets = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, `{"jsonrpc":"2.0","id":"1","result":{"a":"é€\u2028"}}`,
	"\n", "\n", "\n", "\r\n", "\r", "\u2028", "\xff", "\x00", "é", "€", "🎉", " ", "[1,2]", `"\ud83d\ude00"`, `\"`, "Content-Length: 5\r\n\r\n", "Content-Length: 3\n\n",
	"Content-Length: x\r\n", "plain text", "\ufeff", "\x1b[31m", "\xe2\x82", "\xf0\x9f",
}

// randomSession is a script of random traffic on three streams of two
// connections, and what it sends.
func randomSession(r *rand.Rand, salt []byte) (*script, map[place][]byte) {
	s, sent := &script{}, map[place][]byte{}
	var now int64
	for range 1 + r.IntN(30) {
		st := step{}
		for range r.IntN(8) {
			var data []byte
			for range r.IntN(6) {
				switch r.IntN(12) {
				case 0:
					data = append(data, salt...)
				case 1:
					data = append(data, bytes.Repeat([]byte{'a', 0xe2, 0x82, 0xac}, 1<<r.IntN(6+14*r.IntN(2)*r.IntN(2)*r.IntN(2)))...)
				default:
					data = append(data, snippets[r.IntN(len(snippets))]...)
				}
			}
			if len(data) > 1 && r.IntN(2) == 0 {
				data = data[:1+r.IntN(len(data)-1)]
			}
			now += r.Int64N(100 * ms)
			o := session.Observation{Conn: 1 + r.IntN(2), Stream: session.Streams[r.IntN(3)], T: now, Data: data}
			at := place{o.Conn, o.Stream}
			sent[at] = append(sent[at], data...)
			st.batch = append(st.batch, o)
			if r.IntN(40) == 0 {
				st.batch = append(st.batch, session.Observation{Kind: session.ObsIO, Conn: o.Conn, Stream: o.Stream, T: now, IO: session.IOEvent{Event: "eof"}})
			}
		}
		if r.IntN(3) == 0 {
			now += r.Int64N(sec)
		}
		if r.IntN(4) == 0 {
			st.backlog = r.Int64N(2) * (65 << 20)
		}
		st.at = now
		s.steps = append(s.steps, st)
	}
	return s, sent
}

// TestLongBodyInPlace holds that a long body is recorded the same whether it comes
// in one piece or in many, with other streams' frames between them.
func TestLongBodyInPlace(t *testing.T) {
	small := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	long := `{"jsonrpc":"2.0","id":"` + strings.Repeat("é", 200) + `","method":"tools/call","params":{"name":"` + strings.Repeat("\\u0007", 100) + `","arguments":{"a":"` + strings.Repeat("0123456789", 30_000) + `"}}}` + "\r\n"
	var want []byte
	for _, size := range []int{1 << 20, 64 << 10, 1000, 7} {
		var batch []session.Observation
		for p := []byte(small + long + small + long); len(p) > 0; {
			n := min(len(p), size)
			batch = append(batch, chunk(5, session.S2C, string(p[:n])))
			p = p[n:]
		}
		batch = append(batch, chunk(5, session.C2S, small), chunk(5, session.S2C, small))
		got := recordAll(t, &script{steps: []step{{at: 5, batch: batch}}}, NewMemory(0))
		checkLines(t, got)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("in pieces of %d bytes it is recorded differently", size)
		}
	}
	if list := mustRead(t, want); len(streams(list)[place{1, session.S2C}]) != 2*len(long)+3*len(small) {
		t.Errorf("%d bytes come back", len(streams(list)[place{1, session.S2C}]))
	}
}

package lens_test

import (
	"bytes"
	"testing"
	"time"

	"wiretea/session/lens"
	"wiretea/session/mcp"
)

// exampleContext is what the frame of a fault's example stands in, and its text.
func exampleContext(f lens.Fault) ([]byte, lens.Context) {
	body := f.Example("3")
	c := lens.Context{Answers: f.In()}
	switch f {
	case lens.CRLF:
		c.CRLF, body = true, bytes.TrimSuffix(body, []byte("\r\n"))
	case lens.NoNewline:
		c.Unterminated = true
	case lens.ContentLength:
		c.Framed, body = true, body[bytes.IndexByte(body, '{'):]
	case lens.ManyLines:
		c.Lines = bytes.Count(body, []byte("\n"))
	case lens.IDType:
		c.Answers, c.Elsewhere = "", true
	case lens.NullID:
		c.Answers = ""
	case lens.ProbeExit, lens.ProbeSilent:
		return nil, lens.Context{FromClient: true, ProbeExit: f == lens.ProbeExit, ProbeSilent: f == lens.ProbeSilent}
	}
	return bytes.TrimSuffix(body, []byte("\n")), c
}

// What the clients are measured with is what Find takes for the fault, and for
// nothing else.
func TestFindExamples(t *testing.T) {
	for f := range lens.NumFaults {
		body, c := exampleContext(f)
		if got, want := lens.Find(body, c), lens.Of(f); got != want {
			t.Errorf("%s: found %v", f, names(got))
		}
	}
}

func names(s lens.Faults) (all []string) {
	for f := range s.All {
		all = append(all, f.String())
	}
	return all
}

func TestFind(t *testing.T) {
	answer := func(method string) lens.Context { return lens.Context{Answers: method} }
	for name, c := range map[string]struct {
		body string
		in   lens.Context
		want lens.Faults
	}{
		"initialize":            {string(lens.Healthy("initialize", "1")), answer("initialize"), 0},
		"tools":                 {string(lens.Healthy("tools/list", "1")), answer("tools/list"), 0},
		"call":                  {string(lens.Healthy("tools/call", "1")), answer("tools/call"), 0},
		"ping":                  {`{"jsonrpc":"2.0","id":1,"result":{}}`, answer("ping"), 0},
		"spaces":                {` { "jsonrpc" : "2.0" , "id" : 1 , "result" : { "tools" : [ { "inputSchema" : { "type" : "object" } } ] } } `, answer("tools/list"), 0},
		"escapes":               {`{"jsonr\u0070c":"2.\u0030","id":1,"result":{}}`, answer("ping"), 0},
		"cursor":                {`{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"nextCursor":"x"}}`, answer("prompts/list"), 0},
		"null cursor elsewhere": {`{"jsonrpc":"2.0","id":1,"result":{"nextCursor":null}}`, answer("tools/call"), lens.Of(lens.NoContent)},
		"null cursor":           {`{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"nextCursor":null}}`, answer("prompts/list"), lens.Of(lens.NullCursor)},
		"task begun":            {`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a"}}}`, answer("tools/call"), 0},
		"input required":        {`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x"}}`, answer("tools/call"), 0},
		"error":                 {`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, answer("tools/call"), 0},
		"schema null":           {`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":null},7,null]}}`, answer("tools/list"), lens.Of(lens.NullInputSchema)},
		"one bad tool":          {`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"type":"object"}},{"name":"a]}\"{"}]}}`, answer("tools/list"), lens.Of(lens.NoInputSchema)},
		"log":                   {`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, lens.Context{}, 0},
		"progress":              {`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, lens.Context{Token: true}, 0},
		"request":               {`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, lens.Context{}, 0},
		"two faults":            {`{"id":1,"result":{},"error":null}`, answer("ping"), lens.Of(lens.NoVersion, lens.ErrorNull)},
		"two messages":          {`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`, answer("ping"), lens.Of(lens.TrailingBytes)},
		"half":                  {`{"jsonrpc":"2.0","id":1,"resu`, lens.Context{}, lens.Of(lens.NotJSON)},
		"latin 1":               {"d\xe9marr\xe9", lens.Context{}, lens.Of(lens.NotJSON, lens.InvalidUTF8)},
		"header":                {"Content-Length: 12\r\n", lens.Context{Framed: true}, lens.Of(lens.ContentLength)},
		"a line of many":        {`{`, lens.Context{Part: true}, lens.Of(lens.ManyLines)},
		"not all at hand":       {`{"a`, lens.Context{Len: 11 << 20}, lens.Of(lens.LongLine)},
		"client":                {`nonsense`, lens.Context{FromClient: true}, 0},
		"nothing":               {``, lens.Context{}, lens.Of(lens.BlankLine)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lens.Find([]byte(c.body), c.in); got != c.want {
				t.Errorf("found %v, want %v", names(got), names(c.want))
			}
		})
	}
}

// The worst of several faults counts, and what nobody knows is not called fine.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		faults lens.Faults
		want   [lens.NumClients]lens.Outcome
	}{
		"none":  {0, [...]lens.Outcome{lens.Accepts, lens.Accepts, lens.Accepts, lens.Accepts, lens.Accepts, lens.Accepts}},
		"noise": {lens.Of(lens.NotJSON), [...]lens.Outcome{lens.Reports, lens.Skips, lens.Disconnects, lens.Reports, lens.Reports, lens.Skips}},
		"worst": {lens.Of(lens.CRLF, lens.ManyLines, lens.InvalidUTF8, lens.NullCursor),
			[...]lens.Outcome{lens.Hangs, lens.Hangs, lens.Accepts, lens.Disconnects, lens.Disconnects, lens.Hangs}},
		"unknown": {lens.Of(lens.CRLF, lens.NullCursor), [...]lens.Outcome{lens.Refuses, lens.Refuses, lens.Accepts, lens.Accepts, lens.Accepts, lens.Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range c.faults.Verdicts(true) {
				if v.Outcome != c.want[v.Client] {
					t.Errorf("%v %v, want %v", v.Client, v.Outcome, c.want[v.Client])
				}
				if v.Outcome > lens.Accepts && !c.faults.Has(v.Fault) {
					t.Errorf("%v %v because of %v", v.Client, v.Outcome, v.Fault)
				}
			}
		})
	}
	for c, want := range [lens.NumClients]lens.Outcome{lens.Reports, lens.Skips, lens.Accepts, lens.Reports, lens.Reports, lens.Reports} {
		if v := lens.Of(lens.ManyLines).Verdicts(false)[c]; v.Outcome != want || v.Outcome != lens.Accepts && v.Note != lens.Lost {
			t.Errorf("%v %v a notification over several lines: %q", v.Client, v.Outcome, v.Note)
		}
	}
	hung := lens.TypeScript1.Of(lens.ManyLines)
	if hung.Wait() != time.Minute || lens.Go.Of(lens.IDType).Wait() != 0 || lens.Go.Of(lens.NotJSON).Wait() != 0 {
		t.Error("waiting times")
	}
}

// Every client is one whose limits are known under the same name, and every
// measured cell is filled.
func TestTable(t *testing.T) {
	known := map[string]mcp.KnownClient{}
	for _, c := range mcp.Clients() {
		known[c.Name] = c
	}
	for c := range lens.NumClients {
		row, found := known[c.String()]
		if !found {
			t.Errorf("mcp.Clients has no %s", c)
		}
		if ends := row.MaxLine > 0 && row.MaxLine <= lens.LongLineBytes; ends != (c.Of(lens.LongLine).Outcome == lens.Disconnects) {
			t.Errorf("mcp.Clients says that %s takes lines of %d bytes", c, row.MaxLine)
		}
		for f := range lens.NumFaults {
			if c.Measured() && c.Of(f).Outcome == lens.Unknown {
				t.Errorf("%s with %s is not known", c, f)
			}
		}
	}
	if got := lens.TypeScript1.Label() + ", " + lens.Go.Label() + ", " + lens.NumClients.Label(); got != "TypeScript SDK 1.32.2, Go SDK 1.8.0, ?" {
		t.Errorf("labels %q", got)
	}
	ids := map[string]bool{}
	for f := range lens.NumFaults {
		if f.String() == "" || f.Title() == "" || ids[f.String()] {
			t.Errorf("fault %d is called %q: %q", f, f, f.Title())
		}
		ids[f.String()] = true
	}
	if lens.NumFaults.String() != "?" || lens.NumClients.Of(lens.NotJSON).Outcome != lens.Unknown {
		t.Error("what does not exist has a name, or an outcome")
	}
}

// Judging a frame of the usual size allocates nothing that grows with it.
func TestAllocations(t *testing.T) {
	body := lens.Healthy("tools/list", "1")
	c := lens.Context{Answers: "tools/list"}
	lens.Find(body, c)
	if n := testing.AllocsPerRun(100, func() { lens.Find(body, c).Verdicts(true) }); n > 10 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFind(f *testing.F) {
	for fault := range lens.NumFaults {
		if fault != lens.LongLine {
			f.Add(fault.Example("3"), fault.In(), uint8(fault))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, method string, bits uint8) {
		c := lens.Context{
			CRLF: bits&1 != 0, Unterminated: bits&2 != 0, Part: bits&4 != 0, Framed: bits&8 != 0,
			Elsewhere: bits&16 != 0, Token: bits&32 != 0, Answers: method,
		}
		found := lens.Find(body, c)
		for _, v := range found.Verdicts(bits&64 != 0) {
			if v.Outcome > lens.Accepts && !found.Has(v.Fault) {
				t.Errorf("%v %v because of %v, which is not found", v.Client, v.Outcome, v.Fault)
			}
		}
		if lens.Find(body, lens.Context{FromClient: true}) != 0 {
			t.Error("a client's frame is judged")
		}
	})
}

func BenchmarkFind(b *testing.B) {
	body := lens.LongLine.Example("1")
	c := lens.Context{Answers: "tools/list"}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		lens.Find(body, c)
	}
}

package compat_test

import (
	"bytes"
	"testing"
	"time"

	"wiretea/session/check/compat"
	"wiretea/session/check/compat/compattest"
	"wiretea/session/mcp"
)

// exampleContext is what the frame of a fault's example is in, and its text.
func exampleContext(f compat.Fault) ([]byte, compat.Context) {
	body := compattest.Example(f, "3")
	c := compat.Context{Answers: f.In()}
	switch f {
	case compat.CRLF:
		c.CRLF, body = true, bytes.TrimSuffix(body, []byte("\r\n"))
	case compat.NoNewline:
		c.Unterminated = true
	case compat.FinalLine:
		c.Unterminated, c.Final = true, true
	case compat.ContentLength:
		c.Framed, body = true, body[bytes.IndexByte(body, '{'):]
	case compat.ManyLines:
		c.Lines = bytes.Count(body, []byte("\n"))
	case compat.IDType, compat.OtherNumber:
		c.Answers, c.Elsewhere = "", true
	case compat.NullID:
		c.Answers = ""
	case compat.ProbeExit, compat.ProbeSilent:
		return nil, compat.Context{FromClient: true, ProbeExit: f == compat.ProbeExit, ProbeSilent: f == compat.ProbeSilent}
	}
	return bytes.TrimSuffix(body, []byte("\n")), c
}

// What the clients are measured with is what Find takes for the fault, and for
// nothing else.
func TestFindExamples(t *testing.T) {
	for f := range compat.NumFaults {
		body, c := exampleContext(f)
		if got, want := compat.Find(body, c), compat.Of(f); got != want {
			t.Errorf("%s: found %v", f, names(got))
		}
	}
}

func names(s compat.Faults) (all []string) {
	for f := range s.All {
		all = append(all, f.String())
	}
	return all
}

func TestFind(t *testing.T) {
	answer := func(method string) compat.Context { return compat.Context{Answers: method} }
	for name, c := range map[string]struct {
		body string
		in   compat.Context
		want compat.Faults
	}{
		"initialize":            {string(compattest.Healthy("initialize", "1")), answer("initialize"), 0},
		"tools":                 {string(compattest.Healthy("tools/list", "1")), answer("tools/list"), 0},
		"call":                  {string(compattest.Healthy("tools/call", "1")), answer("tools/call"), 0},
		"ping":                  {`{"jsonrpc":"2.0","id":1,"result":{}}`, answer("ping"), 0},
		"spaces":                {` { "jsonrpc" : "2.0" , "id" : 1 , "result" : { "tools" : [ { "inputSchema" : { "type" : "object" } } ] } } `, answer("tools/list"), 0},
		"escapes":               {`{"jsonr\u0070c":"2.\u0030","id":1,"result":{}}`, answer("ping"), 0},
		"cursor":                {`{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"nextCursor":"x"}}`, answer("prompts/list"), 0},
		"null cursor elsewhere": {`{"jsonrpc":"2.0","id":1,"result":{"nextCursor":null}}`, answer("tools/call"), compat.Of(compat.NoContent)},
		"null cursor":           {`{"jsonrpc":"2.0","id":1,"result":{"prompts":[],"nextCursor":null}}`, answer("prompts/list"), compat.Of(compat.NullCursor)},
		"task begun":            {`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a"}}}`, answer("tools/call"), 0},
		"input required":        {`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"x"}}`, answer("tools/call"), 0},
		"error":                 {`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`, answer("tools/call"), 0},
		"schema null":           {`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":null},7,null]}}`, answer("tools/list"), compat.Of(compat.NullInputSchema)},
		"one bad tool":          {`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"type":"object"}},{"name":"a]}\"{"}]}}`, answer("tools/list"), compat.Of(compat.NoInputSchema)},
		"log":                   {`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`, compat.Context{}, 0},
		"progress":              {`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, compat.Context{Token: true}, 0},
		"request":               {`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, compat.Context{}, 0},
		"two faults":            {`{"id":1,"result":{},"error":null}`, answer("ping"), compat.Of(compat.NoVersion, compat.ErrorNull)},
		"two messages":          {`{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`, answer("ping"), compat.Of(compat.TwoMessages)},
		"half":                  {`{"jsonrpc":"2.0","id":1,"resu`, compat.Context{}, compat.Of(compat.NotJSON)},
		"latin 1":               {"d\xe9marr\xe9", compat.Context{}, compat.Of(compat.NotJSON, compat.InvalidUTF8)},
		"header":                {"Content-Length: 12\r\n", compat.Context{Framed: true}, compat.Of(compat.ContentLength)},
		"a line of many":        {`{`, compat.Context{Part: true}, compat.Of(compat.ManyLines)},
		"not all at hand":       {`{"a`, compat.Context{Len: 11 << 20}, compat.Of(compat.LongLine)},
		"client":                {`nonsense`, compat.Context{FromClient: true}, 0},
		"nothing":               {``, compat.Context{}, compat.Of(compat.BlankLine)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := compat.Find([]byte(c.body), c.in); got != c.want {
				t.Errorf("found %v, want %v", names(got), names(c.want))
			}
		})
	}
}

// The worst of several faults counts.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		faults compat.Faults
		want   [compat.NumClients]compat.Outcome
	}{
		"none":  {0, [...]compat.Outcome{compat.Accepts, compat.Accepts, compat.Accepts, compat.Accepts, compat.Accepts, compat.Accepts}},
		"noise": {compat.Of(compat.NotJSON), [...]compat.Outcome{compat.Reports, compat.Skips, compat.Disconnects, compat.Reports, compat.Reports, compat.Skips}},
		"worst": {compat.Of(compat.CRLF, compat.ManyLines, compat.InvalidUTF8, compat.NullCursor),
			[...]compat.Outcome{compat.Hangs, compat.Hangs, compat.Accepts, compat.Disconnects, compat.Disconnects, compat.Hangs}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range c.faults.Verdicts(true) {
				if v.Outcome != c.want[v.Client] {
					t.Errorf("%v %v, want %v", v.Client, v.Outcome, c.want[v.Client])
				}
				if v.Outcome > compat.Accepts && !c.faults.Has(v.Fault) {
					t.Errorf("%v %v because of %v", v.Client, v.Outcome, v.Fault)
				}
			}
		})
	}
	for c, want := range [compat.NumClients]compat.Outcome{compat.Reports, compat.Skips, compat.Accepts, compat.Reports, compat.Reports, compat.Skips} {
		if v := compat.Of(compat.ManyLines).Verdicts(false)[c]; v.Outcome != want || v.Outcome != compat.Accepts && v.Note != compat.Lost {
			t.Errorf("%v %v a notification over several lines: %q", v.Client, v.Outcome, v.Note)
		}
	}
	hung := compat.TypeScript1.Of(compat.ManyLines)
	if hung.Wait() != time.Minute || compat.Go.Of(compat.IDType).Wait() != 0 || compat.Go.Of(compat.NotJSON).Wait() != 0 {
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
	for c := range compat.NumClients {
		row, found := known[c.String()]
		if !found {
			t.Errorf("mcp.Clients has no %s", c)
		}
		if ends := row.MaxLine > 0 && row.MaxLine <= compat.LongLineBytes; ends != (c.Of(compat.LongLine).Outcome == compat.Disconnects) {
			t.Errorf("mcp.Clients says that %s takes lines of %d bytes", c, row.MaxLine)
		}
		for f := range compat.NumFaults {
			if c.Of(f).Outcome == compat.Unknown {
				t.Errorf("%s with %s is not known", c, f)
			}
		}
	}
	if got := compat.TypeScript1.Label() + ", " + compat.Go.Label() + ", " + compat.NumClients.Label(); got != "TypeScript SDK 1.32.2, Go SDK 1.8.0, ?" {
		t.Errorf("labels %q", got)
	}
	ids := map[string]bool{}
	for f := range compat.NumFaults {
		if f.String() == "" || f.Title() == "" || ids[f.String()] {
			t.Errorf("fault %d is called %q: %q", f, f, f.Title())
		}
		ids[f.String()] = true
	}
	if compat.NumFaults.String() != "?" || compat.NumClients.Of(compat.NotJSON).Outcome != compat.Unknown {
		t.Error("what does not exist has a name, or an outcome")
	}
}

// Judging a frame of the usual size allocates nothing that grows with it.
func TestAllocations(t *testing.T) {
	body := compattest.Healthy("tools/list", "1")
	c := compat.Context{Answers: "tools/list"}
	compat.Find(body, c)
	if n := testing.AllocsPerRun(100, func() { compat.Find(body, c).Verdicts(true) }); n > 10 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFind(f *testing.F) {
	for fault := range compat.NumFaults {
		if fault != compat.LongLine {
			f.Add(compattest.Example(fault, "3"), fault.In(), uint8(fault))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, method string, bits uint8) {
		c := compat.Context{
			CRLF: bits&1 != 0, Unterminated: bits&2 != 0, Part: bits&4 != 0, Framed: bits&8 != 0,
			Elsewhere: bits&16 != 0, Token: bits&32 != 0, Answers: method,
		}
		found := compat.Find(body, c)
		for _, v := range found.Verdicts(bits&64 != 0) {
			if v.Outcome > compat.Accepts && !found.Has(v.Fault) {
				t.Errorf("%v %v because of %v, which is not found", v.Client, v.Outcome, v.Fault)
			}
		}
		if compat.Find(body, compat.Context{FromClient: true}) != 0 {
			t.Error("a client's frame is judged")
		}
	})
}

func BenchmarkFind(b *testing.B) {
	body := compattest.Example(compat.LongLine, "1")
	c := compat.Context{Answers: "tools/list"}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		compat.Find(body, c)
	}
}

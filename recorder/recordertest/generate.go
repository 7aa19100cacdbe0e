package recordertest

import (
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// Options describe a synthetic session. The same options make the same file.
type Options struct {
	Frames   int    // Frames to write, over all streams; at least the handshake's.
	BodySize int    // BodySize is the mean length of a result's text in bytes; 0 = 280, which makes about 400 MB a million frames.
	Seed     uint64 // Seed of everything that varies.
	Faults   int    // Faults: one fault in so many exchanges; 0 = 5000, below 0 = none.
}

// Generate writes a session file of made-up traffic: a handshake, then tool
// calls and their results, some in parallel, with ids of both kinds, progress,
// errors, logging on stderr and a fault now and then. It goes through a Writer,
// so that the file is what a recording would be.
func Generate(w io.Writer, opt Options) error {
	if opt.BodySize == 0 {
		opt.BodySize = 280
	}
	if opt.Faults == 0 {
		opt.Faults = 5000
	}
	g := &generator{opt: opt, rand: rand.New(rand.NewPCG(opt.Seed, 1)), left: opt.Frames}
	g.filler = make([]byte, 8*opt.BodySize+64)
	for i := range g.filler {
		g.filler[i] = "the quick brown fox jumps over the lazy dog; "[i%45]
	}
	t0 := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	sink := recorder.NewSink(w)
	rec := recorder.NewWriter(sink, session.Header{
		SID: "0123456789abcdef" + strconv.FormatUint(1e15+opt.Seed%1e15, 10), Tool: "wiretea/gen", T0: t0,
		Mode: "run", Trans: "stdio", Cmd: []string{"wiretea", "gen"}, Limits: session.DefaultLimits(),
	}, recorder.Options{Now: func() int64 { return g.t }, Wall: func() time.Time { return t0.Add(time.Duration(g.t)) }})
	if err := rec.Run(g); err != nil {
		return err
	}
	return sink.Reason()
}

// A generator is a Source of made-up traffic.
type generator struct {
	opt    Options
	rand   *rand.Rand
	left   int   // frames still to make
	t      int64 // the session's time
	id     int   // the latest request's id
	stage  int   // how far the session's beginning and end have come
	filler []byte
	batch  []session.Observation
	slab   []byte
	line   []byte
}

// Take is Source.Take.
func (g *generator) Take(time.Duration) ([]session.Observation, int64, error) {
	g.batch, g.slab = g.batch[:0], g.slab[:0]
	if cap(g.slab) == 0 {
		g.slab = make([]byte, 0, 1<<20)
	}
	switch {
	case g.stage == 0:
		g.stage++
		g.begin()
	case g.left > 0:
		for g.left > 0 && cap(g.slab)-len(g.slab) > cap(g.slab)/2 {
			g.exchange()
		}
	case g.stage == 1:
		g.stage++
		g.event(session.Observation{Kind: session.ObsIO, Stream: session.C2S, IO: session.IOEvent{Event: "eof", Side: "client"}})
		g.event(session.Observation{Kind: session.ObsIO, Stream: session.S2C, IO: session.IOEvent{Event: "eof", Side: "server"}})
		g.event(session.Observation{Kind: session.ObsProc, Proc: session.Proc{Event: "exit"}})
	default:
		return nil, 0, io.EOF
	}
	return g.batch, 0, nil
}

func (g *generator) event(o session.Observation) {
	g.t += 1000
	o.T, o.Conn = g.t, 1
	g.batch = append(g.batch, o)
}

// send makes one frame, some microseconds later.
func (g *generator) send(s session.Stream, line []byte) {
	if g.left <= 0 {
		return
	}
	g.left--
	from := len(g.slab)
	g.slab = append(append(g.slab, line...), '\n')
	g.t += 1000 + g.rand.Int64N(20_000)
	g.batch = append(g.batch, session.Observation{Conn: 1, Stream: s, T: g.t, Data: g.slab[from:len(g.slab):len(g.slab)]})
}

func (g *generator) sendText(s session.Stream, line string) { g.send(s, []byte(line)) }

func (g *generator) begin() {
	g.event(session.Observation{Kind: session.ObsProc, Proc: session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "pipe", "pipe"}}})
	g.sendText(session.Stderr, "gen: listening on stdio")
	g.sendText(session.C2S, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"gen","version":"1"}}}`)
	g.sendText(session.S2C, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"gen","version":"1"}}}`)
	g.sendText(session.C2S, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// tools are what the made-up client calls.
var tools = [...]string{"echo", "add", "search_files", "read_file", "query", "longRunning"}

// exchange makes a tool call, its answer, and what comes with them.
func (g *generator) exchange() {
	g.id++
	tool := tools[g.rand.IntN(len(tools))]
	fault := g.opt.Faults > 0 && g.rand.IntN(g.opt.Faults) == 0
	g.call(tool)
	switch roll := g.rand.IntN(40); {
	case roll == 0:
		g.sendText(session.Stderr, "gen: [info] handled "+tool+" request "+strconv.Itoa(g.id))
	case roll < 4:
		g.sendText(session.S2C, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"gen","data":"working on `+tool+`"}}`)
	case roll < 6:
		g.sendText(session.S2C, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+strconv.Itoa(g.id)+`,"progress":1,"total":2}}`)
	}
	if fault {
		g.sendText(session.S2C, "Server handled a request!")
	}
	g.t += 50_000 + g.rand.Int64N(2_000_000)
	g.answer(g.rand.IntN(60) == 0)
}

// appendID appends the current id: every eighth is a string.
func (g *generator) appendID(dst []byte) []byte {
	if g.id%8 == 0 {
		dst = append(dst, `"req-`...)
		return append(strconv.AppendInt(dst, int64(g.id), 10), '"')
	}
	return strconv.AppendInt(dst, int64(g.id), 10)
}

func (g *generator) call(tool string) {
	g.line = append(g.line[:0], `{"jsonrpc":"2.0","id":`...)
	g.line = g.appendID(g.line)
	g.line = append(g.line, `,"method":"tools/call","params":{"name":"`...)
	g.line = append(g.line, tool...)
	g.line = append(g.line, `","arguments":{"text":"`...)
	g.line = append(g.line, g.filler[:g.size()/3]...)
	g.line = append(g.line, `"},"_meta":{"progressToken":`...)
	g.line = strconv.AppendInt(g.line, int64(g.id), 10)
	g.line = append(g.line, "}}}"...)
	g.send(session.C2S, g.line)
}

func (g *generator) answer(failed bool) {
	g.line = append(g.line[:0], `{"jsonrpc":"2.0","id":`...)
	g.line = g.appendID(g.line)
	if failed {
		g.line = append(g.line, `,"error":{"code":-32602,"message":"Invalid params: text is too long"}}`...)
	} else {
		g.line = append(g.line, `,"result":{"content":[{"type":"text","text":"`...)
		g.line = append(g.line, g.filler[:g.size()]...)
		g.line = append(g.line, `"}],"isError":false}}`...)
	}
	g.send(session.S2C, g.line)
}

// size is a length with the mean asked for: most are short, few are long.
func (g *generator) size() int {
	return min(int(g.rand.ExpFloat64()*float64(g.opt.BodySize)), len(g.filler))
}

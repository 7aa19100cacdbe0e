package replay

import (
	"cmp"
	"errors"
	"slices"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

// ErrEmpty is returned for a recording in which nothing happened.
var ErrEmpty = errors.New("nothing was recorded")

// ReadScripts reads a recording as far as it has come and returns its connections as one
// end had them, in their order. The log must stay open: bodies are read from it.
func ReadScripts(log recorder.Log, end End) ([]*Script, error) {
	d := newBuilder(end == ClientEnd)
	analyzer := session.NewAnalyzer(session.Config{Checkers: []session.Checker{d}})
	r := recorder.NewReader(log, 0)
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		switch rec.Kind {
		case session.RecFrame, session.RecRaw:
			if end.lacks(rec.Stream, rec.Way) {
				continue
			}
		case session.RecGap:
			if rec.Gap.Lines == 0 && rec.Gap.Why != "torn" { // Those are of the file, and counted with it.
				d.of(rec.Conn).script.Lost += rec.Gap.Bytes
			}
		case session.RecUnknown, session.RecHeader, session.RecIO, session.RecProc, session.RecClock, session.RecEnd, session.RecPath:
		}
		d.n = rec.N
		analyzer.Add(rec)
	}
	analyzer.Close()
	rows, torn := analyzer.Snapshot(), max(0, r.Torn())
	if file, isFile := log.(*recorder.File); isFile && file.Live() == recorder.Live {
		torn = 0 // It is being written.
	}
	var scripts []*Script
	for _, dc := range d.conns {
		s := dc.script
		if len(s.Steps) == 0 {
			continue
		}
		s.log, s.rows, s.Header = log, rows, r.Header()
		s.Damaged, s.Torn = rows.Totals().Damaged, rows.Totals().Torn+torn
		for _, c := range rows.Conns() {
			if c.ID == s.Conn {
				s.Era, s.Version = c.Era, c.VersionText
			}
		}
		dc.arrange()
		scripts = append(scripts, s)
	}
	if len(scripts) == 0 {
		return nil, ErrEmpty
	}
	slices.SortFunc(scripts, func(a, b *Script) int { return cmp.Compare(a.Conn, b.Conn) })
	for _, s := range scripts {
		s.hideRefusals(end)
	}
	markResent(scripts)
	return scripts, nil
}

// hideRefusals marks the errors without the request's id that HTTP refused requests with. They
// answer no request that is replayed: our own connection does not hand them on either.
func (s *Script) hideRefusals(end End) {
	for i := range s.Messages {
		m := &s.Messages[i]
		st := &s.Steps[m.Step]
		if m.Kind == jsonrpc.Error && m.Of >= 0 && m.ID != s.Messages[m.Of].ID && st.line.trip != nil && st.Kind == FromServer {
			if st.untold = true; end == ServerEnd {
				s.Messages[m.Of].Answer = -1
			}
		}
	}
}

// markResent marks the requests that HTTP refused and that were sent again as they were:
// to another URL, with another token, in another session, or over the older transport. A
// server/discover that was refused before an initialize is one too: it found out the era.
func markResent(scripts []*Script) {
	type request struct{ id, method string }
	again := map[request]bool{}
	for _, s := range slices.Backward(scripts) {
		initialized := false
		for i := range slices.Backward(s.Steps) {
			st := &s.Steps[i]
			if st.Kind != FromClient || st.Msgs != 1 || st.line.trip == nil {
				continue
			}
			m := &s.Messages[st.Msg]
			r, response := request{m.ID, m.Method}, st.line.trip.Response
			st.resent = (again[r] || initialized && m.Method == mcp.ServerDiscover) && m.Kind == jsonrpc.Request && m.Answer < 0 && response != nil && response.Status >= 300
			again[r], initialized = true, initialized || m.Method == mcp.Initialize
		}
	}
}

// A builder makes scripts from the events of an Analyzer.
type builder struct {
	keys  bool   // keys: the client's messages get their keys.
	n     uint64 // n is the number of the record under way.
	conns []*connBuilder
	names map[string]string
}

func newBuilder(keys bool) *builder { return &builder{keys: keys, names: map[string]string{}} }

// of returns the builder of a connection.
func (d *builder) of(conn int) *connBuilder {
	for _, dc := range d.conns {
		if dc.script.Conn == conn {
			return dc
		}
	}
	dc := &connBuilder{builder: d, script: &Script{Conn: conn}, tokens: map[string]int32{}, listens: map[string]int32{}}
	d.conns = append(d.conns, dc)
	return dc
}

// Check takes an event of the Analyzer.
func (d *builder) Check(ev *session.Event, _ session.Reporter) {
	if ev.Conn == nil {
		return
	}
	switch ev.Kind {
	case session.FrameSeen:
		d.of(ev.Conn.ID).frame(ev.Frame)
	case session.MessageSeen:
		d.of(ev.Conn.ID).message(ev)
	case session.IOSeen:
		dc := d.of(ev.Conn.ID)
		switch {
		case ev.IO.Event != "eof" && ev.IO.Event != "closed":
		case ev.Stream == session.C2S && ev.IO.Side == "client":
			dc.once(ClientGone, ev.T)
		case ev.Stream == session.S2C && ev.IO.Side == "server":
			dc.once(ServerGone, ev.T)
		}
	case session.ProcSeen:
		dc := d.of(ev.Conn.ID)
		switch ev.Proc.Event {
		case "signal":
			dc.event(Step{Kind: Signalled, T: ev.T})
		case "exit":
			dc.event(Step{Kind: Exited, T: ev.T, Exit: &transport.Exit{Code: ev.Proc.Code, Signal: ev.Proc.Signal}})
		}
	case session.FrameGrew, session.FrameStalled, session.ExchangeGone, session.Timer, session.ConnEnded, session.ExchangeLate:
	}
}

// intern returns the text as a string, the same one for equal texts.
func (d *builder) intern(text []byte) string {
	if s, ok := d.names[string(text)]; ok {
		return s
	}
	s := string(text)
	if len(d.names) < 4096 {
		d.names[s] = s
	}
	return s
}

// A connBuilder builds the script of one connection.
type connBuilder struct {
	*builder
	script  *Script
	steps   places               // steps are the steps by the row of their last frame.
	parts   [3][]line            // parts are the frames whose step is not complete.
	partN   [3]uint64            // partN is the number of the first of them,
	partT1  [3]int64             // and partT1 when it began.
	tokens  map[string]int32     // tokens are the client's latest requests by progress token.
	listens map[string]int32     // listens are the subscriptions by the raw id.
	took    func(*session.Frame) // took, unless nil, is called first with each frame.
	gone    [Exited + 1]bool     // gone are the ends that were seen.
}

// places are steps by row. The rows of a connection lie together.
type places struct {
	base uint32 // base is the first row.
	list []int32
}

func (p *places) set(row uint32, step int32) {
	if p.list == nil {
		p.base = row
	}
	if row < p.base { // rows are numbered as their frames begin, and come as they end
		p.list = append(slices.Repeat([]int32{-1}, int(p.base-row)), p.list...)
		p.base = row
	}
	for int(row-p.base) >= len(p.list) {
		p.list = append(p.list, -1)
	}
	p.list[row-p.base] = step
}

func (p *places) of(row uint32) (int32, bool) {
	if row < p.base || int(row-p.base) >= len(p.list) || p.list[row-p.base] < 0 {
		return 0, false
	}
	return p.list[row-p.base], true
}

func (d *connBuilder) once(kind StepKind, t int64) {
	if !d.gone[kind] {
		d.gone[kind] = true
		d.event(Step{Kind: kind, T: t})
	}
}

func (d *connBuilder) event(st Step) {
	st.N, st.began, st.Msg = d.n, st.T, int32(len(d.script.Messages))
	d.script.Steps = append(d.script.Steps, st)
}

// frame takes a frame that has ended.
func (d *connBuilder) frame(f *session.Frame) {
	if d.took != nil {
		d.took(f)
	}
	l := line{row: f.Row, header: f.Header, term: d.intern(f.Term)}
	if f.Trip != nil {
		if f.Text.Emitted == 0 {
			return // a page, say: over HTTP no client takes it for a message
		}
		l.term, l.trip = "\n", f.Trip // as our client hands it on
	}
	parts := &d.parts[f.Stream]
	if len(*parts) > 0 && !f.Body && !f.Part && f.Lines < 2 {
		// They wait for one that has not come: a header without a body.
		for _, l := range *parts {
			d.add(Step{Kind: kindOf(f.Stream), T: f.T1, N: d.partN[f.Stream], Msg: int32(len(d.script.Messages)), line: l, began: d.partT1[f.Stream]}, l.row)
		}
		*parts = (*parts)[:0]
	}
	if f.Part || f.Header {
		if len(*parts) == 0 {
			d.partN[f.Stream], d.partT1[f.Stream] = f.N, f.T1
		}
		*parts = append(*parts, l)
		return
	}
	st := Step{Kind: kindOf(f.Stream), T: f.T, N: f.N, Msg: int32(len(d.script.Messages)), line: l, began: f.T1}
	if len(*parts) > 0 {
		st.lines, st.N, st.began = append(slices.Clone(*parts), l), d.partN[f.Stream], d.partT1[f.Stream]
		*parts = (*parts)[:0]
	}
	if st.Kind == FromClient {
		st.began = st.T
	}
	d.add(st, f.Row)
}

func (d *connBuilder) add(st Step, row uint32) {
	if st.Kind != Stderr {
		d.steps.set(row, int32(len(d.script.Steps)))
	}
	d.script.Steps = append(d.script.Steps, st)
}

func kindOf(s session.Stream) StepKind {
	switch s {
	case session.C2S:
		return FromClient
	case session.S2C:
		return FromServer
	}
	return Stderr
}

// message takes a message of the frame that was seen last.
func (d *connBuilder) message(ev *session.Event) {
	at := int32(len(d.script.Steps)) - 1
	step, ok := d.steps.of(ev.Frame.Row)
	if !ok || step != at {
		return // Only the latest step can still get messages.
	}
	m, st := ev.Message, &d.script.Steps[at]
	if m.Kind == jsonrpc.Invalid {
		return
	}
	own := int32(len(d.script.Messages))
	msg := Message{Kind: m.Kind, Sender: st.Kind, Step: at, Of: -1, Answer: -1,
		Method: d.intern(unquoted(&m.Method)), ID: string(m.ID.Raw)}
	switch m.Kind {
	case jsonrpc.Request:
		d.request(&msg, own, ev)
	case jsonrpc.Notification:
		d.notification(&msg, ev)
	case jsonrpc.Result, jsonrpc.Error:
		if x := ev.Exchange; x != nil {
			if asked, ok := d.steps.of(x.Req); ok {
				msg.Of, msg.Method, msg.Target = d.script.request(asked, x.ID), d.intern([]byte(x.Method)), d.intern([]byte(x.Target))
			}
		}
		if msg.Of >= 0 && d.script.Messages[msg.Of].Answer < 0 {
			d.script.Messages[msg.Of].Answer = own
		}
	case jsonrpc.Invalid:
	}
	if d.keys && st.Kind == FromClient && !m.Kind.Response() {
		msg.key = keyOfMessage(&msg, m, ev.Frame.Whole)
	}
	d.script.Messages = append(d.script.Messages, msg)
	st.Msgs++
}

func (d *connBuilder) request(msg *Message, own int32, ev *session.Event) {
	if ev.Exchange != nil {
		msg.Target = ev.Exchange.Target
	}
	msg.Token = string(ev.Message.Field(jsonrpc.MetaProgressToken).Raw)
	msg.Modern = modernRequest(ev.Message, msg.Method)
	if msg.Sender != FromClient {
		return
	}
	if msg.Token != "" {
		d.tokens[msg.Token] = own
	}
	if msg.Method == mcp.SubscriptionsListen {
		d.listens[msg.ID] = own
	}
}

func (d *connBuilder) notification(msg *Message, ev *session.Event) {
	m := ev.Message
	switch {
	case msg.Method == mcp.ProgressNotification:
		msg.Token = string(m.Field(jsonrpc.ParamProgressToken).Raw)
		if of, ok := d.tokens[msg.Token]; ok && msg.Sender == FromServer {
			msg.Of = of
		}
	case msg.Method == mcp.CancelledNotification && ev.Exchange != nil && ev.Exchange.Sender == session.C2S:
		if asked, ok := d.steps.of(ev.Exchange.Req); ok {
			msg.Of = d.script.request(asked, ev.Exchange.ID)
		}
	case msg.Sender == FromServer:
		if of, ok := d.listens[string(m.Field(jsonrpc.MetaSubscriptionID).Raw)]; ok {
			msg.Of = of
		}
	}
}

// modernRequest reports whether a client's request belongs to the modern era.
func modernRequest(m *jsonrpc.Message, method string) bool {
	return method == mcp.ServerDiscover || m.Field(jsonrpc.MetaProtocolVersion).Present()
}

// unquoted is the text of a string, and nothing for other values and long ones.
func unquoted(v *jsonrpc.Value) []byte {
	if v.Type != jsonrpc.String || !v.Whole() {
		return nil
	}
	text, _ := v.Unquoted()
	return []byte(text)
}

// lastOutput puts what the server wrote before its exit: it may have been read after
// that was known.
func (d *connBuilder) lastOutput() {
	steps := d.script.Steps
	exit := slices.IndexFunc(steps, func(st Step) bool { return st.Kind == Exited })
	if exit < 0 {
		return
	}
	for i := range steps {
		switch steps[i].Kind {
		case FromServer, Stderr, ServerGone:
			steps[i].began = min(steps[i].began, steps[exit].began)
		case FromClient, ClientGone, Signalled, Exited:
		}
	}
}

// earlier orders steps by when they began. Of what happened at one time the exit is
// the last.
func earlier(x, y Step) int {
	exits := func(st *Step) int {
		if st.Kind == Exited {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(x.began, y.began), cmp.Compare(exits(&x), exits(&y)), cmp.Compare(x.N, y.N))
}

// arrange puts the steps into the order in which they began: a line without an
// end is known, and may be written, only when its stream ended.
func (d *connBuilder) arrange() {
	s := d.script
	for stream, parts := range d.parts {
		for _, l := range parts {
			s.Steps = append(s.Steps, Step{Kind: kindOf(session.Stream(stream)), N: d.partN[stream], Msg: int32(len(s.Messages)), line: l, T: d.partT1[stream], began: d.partT1[stream]})
		}
	}
	d.lastOutput()
	if slices.IsSortedFunc(s.Steps, earlier) {
		return
	}
	order := make([]int32, len(s.Steps))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return earlier(s.Steps[a], s.Steps[b]) })
	steps, place := make([]Step, len(order)), make([]int32, len(order))
	for to, from := range order {
		steps[to], place[from] = s.Steps[from], int32(to)
	}
	s.Steps = steps
	for i := range s.Messages {
		s.Messages[i].Step = place[s.Messages[i].Step]
	}
}

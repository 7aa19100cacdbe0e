package session

import (
	"bytes"

	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
)

// Bounds for one value that spans several lines. Beyond them each line is a
// frame.
const (
	maxJoinLines = 100_000
	maxJoinBytes = 16 << 20
)

// An assembly is a JSON value that begins on one line and does not end there.
// Its scanner reads all the lines as one text; the lines wait until their kind
// is decided.
type assembly struct {
	open  bool
	scan  *jsonrpc.Scanner
	held  *held // held are the messages of the joined text.
	lines []Frame
	size  int64
}

// joinOrJudge decides what the line that just ended is: the end of a value from
// an earlier line, a further part of one, the beginning of one, or a frame of
// its own.
func (st *stream) joinOrJudge(term []byte) {
	line := st.cur.kind == framing.Line
	if st.asm.open {
		if line && st.join(term) {
			return
		}
		st.giveUp()
	}
	if line && len(term) > 0 && st.cur.decoded == nil && st.scan.Syntax() == jsonrpc.Incomplete && opensValue(st.cur.head()) {
		st.openAssembly(term)
		return
	}
	text, messages := st.decoded()
	st.judge(st.facts(term, text), messages)
}

// join adds the line to the open assembly. It reports false if that is
// impossible: the joined text cannot be JSON, or continues although this line
// is a message by itself, or is too long.
func (st *stream) join(term []byte) bool {
	switch asm := &st.asm; asm.scan.Syntax() {
	case jsonrpc.Complete, jsonrpc.Trailing:
		if asm.held.n == 0 {
			return false
		}
		st.assembled(term)
		return true
	case jsonrpc.Incomplete:
		tooLong := len(asm.lines) >= maxJoinLines || asm.size+st.cur.len > maxJoinBytes
		if tooLong || st.scan.Syntax() == jsonrpc.Complete && st.held.tagged() {
			return false
		}
		st.buffer(term, st.scan.End())
		return true
	}
	return false
}

// openAssembly makes the line the first one of an assembly, which takes over
// the scanner that read it.
func (st *stream) openAssembly(term []byte) {
	asm := &st.asm
	if asm.scan == nil {
		asm.scan, asm.held = new(jsonrpc.Scanner), newHeld(st)
	}
	asm.open, asm.size = true, 0
	asm.scan, st.scan = st.scan, asm.scan
	asm.held, st.held = st.held, asm.held
	text := jsonrpc.Text{Syntax: jsonrpc.Incomplete, Len: st.cur.len, BadAt: -1}
	if st.cur.len <= HeadSize {
		st.scan.Reset(nil)
		st.scan.Write(st.cur.head())
		text = st.scan.End()
	}
	st.buffer(term, text)
	// Its reader may respond before the next line.
	ev := st.a.event(FrameGrew, st.c)
	ev.Frame = &asm.lines[0]
	st.a.emit()
}

// buffer stores a line whose kind is undecided.
func (st *stream) buffer(term []byte, text jsonrpc.Text) {
	f := *st.facts(knownTerm(term), text)
	f.Head, f.Whole = bytes.Clone(f.Head), nil
	st.asm.lines = append(st.asm.lines, f)
	st.asm.size += f.Len + int64(len(term))
	st.a.store.edit(f.Row).Kind = RowPart
}

// assembled ends the assembly with the line that completes its value.
func (st *stream) assembled(term []byte) {
	asm := &st.asm
	text, lines := asm.scan.End(), asm.lines
	asm.open, asm.lines = false, nil
	for i := range lines {
		f := &lines[i]
		f.Part, f.Lines, f.First = true, 1, lines[0].Row
		st.a.see(st.c, f)
	}
	f := st.facts(term, text)
	f.Lines, f.First, f.Whole = len(lines)+1, lines[0].Row, nil
	st.a.store.edit(f.Row).Flags |= FlagJoined
	st.judge(f, asm.held)
}

// giveUp reports the lines of an open assembly as separate frames.
func (st *stream) giveUp() {
	asm := &st.asm
	if !asm.open {
		return
	}
	lines := asm.lines
	asm.abandon()
	for i := range lines {
		f := &lines[i]
		st.a.store.edit(f.Row).Kind = textKind(f.Text)
		st.a.see(st.c, f)
	}
}

// abandon drops an open assembly.
func (asm *assembly) abandon() { asm.open, asm.lines = false, nil }

// opensValue reports whether a line begins an array or an object.
func opensValue(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// knownTerm returns a terminator that can be stored.
func knownTerm(term []byte) []byte {
	if len(term) == 1 && term[0] == '\n' {
		return lineFeed
	}
	return bytes.Clone(term)
}

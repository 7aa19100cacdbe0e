package session

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The steps of a conversation: each makes one record, at milliseconds of the
// session.

func frame(at int64, d Stream, body string) Record {
	return Record{Kind: RecFrame, T: ms(at), T1: ms(at), Stream: d, Body: []byte(body), Term: []byte("\n")}
}

func client(at int64, body string) Record { return frame(at, C2S, body) }
func server(at int64, body string) Record { return frame(at, S2C, body) }

func raw(at int64, d Stream, bytes string) Record {
	return Record{Kind: RecRaw, T: ms(at), T1: ms(at), Stream: d, Body: []byte(bytes)}
}

func ioEvent(at int64, d Stream, event string) Record {
	return Record{Kind: RecIO, T: ms(at), Stream: d, IO: IOEvent{Event: event}}
}

func process(at int64, event string) Record {
	return Record{Kind: RecProc, T: ms(at), Proc: Proc{Event: event, PID: 4711, Code: 3}}
}

func gap(at int64, d Stream, n int64) Record {
	return Record{Kind: RecGap, T: ms(at), Gap: Gap{Stream: d, Bytes: n, Frames: -1, Why: "disk"}}
}

func end(at int64) Record { return Record{Kind: RecEnd, T: ms(at), End: End{Why: "eof"}} }

// on puts a record into connection c.
func on(c int, r Record) Record {
	r.Conn = c
	return r
}

func ms(n int64) int64 { return n * int64(time.Millisecond) }

// play gives the records to an Analyzer with a witness, numbering them and
// laying them out as a file would.
func play(t testing.TB, cfg Config, records ...Record) (*Analyzer, *witness) {
	t.Helper()
	w := &witness{}
	cfg.Checkers = append(cfg.Checkers, w)
	a := NewAnalyzer(cfg)
	feed(a, records...)
	return a, w
}

func feed(a *Analyzer, records ...Record) {
	off := int64(a.store.n) * 1000
	for i := range records {
		r := records[i]
		r.N, r.Off = uint64(i+1), off
		if r.Conn == 0 {
			r.Conn = 1
		}
		a.Add(&r)
		off += 1000
	}
}

// witness writes every event down as a line.
type witness struct {
	lines []string
	seen  func(ev *Event, r Reporter)
}

func (w *witness) Check(ev *Event, r Reporter) {
	w.lines = append(w.lines, line(ev))
	if w.seen != nil {
		w.seen(ev, r)
	}
}

// only returns the lines that begin with one of the words.
func (w *witness) only(words ...string) []string {
	var list []string
	for _, l := range w.lines {
		for _, word := range words {
			if strings.HasPrefix(l, word+" ") || l == word {
				list = append(list, l)
			}
		}
	}
	return list
}

func line(ev *Event) string {
	switch ev.Kind {
	case FrameSeen:
		f := ev.Frame
		s := fmt.Sprintf("frame %v %q %d", f.Stream, f.Head, f.Text.Syntax)
		if f.Part {
			s += " part"
		}
		if f.Lines > 1 {
			s += fmt.Sprintf(" lines %d from %d", f.Lines, f.First)
		}
		return s
	case FrameGrew:
		return fmt.Sprintf("grew %v %d", ev.Frame.Stream, ev.Frame.Len)
	case FrameStalled:
		return fmt.Sprintf("stalled %v at %d", ev.Frame.Stream, ev.T/ms(1))
	case MessageSeen:
		s := fmt.Sprintf("message %v %v %v", ev.Frame.Stream, ev.Message.Kind, ev.Match)
		if ev.Exchange != nil {
			s += fmt.Sprintf(" #%s %s", ev.Exchange.ID, ev.Exchange.Method)
		}
		return s
	case ExchangeGone:
		return "gone #" + ev.Exchange.ID
	case ExchangeLate:
		return fmt.Sprintf("late #%s at %d", ev.Exchange.ID, ev.T/ms(1))
	case IOSeen:
		return fmt.Sprintf("io %v %s", ev.Stream, ev.IO.Event)
	case ProcSeen:
		return "proc " + ev.Proc.Event
	case Timer:
		return fmt.Sprintf("timer %s %d at %d", ev.Timer.Rule, ev.Timer.Num, ev.T/ms(1))
	case ConnEnded:
		return fmt.Sprintf("ended %d", ev.Conn.ID)
	case GapSeen:
		return fmt.Sprintf("gap %d", ev.Gap.Bytes)
	}
	return "?"
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n got:\n  %s\n want:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// request, result and failure write messages.
func request(id, method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

func result(id, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, value)
}

func failure(id string, code int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code)
}

// rowKinds returns the kinds of all rows.
func rowKinds(s *Snapshot) []RowKind {
	kinds := make([]RowKind, s.Len())
	for i := range kinds {
		kinds[i] = s.Row(uint32(i)).Kind
	}
	return kinds
}

package filter

import (
	"fmt"
	"testing"
	"time"

	"wiretea/session"
)

// The steps of a conversation: each makes one record, at milliseconds of the session.

func frame(at int64, d session.Stream, body string) session.Record {
	return session.Record{Kind: session.RecFrame, T: ms(at), T1: ms(at), Stream: d, Body: []byte(body), Term: []byte("\n")}
}

func client(at int64, body string) session.Record { return frame(at, session.C2S, body) }
func server(at int64, body string) session.Record { return frame(at, session.S2C, body) }

func httpEvent(at int64, trip int, ev session.HTTPEvent) session.Record {
	return session.Record{Kind: session.RecHTTP, T: ms(at), Trip: trip, HTTP: &ev}
}

func ms(n int64) int64 { return n * int64(time.Millisecond) }

// play returns the analyzer that has seen the records.
func play(cfg session.Config, records ...session.Record) *session.Analyzer {
	a := session.NewAnalyzer(cfg)
	feed(a, records...)
	return a
}

// feed adds records, numbered and laid out as a file would have them.
func feed(a *session.Analyzer, records ...session.Record) {
	off := int64(a.Snapshot().Len()) * 1000
	for i, r := range records {
		r.N, r.Off, r.Conn = uint64(i+1), off, max(r.Conn, 1)
		a.Add(&r)
		off += 1000
	}
}

// parsed returns the filter of a text that is one.
func parsed(t testing.TB, text string) *Filter {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func request(id, method, params string) string {
	if params == "" {
		params = "{}"
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

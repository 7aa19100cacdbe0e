package check

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
)

// trips are the connections of the round trips of a conversation; nil: there is none.
type trips map[int]int

// parse reads what follows "trip" on a line: the number of the round trip, on its first
// line perhaps @ and its connection, and
//
//	POST /mcp @post | Mcp-Session-Id: #1a2b3c4d/36 {"id":1,…}   the whole request
//	202                                                       the whole response, without a body
//	200 @json {"id":1,…}                                       … with a body
//	200 @sse                                                  the head of an event stream, which stays open
//	sse id=5 event=message retry=100 {"method":…}             an event; "sse :text" is a comment
//	GET https://a.example/mcp @get                            … to that server
//	req POST /mcp @post, res 200 @json                         the head only
//	c2s {"id":1,…}, s2c! "\"id\""                              a chunk of a body: this text, or these bytes
//	conn, conn reused                                         the connection that was found
//	sent, end eof, err connection refused                     the other events; end eof 36 says how long the response's body was
//	gap s2c 10                                                bytes that are missing
//	ours POST /mcp @post {"id":1,…}                            a request that wiretea made between the peers
//
// Fields are separated by |. @post, @get, @json and @sse are the fields that the
// specification requires. A credential is written as #HASH/LENGTH, after its scheme if it
// has one, and /odd behind it says that it has odd characters. A body begins with the first { or [ after a space; other bodies are chunks.
func (ts *trips) parse(t int64, line string) ([]session.Record, error) {
	word, rest, _ := strings.Cut(line, " ")
	number, conn, has := strings.Cut(word, "@")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("reading the round trip: %w", err)
	}
	if *ts == nil {
		*ts = trips{}
	}
	if has {
		if (*ts)[n], err = strconv.Atoi(conn); err != nil {
			return nil, fmt.Errorf("reading the connection: %w", err)
		}
	}
	l := tripLine{at: session.Record{T: t, T1: t, Trip: n, Conn: max(1, (*ts)[n])}}
	if theirs, ok := strings.CutPrefix(rest, "ours "); ok {
		rest, l.ours = theirs, true
	}
	if theirs, ok := strings.CutPrefix(rest, "kept "); ok {
		rest, l.kept = theirs, true
	}
	verb, rest, _ := strings.Cut(rest, " ")
	switch head, status := verb, 0; {
	case verb == "req", verb == "res", verb != "" && (verb[0] >= '1' && verb[0] <= '9' || strings.ToUpper(verb) == verb):
		whole := verb != "req" && verb != "res"
		if !whole {
			head, rest, _ = strings.Cut(rest, " ")
		}
		if status, err = strconv.Atoi(head); err != nil {
			return l.request(head, rest, whole), nil
		}
		l.response(status, rest, whole)
	case verb == "sse":
		l.body(session.S2C, eventText(rest))
	case verb == "held": // An event that was decided on here.
		l.body(session.S2C, eventText(rest))
		l.recs[len(l.recs)-1].Way = session.WayIn
	case verb == "end":
		why, length, _ := strings.Cut(rest, " ")
		n, _ := strconv.ParseInt(length, 10, 64)
		l.event(session.HTTPEvent{Event: verb, Why: why, Received: n})
	case verb == "conn":
		l.event(session.HTTPEvent{Event: verb, Remote: "127.0.0.1:3001", Reused: rest == "reused"})
	case verb == "err", verb == "sent":
		l.event(session.HTTPEvent{Event: verb, Why: rest})
	case verb == "gap":
		l.at.Kind = session.RecGap
		err = parseGap(&l.at, strings.Fields(rest))
		l.recs = append(l.recs, l.at)
	default:
		name, exact := strings.CutSuffix(verb, "!")
		stream, ok := session.ParseStream(name)
		if !ok {
			return nil, fmt.Errorf("%q is not an event of a round trip", verb)
		}
		body := []byte(rest)
		if exact {
			body, err = parseBytes(rest)
		}
		l.body(stream, string(body))
	}
	return l.recs, err
}

// A tripLine makes the records of one line.
type tripLine struct {
	at   session.Record
	ours bool
	kept bool // kept: a policy has decided that its body does not go on.
	recs []session.Record
}

func (l *tripLine) event(e session.HTTPEvent) {
	rec := l.at
	rec.Kind, rec.HTTP = session.RecHTTP, &e
	l.recs = append(l.recs, rec)
}

func (l *tripLine) body(s session.Stream, text string) {
	if text != "" {
		rec := l.at
		rec.Kind, rec.Stream, rec.Body = session.RecRaw, s, []byte(text)
		if l.ours {
			rec.Way = session.WayOut
		}
		if l.kept {
			rec.Way, rec.By = session.WayIn, "policy: test"
		}
		l.recs = append(l.recs, rec)
	}
}

func (l *tripLine) request(method, rest string, whole bool) []session.Record {
	target, rest, _ := strings.Cut(rest, " ")
	fields, body := parseFields(rest)
	server := ""
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		server, target = u.Scheme+"://"+u.Host, u.RequestURI()
	}
	l.event(session.HTTPEvent{Event: "req", Conn: l.at.Conn, Method: method, Target: target, Server: server, Proto: "HTTP/1.1", Remote: "127.0.0.1:50001", Fields: fields, Ours: l.ours})
	if whole {
		l.body(session.C2S, body)
		l.event(session.HTTPEvent{Event: "sent"})
	}
	return l.recs
}

func (l *tripLine) response(status int, rest string, whole bool) {
	fields, body := parseFields(rest)
	e := session.HTTPEvent{Event: "res", Status: status, Proto: "HTTP/1.1", Fields: fields}
	if coding, _ := e.Field("Content-Encoding"); coding == "gzip" {
		e.Coding = coding // It is removed.
	}
	l.event(e)
	if whole {
		l.body(session.S2C, body)
	}
	if whole && !e.IsEvents() {
		l.event(session.HTTPEvent{Event: "end", Why: "eof"})
	}
}

// fieldSets are the sets of fields that @ stands for.
var fieldSets = map[string]string{
	"@post": "Accept: application/json, text/event-stream | Content-Type: application/json",
	"@get":  "Accept: text/event-stream",
	"@json": "Content-Type: application/json",
	"@sse":  "Content-Type: text/event-stream | X-Accel-Buffering: no",
}

// parseFields reads header fields, and the body behind them.
func parseFields(text string) (fields []session.HTTPField, body string) {
	if at := slices.IndexFunc([]byte(" "+text), func(b byte) bool { return b == '{' || b == '[' }); at >= 0 && (at == 1 || text[at-2] == ' ') {
		text, body = text[:at-1], text[at-1:]
	}
	for name, set := range fieldSets {
		text = strings.Replace(text, name, set, 1)
	}
	for part := range strings.SplitSeq(text, "|") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, ":")
		f := session.HTTPField{Name: name, Value: strings.TrimSpace(value)}
		if scheme, secret, ok := strings.Cut(f.Value, "#"); ok {
			hash, size, _ := strings.Cut(secret, "/")
			size, odd := strings.CutSuffix(size, "/odd")
			n, _ := strconv.Atoi(size)
			f.Value, f.Secret = strings.TrimSpace(scheme), &session.Secret{Hash: hash, Len: n, Odd: odd}
		}
		fields = append(fields, f)
	}
	return fields, body
}

// eventText returns a server-sent event: the fields that are given, then data.
func eventText(text string) string {
	if strings.HasPrefix(text, ":") {
		return text + "\n\n"
	}
	var b strings.Builder
	for {
		word, rest, _ := strings.Cut(text, " ")
		name, value, ok := strings.Cut(word, "=")
		if !ok || strings.ContainsAny(name, `{["`) {
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", name, value)
		text = rest
	}
	return b.String() + strings.TrimRight("data: "+text, " ") + "\n\n"
}

// recorded returns the conversation as it is read from the file that a recorder wrote.
func (c *conversation) recorded() []session.Record {
	const most = 16 << 20
	sink, now := recorder.NewMemory(most), int64(0)
	t0 := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	h := *c.header().Header
	h.Mode = strings.Replace(h.Mode, "tee", "proxy", 1)
	h.Trans, h.URL, h.Cmd, h.T0 = "http", "http://127.0.0.1:3001/mcp", nil, t0
	w := recorder.NewWriter(sink, h, recorder.Options{Now: func() int64 { return now }, Wall: func() time.Time { return t0.Add(time.Duration(now)) }})
	if err := w.Run(&observer{c: c, now: &now}); err != nil {
		panic(err)
	}
	var recs []session.Record
	for r := recorder.NewReader(sink, 0); ; {
		var rec session.Record
		if err := r.Next(&rec); err != nil {
			break
		}
		if rec.Kind == session.RecEnd && !c.ends() || rec.Kind == session.RecClock {
			continue
		}
		for _, p := range []*[]byte{&rec.Body, &rec.Term, &rec.Pre, &rec.Post} {
			*p = slices.Clone(*p)
		}
		recs = append(recs, rec)
	}
	if c.ends() {
		recs[len(recs)-1].T = c.entries[len(c.entries)-1].rec.T
	}
	return c.withTicks(recs)
}

// ends reports whether the session file is closed.
func (c *conversation) ends() bool {
	return len(c.entries) > 0 && c.entries[len(c.entries)-1].rec.Kind == session.RecEnd
}

// withTicks puts the ticks where they are: the file has none.
func (c *conversation) withTicks(recs []session.Record) []session.Record {
	for _, e := range c.entries {
		if e.rec.Kind == session.RecUnknown {
			i := slices.IndexFunc(recs, func(r session.Record) bool { return r.T > e.rec.T })
			if i < 0 {
				i = len(recs)
			}
			recs = slices.Insert(recs, i, e.rec)
		}
	}
	return recs
}

// An observer is the source of a recorder: what a tap saw of a conversation.
type observer struct {
	c   *conversation
	now *int64
	at  int
}

func (o *observer) Take(time.Duration) ([]session.Observation, int64, error) {
	for ; o.at < len(o.c.entries); o.at++ {
		rec := o.c.entries[o.at].rec
		kinds := map[session.RecordKind]session.ObsKind{
			session.RecRaw: session.ObsBytes, session.RecHTTP: session.ObsHTTP, session.RecIO: session.ObsIO,
			session.RecProc: session.ObsProc, session.RecGap: session.ObsGap,
		}
		kind, ok := kinds[rec.Kind]
		if !ok {
			continue
		}
		o.at++
		*o.now = rec.T
		obs := session.Observation{Kind: kind, Trip: rec.Trip, Stream: rec.Stream, Way: rec.Way, T: rec.T, Data: slices.Clone(rec.Body), IO: rec.IO, Proc: rec.Proc, Gap: rec.Gap, HTTP: rec.HTTP}
		if rec.Trip == 0 {
			obs.Conn = rec.Conn
		}
		if rec.By != "" {
			decided := obs
			decided.Kind, decided.Data, decided.Decided = session.ObsDecided, nil, session.Decided{By: rec.By}
			return []session.Observation{decided, obs}, 0, nil
		}
		return []session.Observation{obs}, 0, nil
	}
	return nil, 0, io.EOF
}

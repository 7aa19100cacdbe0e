package check

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"wiretea/session"
	"wiretea/session/check/http"
	"wiretea/session/check/process"
	"wiretea/session/check/rule"
	"wiretea/session/framing"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// TestOverHTTP replays every conversation that consists of whole messages as round trips
// of HTTP: what is a near miss stays one, and the rules for messages say what they say
// over stdio.
func TestOverHTTP(t *testing.T) {
	replayed := 0
	for _, f := range families {
		for _, file := range glob(t, f.Name) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			broken, near := ruleOf(f, strings.TrimSuffix(filepath.Base(file), ".txtar"))
			c := parseConversation(t, string(ar.Files[0].Data))
			recs, ok := c.overHTTP()
			if !ok {
				continue
			}
			replayed++
			t.Run(f.Name+"/"+filepath.Base(file), func(t *testing.T) {
				found := analyze(recs).Findings()
				for _, got := range found {
					if strings.Contains(got.Message, "stdin") || strings.Contains(got.Message, "stdout") || inFamily(&process.Family, got.Rule) {
						t.Errorf("%s is about stdio: %s", got.Rule, got.Message)
					}
					if got.Rule != broken.ID && !replaying[got.Rule] && (near || !aboutHTTP(got.Rule)) && f.Name != process.Family.Name {
						t.Errorf("over HTTP it brings %s: %s", got.Rule, got.Message)
					}
				}
				says := slices.ContainsFunc(found, func(f session.Finding) bool {
					return f.Rule == broken.ID || slices.Contains(instead[broken.ID], f.Rule)
				})
				if !near && !says && f.Name != process.Family.Name && !slices.Contains(instead[broken.ID], "") {
					t.Errorf("%s says nothing over HTTP", broken.ID)
				}
			})
		}
	}
	if replayed < 700 {
		t.Errorf("only %d conversations consist of whole messages", replayed)
	}
}

// replaying are the rules that apply to how the conversations are replayed: over quiet
// streams, with cancellations that 2026-07-28 does not have over HTTP.
var replaying = map[string]bool{"sse-no-keepalive": true, "http-legacy-artifacts": true}

// instead are the rules that say over HTTP what a rule says over stdio; empty = there is
// nothing to say.
var instead = map[string][]string{
	"duplicate-initialize":      {""}, // It begins another session.
	"duplicate-request-id":      {""}, // Several clients may look like one.
	"mixed-era":                 {""}, // Each request stands for itself.
	"request-before-initialize": {""}, // The recording began in the middle of the session.
	"request-never-answered":    {""}, // The recording ended.
	"stderr-has-protocol":       {""},
	"stderr-not-utf8":           {""},
	"client-sent-response":      {"http-response-post"},
	"duplicate-response":        {"http-response-on-get"},
	"orphan-response":           {"http-response-on-get", "http-response-wrong-exchange"},
	"response-to-notification":  {"http-response-on-get", ""},
	"json-not-message":          {"sse-data-not-json", ""},
}

func aboutHTTP(id string) bool {
	return slices.ContainsFunc([]*rule.Family{&http.Exchange, &http.Sessions, &http.Streams, &http.Mirror}, func(f *rule.Family) bool { return inFamily(f, id) })
}

func inFamily(f *rule.Family, id string) bool {
	return slices.ContainsFunc(f.Rules, func(r *Rule) bool { return r.ID == id })
}

// An httpReplay makes round trips of messages.
type httpReplay struct {
	recs    []session.Record
	last    int
	open    []*replayed // open are the requests without their response, oldest first.
	stream  int         // stream is the round trip of the GET stream; 0 = none.
	version string      // version is what initialize agreed on.
}

// A replayed request waits for its response on its round trip.
type replayed struct {
	trip   int
	id     string
	method string
	token  string
	modern bool
	events bool // events: its response is an event stream.
}

// overHTTP returns the conversation as round trips. It reports false if that is not
// possible: not everything in it is one whole message.
func (c *conversation) overHTTP() ([]session.Record, bool) {
	h := c.header()
	head := *h.Header
	head.Mode, head.Trans = "proxy", "http"
	h.Header = &head
	p := &httpReplay{recs: []session.Record{h}}
	var cut [3]framing.Splitter
	whole := c.trips == nil
	for _, e := range c.entries {
		switch e.rec.Kind {
		case session.RecRaw:
			if e.rec.Stream == session.Stderr {
				continue
			}
			n := len(p.recs)
			cut[e.rec.Stream].Push(e.rec.Body, func(f framing.Piece) {
				whole = whole && f.Start && f.End && string(f.Term) == "\n" && e.rec.Way == session.Crossed && p.message(e.rec.T, e.rec.Stream, bytes.Clone(f.Data))
			})
			whole = whole && len(p.recs) > n
		case session.RecIO:
			if e.rec.IO.Event == "eof" && e.rec.Stream == session.C2S {
				p.leave(e.rec.T)
			}
		case session.RecGap:
			whole = false
		case session.RecUnknown, session.RecEnd:
			p.recs = append(p.recs, e.rec)
		}
	}
	return number(p.recs), whole
}

// message replays one message, and reports whether it is one.
func (p *httpReplay) message(t int64, s session.Stream, text []byte) bool {
	var m *jsonrpc.Message
	n := 0
	scanned := jsonrpc.Scan(text, func(got *jsonrpc.Message) { copied := *got; m = &copied; n++ })
	if scanned.Syntax != jsonrpc.Complete || n != 1 || scanned.Batches > 0 {
		return false
	}
	method, _ := m.Method.Unquoted()
	switch id := string(lex.Get(text, "id")); {
	case s == session.C2S && m.Kind == jsonrpc.Request:
		p.request(t, id, method, text)
	case s == session.C2S:
		p.post(t, text, method)
		p.answer(t, p.last, 202, "", nil)
	case m.Kind.Response():
		p.response(t, id, text)
	default:
		p.push(t, text)
	}
	return true
}

func (p *httpReplay) event(t int64, trip int, e session.HTTPEvent) {
	p.recs = append(p.recs, session.Record{Kind: session.RecHTTP, Conn: 1, Trip: trip, T: t, T1: t, HTTP: &e})
}

func (p *httpReplay) body(t int64, trip int, s session.Stream, text string) {
	p.recs = append(p.recs, session.Record{Kind: session.RecRaw, Conn: 1, Trip: trip, Stream: s, T: t, T1: t, Body: []byte(text)})
}

// post begins a round trip with a message.
func (p *httpReplay) post(t int64, text []byte, method string) {
	p.last++
	fields, _ := parseFields("@post")
	params := lex.Get(text, "params")
	modern := lex.Unquote(lex.Get(lex.Get(params, "_meta"), "io.modelcontextprotocol/protocolVersion"))
	switch {
	case modern != "":
		fields = append(fields, session.HTTPField{Name: "MCP-Protocol-Version", Value: modern}, session.HTTPField{Name: "Mcp-Method", Value: method})
		name := map[string]string{mcp.ToolsCall: "name", mcp.PromptsGet: "name", mcp.ResourcesRead: "uri", mcp.TasksGet: "taskId", mcp.TasksUpdate: "taskId", mcp.TasksCancel: "taskId"}[method]
		if value := lex.Get(params, name); name != "" && jsonrpc.TypeOf(value) == jsonrpc.String {
			fields = append(fields, session.HTTPField{Name: "Mcp-Name", Value: lex.Unquote(value)})
		}
	case p.version != "" && method != mcp.Initialize:
		fields = append(fields, p.session()...)
	}
	p.event(t, p.last, session.HTTPEvent{Event: "req", Conn: 1, Method: "POST", Target: "/mcp", Fields: fields})
	p.body(t, p.last, session.C2S, string(text))
	p.event(t, p.last, session.HTTPEvent{Event: "sent"})
}

// session returns the fields of a request in the session.
func (p *httpReplay) session() []session.HTTPField {
	return []session.HTTPField{
		{Name: "Mcp-Session-Id", Secret: &session.Secret{Len: 36, Hash: "1a2b3c4d"}}, {Name: "MCP-Protocol-Version", Value: p.version},
	}
}

func (p *httpReplay) request(t int64, id, method string, text []byte) {
	p.post(t, text, method)
	meta := lex.Get(lex.Get(text, "params"), "_meta")
	p.open = append(p.open, &replayed{trip: p.last, id: id, method: method, token: string(lex.Get(meta, "progressToken")), modern: lex.Get(meta, "io.modelcontextprotocol/protocolVersion") != nil})
}

// answer ends a round trip.
func (p *httpReplay) answer(t int64, trip, status int, text string, fields []session.HTTPField) {
	if text != "" {
		fields = append(fields, session.HTTPField{Name: "Content-Type", Value: "application/json"})
	}
	p.event(t, trip, session.HTTPEvent{Event: "res", Status: status, Fields: fields})
	if text != "" {
		p.body(t, trip, session.S2C, text)
	}
	p.event(t, trip, session.HTTPEvent{Event: "end", Why: "eof"})
}

// response replays a response on the round trip of its request.
func (p *httpReplay) response(t int64, id string, text []byte) {
	at := slices.IndexFunc(p.open, func(r *replayed) bool { return r.id == id })
	if at < 0 {
		p.push(t, text)
		return
	}
	r := p.open[at]
	p.open = slices.Delete(p.open, at, at+1)
	if r.events {
		p.body(t, r.trip, session.S2C, eventText(string(text)))
		p.event(t, r.trip, session.HTTPEvent{Event: "end", Why: "eof"})
		return
	}
	status := 200
	if r.modern {
		switch string(lex.Get(lex.Get(text, "error"), "code")) {
		case "-32601":
			status = 404
		case "-32020", "-32021", "-32022":
			status = 400
		}
	}
	var fields []session.HTTPField
	if version := lex.Unquote(lex.Get(lex.Get(text, "result"), "protocolVersion")); r.method == mcp.Initialize && version != "" {
		p.version = version
		fields = p.session()[:1]
	}
	p.answer(t, r.trip, status, string(text), fields)
	if r.method == mcp.Initialize && p.version != "" && p.stream == 0 {
		p.listen(t)
	}
}

// leave has the client close the round trips whose response has not begun.
func (p *httpReplay) leave(t int64) {
	p.open = slices.DeleteFunc(p.open, func(r *replayed) bool {
		if !r.events {
			p.event(t, r.trip, session.HTTPEvent{Event: "end", Why: "client"})
		}
		return !r.events
	})
}

// listen opens the GET stream.
func (p *httpReplay) listen(t int64) {
	p.last++
	p.stream = p.last
	get, _ := parseFields("@get")
	events, _ := parseFields("@sse")
	p.event(t, p.stream, session.HTTPEvent{Event: "req", Conn: 1, Method: "GET", Target: "/mcp", Fields: append(get, p.session()...)})
	p.event(t, p.stream, session.HTTPEvent{Event: "res", Status: 200, Fields: events})
}

// push replays a message that does not answer a waiting request.
func (p *httpReplay) push(t int64, text []byte) {
	params := lex.Get(text, "params")
	token := string(lex.Get(params, "progressToken"))
	subscription := string(lex.Get(lex.Get(params, "_meta"), "io.modelcontextprotocol/subscriptionId"))
	at := slices.IndexFunc(p.open, func(r *replayed) bool {
		return token != "" && r.token == token || subscription != "" && r.id == subscription
	})
	if at < 0 && p.stream == 0 {
		at = len(p.open) - 1
	}
	if at < 0 {
		if p.stream == 0 {
			return
		}
		p.body(t, p.stream, session.S2C, eventText(string(text)))
		return
	}
	r := p.open[at]
	if !r.events {
		r.events = true
		events, _ := parseFields("@sse")
		p.event(t, r.trip, session.HTTPEvent{Event: "res", Status: 200, Fields: events})
	}
	p.body(t, r.trip, session.S2C, eventText(string(text)))
}

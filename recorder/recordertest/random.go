package recordertest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"wiretea/session/mcp"
)

// Random returns a session file of nothing in particular: every kind of record on every
// stream, messages of every method with members that are almost right, ids that meet,
// batches of many messages, lines in pieces, gaps, and lines that are not records. The
// same seed makes the same file.
func Random(seed uint64) []byte {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 2)), conn: 1}
	r.http = r.one(4)
	r.header()
	for range 1 + r.IntN(1<<r.IntN(7)) {
		r.record()
	}
	if r.IntN(3) > 0 {
		r.line("end", `"frames":%d,"bytes":%d,"lost":%s,"why":%s`, r.n, r.out.Len(), r.pick("0", "0", "5", "-1", `"x"`), r.word())
	}
	if r.one(8) {
		r.out.Truncate(r.out.Len() - 1 - r.IntN(min(20, r.out.Len()-1)))
	}
	return r.out.Bytes()
}

type random struct {
	*rand.Rand
	out  bytes.Buffer
	n    int
	t    int64
	conn int
	http bool
	open [3][]byte // open are the rest of lines that have begun in raw records.
}

func (r *random) one(in int) bool { return r.IntN(in) == 0 }

func (r *random) pick(words ...string) string { return words[r.IntN(len(words))] }

// quoted is a text as JSON.
func quoted(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// word is a string, mostly one that a field may have.
func (r *random) word() string {
	return quoted(r.pick("eof", "exit", "SIGTERM", "client", "server", "us", "a", "", "x y", "2025-11-25", "2026-07-28", "2024-11-05", "text", "object", "info", "\x1b[31m", "\u202e", "\u0085", "7", "file:///etc", "http://127.0.0.1:1/mcp?token=sk-123",
		strings.Repeat("é", 300), "é"+strings.Repeat("\u0301", 300), "complete", "input_required", "task", "user", "working", "elicitation/create", "image/png", "aGk=", "{}", "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln"))
}

func (r *random) header() {
	mode, transport := r.pick("run", "tee", "tee", "proxy", "x\x1b[1m"), "stdio"
	if r.http {
		transport = "http"
	}
	fmt.Fprintf(&r.out, `{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"%016x","tool":%s,"t0":"2026-11-20T10:00:00.000000000Z","mode":%s,"tr":%q,"cmd":%s,"cwd":%s,"envk":%s,"ppid":%d,"url":%s,"lim":%s}`+"\n",
		r.Uint64(), r.word(), quoted(mode), transport, r.pick(`["node","s.js"]`, `[]`, `["sh","-c","\u001b[2J"]`, `7`), r.word(), r.pick(`["PATH"]`, `null`, `[7]`), r.IntN(9),
		r.pick(`""`, `"http://127.0.0.1:3001/mcp"`, r.word()), r.pick(`{}`, `{"timeout":1}`, `{"timeout":-5,"maxline":3,"lines":[9,1]}`, `{"timeouts":{"ping":1}}`, `[]`))
}

// line writes a record.
func (r *random) line(kind, fields string, args ...any) {
	r.n++
	r.t += r.Int64N(1 << (1 + r.IntN(38)))
	fmt.Fprintf(&r.out, `{"k":%q,"n":%d,"t":%d`, kind, r.n, r.t)
	if r.conn != 1 {
		fmt.Fprintf(&r.out, `,"c":%d`, r.conn)
	}
	if text := fmt.Sprintf(fields, args...); text != "" {
		r.out.WriteString("," + text)
	}
	r.out.WriteString("}\n")
}

func (r *random) record() {
	if r.one(30) {
		r.conn = 1 + r.IntN(3)
	}
	switch r.IntN(24) {
	case 0:
		r.line("io", `"d":%q,"ev":%s,"side":%s,"bytes":%d`, r.pick(streams[:]...), quoted(r.pick("eof", "closed", "blocked", "unblocked", "epipe", "released", "x")), r.word(), r.IntN(99)-9)
	case 1:
		r.line("proc", `"ev":%s,"pid":%d,"fds":%s,"code":%d,"sig":%s,"by":%s,"pids":%s,"err":%s`, quoted(r.pick("start", "start", "exit", "signal", "orphans", "failed", "x")), r.IntN(9), r.pick(`["pipe"]`, `null`),
			r.IntN(300)-9, r.pick(`""`, `"SIGKILL"`, r.word()), r.word(), r.pick(`[1,2]`, `null`), r.word())
	case 2:
		r.line("gap", `"d":%q,"bytes":%d,"frames":%d,"why":%s`, r.pick(streams[:]...), r.IntN(99)-9, r.IntN(9)-2, quoted(r.pick("disk", "memory", "damage", "ring", "tail", "x")))
	case 3:
		r.line(r.pick("clk", "new", "hdr"), `"wall":%s`, r.pick(`"2026-11-20T10:00:01Z"`, `"x"`, `7`))
	case 4:
		from := r.out.Len()
		r.frame()
		r.damage(from)
	case 5, 6:
		r.raw()
	case 7, 8, 9:
		if r.http {
			r.trip()
			return
		}
		r.frame()
	default:
		r.frame()
	}
}

// damage spoils the line that was written from there on.
func (r *random) damage(from int) {
	line := r.out.Bytes()[from : r.out.Len()-1]
	switch r.IntN(3) {
	case 0:
		line[r.IntN(len(line))] = byte(r.IntN(256))
	case 1:
		r.out.Truncate(from + r.IntN(len(line)))
		r.out.WriteByte('\n')
	case 2:
		r.out.WriteString(r.pick("\n", "garbage\n", "{}\n", "\x00\n", "[1]\n"))
	}
}

var streams = [...]string{"c2s", "s2c", "err"}

func (r *random) stream() int { return r.pick2(0, 0, 0, 1, 1, 1, 2) }

func (r *random) pick2(of ...int) int { return of[r.IntN(len(of))] }

// where are the fields of bytes that every form of them has.
func (r *random) where(d int) string {
	text := fmt.Sprintf(`"d":%q`, streams[d])
	if r.one(20) {
		text += `,"way":` + r.pick(`"in"`, `"out"`, `"x"`)
	}
	if r.one(20) {
		text += fmt.Sprintf(`,"of":%d`, r.IntN(r.n+2))
	}
	if r.one(4) {
		text += fmt.Sprintf(`,"t1":%d`, r.t-r.Int64N(1000))
	}
	if r.http && r.IntN(4) > 0 {
		text += fmt.Sprintf(`,"trip":%d`, r.IntN(6))
	}
	if r.one(60) {
		text += `,"again":1`
	}
	return text
}

func (r *random) frame() {
	d := r.stream()
	body := r.text(d)
	fields := r.where(d) + `,"y":"q","m":` + r.word()
	if r.IntN(5) > 0 {
		fields += fmt.Sprintf(`,"len":%d`, len(body))
	}
	switch {
	case r.http && r.one(3):
		fields += `,"pre":` + quoted(r.pick("data: ", "id: 7\nevent: message\ndata: ", ": c\n")) + `,"post":` + quoted(r.pick("\n\n", "\r\n\r\n", ""))
	case r.one(6):
		fields += `,"e":` + quoted(r.pick("\r\n", "", "\n", "x"))
	}
	switch {
	case json.Valid([]byte(body)) && !strings.ContainsAny(body, "\r\n") && r.IntN(8) > 0:
		fields += `,"b":` + body
	case utf8.ValidString(body) && r.IntN(8) > 0:
		fields += `,"s":` + quoted(body)
	default:
		fields += `,"x":"` + base64.StdEncoding.EncodeToString([]byte(body)) + `"`
	}
	r.line("f", "%s", fields)
}

// raw writes a part of a stream, which goes on in the next one.
func (r *random) raw() {
	d := r.stream()
	for range r.IntN(4) {
		r.open[d] = append(r.open[d], r.text(d)+r.pick("\n", "\n", "\r\n", "")...)
	}
	n := len(r.open[d])
	if n > 0 && r.one(2) {
		n = r.IntN(n)
	}
	part := r.open[d][:n]
	r.open[d] = r.open[d][n:]
	if utf8.Valid(part) && r.one(2) {
		r.line("raw", `%s,"s":%s`, r.where(d), quoted(string(part)))
		return
	}
	r.line("raw", `%s,"x":%q`, r.where(d), base64.StdEncoding.EncodeToString(part))
}

// trip writes an event of a round trip.
func (r *random) trip() {
	field := func() string {
		return `{"n":` + quoted(r.pick("Content-Type", "Mcp-Session-Id", "Authorization", "Location", "Origin", "Www-Authenticate", "X\x1b")) + `,"v":` + r.pick(`"application/json"`, `"text/event-stream"`, r.word()) + `}`
	}
	r.line("http", `"trip":%d,"ev":%s,"method":%s,"url":%s,"server":%s,"proto":%s,"remote":%s,"status":%d,"fields":[%s,%s],"coding":%s,"why":%s,"sent":%d,"received":%d,"cert":%s,"len":%s,"s":%s`,
		r.IntN(6), quoted(r.pick("req", "req", "conn", "sent", "res", "res", "sse", "err", "end", "x")), quoted(r.pick("POST", "GET", "DELETE", "OPTIONS", "\x1b")), r.pick(`"/mcp"`, r.word()), r.word(), r.word(), r.word(),
		r.pick2(0, 200, 200, 202, 301, 401, 403, 404, 405, 500, -1), field(), field(), r.pick(`""`, `"gzip"`), quoted(r.pick("eof", "client", "server", "reset", "timeout", "x")), r.IntN(999), r.IntN(999),
		r.pick(`null`, `{"subject":"\u001b","end":1}`), r.pick("4", "9"), quoted(r.pick(": hi", ": hi\n\n", "retry: x")))
}

// text is what one frame holds.
func (r *random) text(d int) string {
	switch r.IntN(16) {
	case 0:
		return r.pick("listening on stdio", "", "\x1b[31mred\x1b[0m", "\xff\xfe", "{", "]", "Content-Length: 40\r\n\r\n", "null", "7", "Error: Cannot find module 'x'", "Traceback (most recent call last):", "npm error code ENOENT", "    at x (y.js:1:2)", strings.Repeat("x", 5000))
	case 1:
		if r.IntN(4) > 0 {
			break
		}
		m := r.message(d)
		return "[" + strings.TrimSuffix(strings.Repeat(m+",", r.pick2(1, 1, 2, 3, 65, 66)), ",") + "]"
	case 2:
		if r.IntN(4) > 0 {
			break
		}
		var list []string
		for range r.pick2(0, 1, 3, 3) {
			list = append(list, r.message(d))
		}
		return "[" + strings.Join(list, ",") + "]"
	case 3:
		return strings.ReplaceAll(r.message(d), ",", ",\n ")
	case 4:
		m := r.message(d)
		return m[:r.IntN(len(m)+1)]
	}
	return r.message(d)
}

func (r *random) id() string {
	return r.pick("1", "1", "2", "3", `"1"`, "null", "1.5", "-1", fmt.Sprint(r.IntN(20)), `"a"`, "{}", "1e0", strings.Repeat("9", 400), `"`+strings.Repeat("i", 300)+`"`)
}

// message is a message, mostly one that this side sends.
func (r *random) message(d int) string {
	m := mcp.Methods()[r.IntN(len(mcp.Methods()))]
	name := m.Name
	if r.IntN(3) == 0 {
		name = r.pick("initialize", "tools/call", "tools/list", "ping", "server/discover", "notifications/cancelled", "notifications/progress", "notifications/initialized", "no/such", "")
	}
	answer := r.one(4) || d == 1 && r.IntN(4) > 0
	text := `{"jsonrpc":` + r.pick(`"2.0"`, `"2.0"`, `"2.0"`, `"2.0"`, `"2.0"`, `"1.0"`, `2`)
	switch {
	case answer && r.one(4):
		text += `,"id":` + r.id() + `,"error":` + r.pick(`{"code":-32601,"message":"x"}`, `{"code":-32022,"message":"","data":{"supported":["2026-07-28"],"requested":"x"}}`, `{"code":"x"}`, `7`, r.value(2))
	case answer:
		text += `,"id":` + r.id() + `,"result":` + r.object(3)
	default:
		if !m.Notification || r.one(9) {
			text += `,"id":` + r.id()
		}
		text += `,"method":` + quoted(name) + `,"params":` + r.object(3)
	}
	if r.one(20) {
		text += `,"id":1`
	}
	return text + "}"
}

// members are names that the protocol knows.
var members = [...]string{
	"name", "uri", "taskId", "level", "ref", "arguments", "_meta", "progressToken", "requestId", "progress", "total", "message", "protocolVersion", "capabilities", "clientInfo", "serverInfo", "version", "title", "tools", "prompts", "resources", "resourceTemplates",
	"inputSchema", "outputSchema", "structuredContent", "content", "type", "text", "data", "mimeType", "isError", "nextCursor", "cursor", "resultType", "inputRequests", "inputResponses", "requestState", "task", "tasks", "status", "ttl", "ttlMs", "cacheScope",
	"roots", "role", "messages", "model", "elicitation", "mode", "url", "requestedSchema", "action", "properties", "required", "enum", "$ref", "anyOf", "method", "params", "id", "jsonrpc", "result", "error", "logger", "supportedVersions", "extensions", "password", "token",
	"io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities", "io.modelcontextprotocol/subscriptionId", "contents", "blob", "annotations", "icons", "values", "completion", "hasMore", "description", "subscribe", "listChanged", "pollInterval",
}

func (r *random) object(depth int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range r.IntN(7) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(r.pick(members[:]...)) + ":" + r.value(depth-1))
	}
	b.WriteByte('}')
	return b.String()
}

func (r *random) value(depth int) string {
	n := 9
	if depth <= 0 {
		n = 5
	}
	switch r.IntN(n) {
	case 0:
		return r.pick("null", "true", "false", "0", "-0", "1.0", "1e400", "123456789012345678901234567890", "0.1")
	case 1, 2:
		return r.word()
	case 3:
		return r.id()
	case 4:
		return r.pick("{}", "[]", `[{"type":"text","text":"hi"}]`, `[{"name":"echo","inputSchema":{"type":"object"}}]`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `"\ud800"`, `"\u001b]0;x\u0007"`, strings.Repeat("[", 40)+strings.Repeat("]", 40))
	case 5, 6:
		return r.object(depth)
	}
	var list []string
	for range r.IntN(4) {
		list = append(list, r.value(depth-1))
	}
	return "[" + strings.Join(list, ",") + "]"
}

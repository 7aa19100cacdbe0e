package http

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"wiretea/session/client"
	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A message is a line of ours, and what the transport needs to know of it.
type message struct {
	line    []byte
	kind    jsonrpc.Kind // kind is Invalid for anything but a single message.
	id      string       // id is the raw text of a request's id; empty = it is none, or cannot be named.
	asks    []string     // asks are the raw texts of the ids of its requests: several in a batch.
	method  string
	version string // version is the protocol version in its _meta; empty = it is a legacy message.
	names   string // names is the raw text of the id that a cancellation names.
}

// read reads a line of ours.
func read(line []byte) *message {
	m := &message{line: line}
	var asks []string
	text := jsonrpc.Scan(line, func(j *jsonrpc.Message) {
		m.kind = j.Kind
		m.method, _ = j.Method.Unquoted()
		if j.Kind == jsonrpc.Request {
			if m.id = string(j.ID.In(line)); m.id != "" {
				asks = append(asks, m.id)
			}
		}
		m.version = lex.Unquote(j.Field(jsonrpc.MetaProtocolVersion).In(line))
		m.names = string(j.Field(jsonrpc.ParamRequestID).In(line))
	})
	if text.Values != 1 || text.Batches > 0 {
		return &message{line: line, asks: asks}
	}
	m.asks = asks
	return m
}

// modern reports whether it is of the modern era.
func (m *message) modern() bool { return m.version != "" }

// unending reports whether it is a request that stays open.
func (m *message) unending() bool {
	known, ok := mcp.Lookup(m.method)
	return ok && known.Unbounded
}

// An arrival is what a text of the server's is to a request.
type arrival struct {
	whole  bool             // whole: it is JSON-RPC, one message or more.
	answer bool             // answer: it is the answer to one of the requests, or to several.
	left   []string         // left are the ids of those that it does not answer.
	result json.RawMessage  // result is that of the last answer.
	rpc    *client.RPCError // rpc is the last error that answers nobody, or another.
}

// look says what a text of the server's is to the requests of those ids.
func look(text []byte, ids ...string) (a arrival) {
	a.left = ids
	var is bool
	syntax := jsonrpc.Scan(text, func(j *jsonrpc.Message) {
		is = is || j.Kind != jsonrpc.Invalid
		answered := -1
		if j.Kind.Response() {
			answered = slices.Index(a.left, string(j.ID.In(text)))
		}
		switch {
		case answered >= 0:
			a.answer, a.result = true, j.Result.In(text)
			a.left = slices.Concat(a.left[:answered], a.left[answered+1:])
		case j.Kind == jsonrpc.Error:
			a.rpc = client.ParseError(j.Error.In(text))
		}
	})
	a.whole = is && (syntax.Syntax == jsonrpc.Complete || syntax.Syntax == jsonrpc.Trailing && syntax.Values > 0)
	return a
}

// oneLine makes a message fit on one line: inside strings JSON has no raw line breaks.
func oneLine(text []byte) []byte {
	for i, b := range text {
		if b == '\n' || b == '\r' {
			text[i] = ' '
		}
	}
	return append(text, '\n')
}

// inboxSize is how much waits for Read before streams wait too, in bytes.
const inboxSize = 8 << 20

// An inbox is what came and Read has not returned yet, in order.
type inbox struct {
	mu     sync.Mutex
	news   sync.Cond // news is signalled whenever something below changes.
	items  []item
	size   int
	closed bool
}

// An item is a line, or what is to be told behind those before it.
type item struct {
	line []byte
	tell func()
}

func newInbox() *inbox {
	b := &inbox{}
	b.news.L = &b.mu
	return b
}

// put adds an item. While the inbox is full it waits, at most until ctx ends.
func (b *inbox) put(ctx context.Context, it item) {
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.news.Broadcast()
	})
	defer stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size >= inboxSize && len(it.line) > 0 && ctx.Err() == nil {
		b.news.Wait()
	}
	if b.closed || ctx.Err() != nil {
		return
	}
	b.items, b.size = append(b.items, it), b.size+len(it.line)
	b.news.Broadcast()
}

// first puts a line before all others, without waiting for room.
func (b *inbox) first(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items, b.size = append([]item{{line: line}}, b.items...), b.size+len(line)
	b.news.Broadcast()
}

// read is Conn.Read.
func (b *inbox) read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(p) > 0 {
		if len(b.items) == 0 {
			if b.closed {
				return 0, io.EOF
			}
			b.news.Wait()
			continue
		}
		it := &b.items[0]
		n := copy(p, it.line)
		it.line, b.size = it.line[n:], b.size-n
		tell := it.tell
		if len(it.line) == 0 {
			b.items[0] = item{}
			b.items = b.items[1:]
		}
		b.news.Broadcast()
		if n > 0 {
			return n, nil
		}
		if tell != nil {
			b.mu.Unlock()
			tell()
			b.mu.Lock()
		}
	}
	return 0, nil
}

// close ends it: read returns io.EOF behind what is there.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.news.Broadcast()
}

package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session/framing"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

const (
	readSize = 64 << 10 // readSize is how much is read at a time.
	maxText  = 32 << 20 // maxText is the longest message that is kept in memory, in bytes. The session file has them all.
	keepSize = 1 << 20  // keepSize is the most memory kept from one message for the next.
)

// receive reads the server's stdout until it ends. It is the reader goroutine.
func (c *Client) receive(r io.Reader) {
	defer close(c.read)
	defer c.answering.Wait()
	// A bug of ours that a server's bytes trigger ends the connection, not the
	// program.
	defer func() {
		if p := recover(); p != nil {
			c.end(fmt.Errorf("reading from the server: internal error: %v", p))
		}
	}()
	in := receiver{client: c}
	in.scan.Reset(in.message)
	chunk := make([]byte, readSize)
	for {
		n, err := r.Read(chunk)
		in.split.Push(chunk[:n], in.piece)
		if err == nil {
			continue
		}
		in.split.Flush(in.piece)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed) {
			c.end(nil)
		} else {
			c.end(fmt.Errorf("reading from the server: %w", err))
		}
		return
	}
}

// A receiver turns the server's stdout into messages. Messages are taken as soon
// as their last brace has come, so that a missing newline does not matter.
//
// A line that is the beginning of a JSON value and no more is kept, and the next
// lines are read as its continuation, for servers that pretty-print. When one of them is
// a syntax error there, or a whole message, the beginning was stray text and is dropped.
type receiver struct {
	client *Client
	split  framing.Splitter
	scan   jsonrpc.Scanner
	text   []byte // text is what scan has seen of the value so far.
	line   int    // line is where the current line begins in text; > 0 means that earlier lines are kept.
	skip   bool   // skip: the rest of the line is of no interest.
	long   bool   // long: the line is longer than maxText and is scanned, but not kept.
}

// piece takes a part of a frame.
func (in *receiver) piece(p framing.Piece) {
	if p.Kind == framing.Header {
		if p.Start {
			in.reset()
		}
		return
	}
	if !in.skip && len(p.Data) > 0 {
		in.keep(p.Data)
		in.scan.Write(p.Data)
		// Text that cannot become a message is not worth keeping, unless it must
		// be looked at again on its own.
		in.skip = in.long && in.line > 0 || in.line == 0 && in.scan.Syntax() == jsonrpc.Malformed
	}
	if p.End {
		in.endLine(p.Kind)
	}
}

// keep adds to text, or lets go of it when it grows too long.
func (in *receiver) keep(data []byte) {
	if in.long = in.long || len(in.text)+len(data) > maxText; in.long {
		in.text = nil
		return
	}
	in.text = append(in.text, data...)
}

// endLine decides what becomes of a line that has ended.
func (in *receiver) endLine(kind framing.Kind) {
	line := in.text[min(in.line, len(in.text)):]
	syntax := in.scan.Syntax()
	switch {
	case in.skip, in.long, kind == framing.Body:
	case in.line > 0 && (syntax == jsonrpc.Malformed || isMessage(line)):
		alone := slices.Clone(line)
		in.reset()
		in.text = append(in.text, alone...)
		in.scan.Write(alone)
		if in.scan.Syntax() == jsonrpc.Incomplete {
			in.more()
			return
		}
	case syntax == jsonrpc.Incomplete:
		in.more()
		return
	}
	in.reset()
}

// more goes on to the next line of the same value.
func (in *receiver) more() {
	in.text = append(in.text, '\n')
	in.scan.Write(in.text[len(in.text)-1:])
	in.line = len(in.text)
}

// reset begins a new text.
func (in *receiver) reset() {
	in.scan.End()
	in.scan.Reset(in.message)
	in.text = in.text[:0]
	if cap(in.text) > keepSize {
		in.text = nil
	}
	in.line, in.skip, in.long = 0, false, false
}

// isMessage reports whether a line is one whole message by itself, and not just
// an inner line of a pretty-printed one.
func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	var is bool
	text := jsonrpc.Scan(line, func(m *jsonrpc.Message) {
		is = m.Kind != jsonrpc.Invalid && m.Version.Present()
	})
	return is && text.Syntax == jsonrpc.Complete
}

// message takes one message. What it points to lies in text, unless that is too
// long: then there is its id and no more.
func (in *receiver) message(m *jsonrpc.Message) {
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		if in.long {
			if m.ID.Whole() {
				in.client.answered(string(m.ID.Raw), answer{err: ErrTooLong, at: time.Now()})
			}
			return
		}
		in.client.answered(string(span(in.text, m.ID.Span)), answer{
			result: bytes.Clone(span(in.text, m.Result)),
			error:  notNull(bytes.Clone(span(in.text, m.Error))),
			at:     time.Now(),
		})
	case jsonrpc.Request:
		method, ok := m.Method.Unquoted()
		if ok && usableID(&m.ID) && !IsNotification(method) && m.ID.Whole() {
			in.request(m.ID.Raw, method, m.Params)
		}
	case jsonrpc.Notification:
		in.notification(m)
	case jsonrpc.Invalid:
	}
}

// request takes a request of the server. Requests without a usable id, and
// notifications with an id, do not come here: they cannot be answered correctly.
func (in *receiver) request(id []byte, method string, params jsonrpc.Span) {
	if in.long {
		in.client.tooLong(string(id), method)
		return
	}
	in.client.handleRequest(id, method, bytes.Clone(span(in.text, params)))
}

// span returns a value's raw text.
func span(text []byte, s jsonrpc.Span) []byte {
	if s.Type == jsonrpc.Absent {
		return nil
	}
	return text[s.Off : s.Off+s.Len]
}

// notNull returns nil for the null that sloppy servers write beside a result.
func notNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// answered gives an answer to the call that waits for it. Any other answer is late, a
// duplicate, or has a wrong id, and is dropped.
func (c *Client) answered(id string, a answer) {
	c.mu.Lock()
	p := byID(c.pending, id)
	if p == nil {
		c.mu.Unlock()
		c.lateAnswer(id, a)
		return
	}
	delete(c.pending, p.id)
	if p.method == mcp.ServerDiscover && c.server.Era == mcp.UnknownEra && bytes.Contains(a.result, []byte(`"supportedVersions"`)) {
		// What comes right behind it is modern too, before the handshake has
		// looked at it.
		c.server.Era = mcp.Modern
	}
	p.give(a)
	c.mu.Unlock()
}

// byID returns what a table has for an id, or for its other spelling.
func byID[V any](table map[string]V, id string) V {
	if v, ok := table[id]; ok {
		return v
	}
	return table[otherSpelling(id)]
}

// otherSpelling returns the id that a server may have meant: 1 for "1"
// and for 1.0, "1" for 1.
func otherSpelling(id string) string {
	if id == "" {
		return ""
	}
	if s, ok := strings.CutPrefix(id, `"`); ok {
		s = strings.TrimSuffix(s, `"`)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return strconv.FormatInt(n, 10)
		}
		return ""
	}
	f, err := strconv.ParseFloat(id, 64)
	if err != nil || f != float64(int64(f)) {
		return ""
	}
	if whole := strconv.FormatInt(int64(f), 10); whole != id {
		return whole
	}
	return `"` + id + `"`
}

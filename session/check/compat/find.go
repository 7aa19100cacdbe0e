package compat

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"wiretea/session/json/lex"
	"wiretea/session/jsonrpc"
	"wiretea/session/mcp"
)

// A Context is what is known of a frame besides its bytes. The zero Context is
// a line of the server, terminated by a line feed, that is not a response to a
// request.
type Context struct {
	FromClient bool // FromClient: the client wrote it; how servers react is unknown.

	Len          int64 // Len is the body's length if not all of it is given; 0 = that of the body.
	CRLF         bool  // CRLF: it ends with CR LF.
	Unterminated bool  // Unterminated: no line feed has come.
	Final        bool  // Final: the stream ended after it.
	Lines        int   // Lines is the number of lines that it spans; 0 = one.
	Part         bool  // Part: it is one of several such lines, not the last.
	Framed       bool  // Framed: a Content-Length header, or its body.

	// Answers is the method of the request that it answers; empty if no open
	// request has its id. Elsewhere: an open request has that id with the other
	// JSON type.
	Answers   string
	Elsewhere bool

	// Token: the request that a progress notification names is open.
	Token bool

	// The end of the client's own server/discover, with FromClient.
	ProbeExit   bool // ProbeExit: the connection ended without an answer.
	ProbeSilent bool // ProbeSilent: its timeout passed.
}

// Find returns the faults of a frame, given its body without the terminator. If
// not all of the body is given, only its length is judged.
func Find(body []byte, c Context) Faults {
	if c.FromClient {
		return probe(c)
	}
	var s Faults
	if c.Framed {
		s = s.with(ContentLength)
		if len(body) > 0 && body[0] != '{' && body[0] != '[' {
			return s // the header block
		}
	}
	if c.Part || c.Lines > 1 {
		s = s.with(ManyLines)
	}
	if c.CRLF {
		s = s.with(CRLF)
	}
	switch {
	case c.Unterminated && c.Final:
		s = s.with(FinalLine)
	case c.Unterminated:
		s = s.with(NoNewline)
	}
	if max(c.Len, int64(len(body))) > LongLineBytes {
		s = s.with(LongLine)
	}
	if c.Part || c.Len > int64(len(body)) {
		return s
	}
	return s | ofText(body, c)
}

func probe(c Context) Faults {
	switch {
	case c.ProbeExit:
		return Of(ProbeExit)
	case c.ProbeSilent:
		return Of(ProbeSilent)
	}
	return 0
}

// ofText returns the faults of a text and its messages.
func ofText(body []byte, c Context) Faults {
	var inner Faults
	text := jsonrpc.Scan(body, func(m *jsonrpc.Message) { inner |= ofMessage(body, m, c) })
	var s Faults
	switch text.Syntax {
	case jsonrpc.Empty:
		if text.Defects&jsonrpc.ByteOrderMark != 0 {
			return Of(NotJSON)
		}
		return Of(BlankLine)
	case jsonrpc.Incomplete, jsonrpc.Malformed:
		return ofBroken(body, text.BadAt)
	case jsonrpc.Trailing:
		switch text.Emitted {
		case 0:
			return Of(NotJSON)
		case 1:
			s = s.with(TrailingBytes)
		default:
			s = s.with(TwoMessages)
		}
	case jsonrpc.Complete:
	}
	if text.Defects&jsonrpc.InvalidUTF8 != 0 {
		s = s.with(InvalidUTF8)
	}
	if text.Defects&jsonrpc.ByteOrderMark != 0 {
		s = s.with(ByteOrderMark)
	}
	if text.Defects&jsonrpc.LoneSurrogate != 0 {
		s = s.with(HalfPair)
	}
	if text.Depth > DeepLevels {
		s = s.with(Deep)
	}
	if text.Batches > 0 {
		s = s.with(Batch)
	}
	return s | inner
}

// ofBroken returns the faults of a line that is not JSON from badAt on.
func ofBroken(body []byte, badAt int64) Faults {
	text, bad := body, body[max(0, min(badAt, int64(len(body)))):]
	wide := jsonrpc.IsUTF16(body)
	if wide {
		text = bytes.ReplaceAll(body, []byte{0}, nil)
	}
	answers := bytes.Contains(text, []byte(`"jsonrpc"`)) && (bytes.Contains(text, []byte(`"result"`)) || bytes.Contains(text, []byte(`"error"`)))
	switch {
	case answers && wide:
		return Of(UTF16)
	case !utf8.Valid(body):
		return Of(NotJSON, InvalidUTF8)
	case !answers:
		return Of(NotJSON)
	case bytes.Count(text, []byte(`"jsonrpc"`)) > 1:
		return Of(Interleaved)
	case bytes.HasPrefix(bad, []byte("NaN")), bytes.HasPrefix(bad, []byte("Infinity")):
		return Of(NotANumber)
	}
	return Of(BrokenAnswer)
}

// ofMessage returns the faults of one message.
func ofMessage(body []byte, m *jsonrpc.Message, c Context) Faults {
	if m.Type != jsonrpc.Object {
		return Of(Scalar)
	}
	if m.Kind == jsonrpc.Invalid {
		if m.ID.Present() && m.Version.Present() {
			return Of(NoOutcome)
		}
		return Of(NotMessage)
	}
	var s Faults
	switch {
	case !m.Version.Present():
		s = s.with(NoVersion)
	case !m.Version.Is("2.0"):
		s = s.with(OtherVersion)
	}
	if m.UnknownKey != "" {
		s = s.with(UnknownKey)
	}
	switch m.Kind {
	case jsonrpc.Notification:
		return s | ofNotification(m, c)
	case jsonrpc.Result, jsonrpc.Error:
		return s | ofID(m, c) | ofAnswer(body, m, c)
	case jsonrpc.Request, jsonrpc.Invalid:
	}
	return s
}

// isWhole reports whether a number is an integer with a fraction of zeros.
func isWhole(number []byte) bool {
	_, fraction, found := bytes.Cut(number, []byte("."))
	return found && len(bytes.Trim(fraction, "0")) == 0
}

func ofNotification(m *jsonrpc.Message, c Context) Faults {
	name, whole := m.Method.Unquoted()
	switch _, known := mcp.Lookup(name); {
	case !known || !whole:
		return Of(UnknownNotification)
	case name == mcp.ProgressNotification && !c.Token:
		return Of(UnknownToken)
	}
	return 0
}

// ofID returns the faults of a response's id.
func ofID(m *jsonrpc.Message, c Context) Faults {
	failed := m.Kind == jsonrpc.Error && m.Error.Type != jsonrpc.Null
	switch {
	case failed && m.ID.Type == jsonrpc.Null:
		return Of(ErrorNullID)
	case failed && !m.ID.Present():
		return Of(ErrorNoID)
	case m.ID.Type == jsonrpc.Null, !m.ID.Present():
		return Of(NullID)
	case m.ID.Type == jsonrpc.Number && isWhole(m.ID.Raw):
		return Of(OtherNumber)
	case c.Elsewhere:
		return Of(IDType)
	case c.Answers == "":
		return Of(UnknownID)
	}
	return 0
}

// ofAnswer returns the faults of a response's members.
func ofAnswer(body []byte, m *jsonrpc.Message, c Context) Faults {
	var s Faults
	if m.Result.Type != jsonrpc.Absent {
		switch m.Error.Type {
		case jsonrpc.Absent:
		case jsonrpc.Null:
			s = s.with(ErrorNull)
		default:
			return s.with(ResultAndError)
		}
	}
	if m.Result.Type != jsonrpc.Object || m.Result.Off < 0 || m.Result.Len < 2 || m.Result.Off > int64(len(body))-m.Result.Len {
		return s
	}
	result := body[m.Result.Off : m.Result.Off+m.Result.Len]
	switch c.Answers {
	case mcp.Initialize:
		s |= ofInitialize(m)
	case mcp.ToolsList:
		s |= ofTools(result)
	case mcp.ToolsCall:
		s |= ofCall(result, m)
	}
	if strings.HasSuffix(c.Answers, "/list") && m.Field(jsonrpc.ResultNextCursor).Type == jsonrpc.Null {
		s = s.with(NullCursor)
	}
	return s
}

func ofInitialize(m *jsonrpc.Message) Faults {
	var s Faults
	revision := m.Field(jsonrpc.ResultProtocolVersion)
	if date, ok := revision.Unquoted(); revision.Type == jsonrpc.String && !(ok && published(date)) {
		s = s.with(RevisionUnknown)
	}
	if !m.Field(jsonrpc.ResultServerInfo).Present() {
		s = s.with(NoServerInfo)
	}
	if !m.Field(jsonrpc.ResultCapabilities).Present() {
		s = s.with(NoCapabilities)
	}
	return s
}

func published(date string) bool {
	_, ok := mcp.ParseVersion(date)
	return ok
}

// ofTools returns the faults of the tools in a list.
func ofTools(result []byte) Faults {
	var s Faults
	for _, tool := range lex.Items(member(result, "tools")) {
		if len(tool) == 0 || tool[0] != '{' {
			continue
		}
		switch schema := member(tool, "inputSchema"); {
		case len(schema) == 0:
			s = s.with(NoInputSchema)
		case string(schema) == "null":
			s = s.with(NullInputSchema)
		case schema[0] != '{':
		case string(member(schema, "type")) != `"object"`:
			s = s.with(EmptyInputSchema)
		}
	}
	return s
}

// ofCall returns the faults of a tool's result. A request for input or a task
// has no content.
func ofCall(result []byte, m *jsonrpc.Message) Faults {
	var s Faults
	content := member(result, "content")
	kind := m.Field(jsonrpc.ResultType)
	if len(content) == 0 && !m.Field(jsonrpc.ResultTaskTaskID).Present() && (!kind.Present() || kind.Is("complete")) {
		s = s.with(NoContent)
	}
	for _, block := range lex.Items(content) {
		if len(block) == 0 || block[0] != '{' {
			continue
		}
		switch string(member(block, "type")) {
		case "", `"text"`, `"image"`, `"audio"`, `"resource"`, `"resource_link"`:
		default:
			s = s.with(UnknownContent)
		}
	}
	return s
}

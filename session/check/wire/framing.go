package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

var Framing = rule.Family{
	Name:  "framing",
	Title: "Stream framing",
	Rules: []*rule.Rule{
		StdoutNotJSON, stdinNotJSON, JSONNotMessage,
		EmbeddedNewline, ContentLengthFraming, MultipleMessages, InterleavedWrite,
		MissingNewline, UnterminatedFinal, blankLine, crlfEnding,
		UTF8BOM, InvalidUTF8, loneSurrogate, duplicateKey, lineTooLong,
		StderrHasProtocol, stderrNotUTF8,
	},
	New: func() session.Checker { return &framingConn{} },
}

// Where the specification says how stdio is framed, and in which encoding.
var (
	stdioRefs = []rule.Ref{
		{Until: mcp.V4, Page: "basic/transports", Anchor: "stdio"},
		{Since: mcp.V5, Page: "basic/transports/stdio"},
	}
	encodingRefs = []rule.Ref{{Since: mcp.V2, Page: "basic/transports"}}
)

var StdoutNotJSON = &rule.Rule{
	ID:       "stdout-not-json",
	Severity: session.Error,
	Fault:    rule.Server,
	Title:    "the server writes something else than messages to stdout",
	Explain: "With the stdio transport the server's stdout belongs to the protocol: every line is one JSON-RPC message. A log line, a banner " +
		"or a stack trace among them is skipped in silence by some clients and ends the connection in others, so the same server " +
		"works here and fails there.",
	Hint: "log to stderr; to be safe from libraries, point fd 1 at stderr at start and keep a private duplicate for messages",
	Refs: stdioRefs,
}

var stdinNotJSON = &rule.Rule{
	ID:       "stdin-not-json",
	Severity: session.Error,
	Fault:    rule.Client,
	Title:    "the client writes something else than messages to the server's stdin",
	Explain: "With the stdio transport the server's stdin belongs to the protocol: the client writes one JSON-RPC message a line and nothing " +
		"else. Servers drop such a line without an answer, or end.",
	Hint: "write only serialized JSON-RPC messages, each with one line feed",
	Refs: stdioRefs,
}

var JSONNotMessage = &rule.Rule{
	ID:       "json-not-message",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a line is JSON but no JSON-RPC message",
	Explain: "The line parses, but it is a scalar, a list, or an object that is neither request, notification nor response. Usually a logger " +
		"that writes JSON, or the result of a command line tool, is connected to the stream that carries the protocol.",
	Hint: "send structured logs to stderr",
	Refs: []rule.Ref{{Until: mcp.V1, Page: "basic/messages"}, {Since: mcp.V2, Page: "basic", Anchor: "messages"}},
}

var EmbeddedNewline = &rule.Rule{
	ID:       "embedded-newline",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "one message is spread over several lines",
	Explain: "A message must stand on one line: the receiver cuts the stream at line feeds. Pretty-printed JSON, or a line feed that stands " +
		"unescaped in a string, gives it pieces that do not parse. The Go SDK reads on and accepts it, which hides the fault.",
	Hint: "serialize messages without indentation, and escape line feeds in strings",
	Refs: stdioRefs,
}

var ContentLengthFraming = &rule.Rule{
	ID:       "content-length-framing",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "messages are framed with Content-Length headers",
	Explain: "That is how the Language Server Protocol frames its messages. MCP over stdio wants one message a line and no headers; a peer that " +
		"reads lines finds neither. The messages are decoded here all the same.",
	Hint: "drop the headers and write each message as one line that ends with a line feed",
	Refs: stdioRefs,
}

var MultipleMessages = &rule.Rule{
	ID:       "multiple-messages-per-line",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "several messages stand on one line",
	Explain: "A line feed must follow every message. Where it is missing, the receiver gets a line that is not JSON as a whole and drops it, so " +
		"both messages are lost.",
	Hint:   "write a line feed after every message, in the same write, and flush once",
	Refs:   stdioRefs,
	Breaks: []string{"TypeScript SDK 1", "TypeScript SDK 2", "Python SDK 1", "Python SDK 2", "Go SDK", "rmcp 3"},
}

var InterleavedWrite = &rule.Rule{
	ID:       "interleaved-write",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "two messages are written into each other",
	Explain: "Pieces of two messages are mixed: two threads or processes write to the same stream at once. Writes to a pipe are atomic only up to " +
		"4096 bytes, so this shows with large messages and under load first.",
	Hint:   "let one writer own the stream: a mutex or a queue around every write of a whole message",
	Refs:   stdioRefs,
	Breaks: []string{"TypeScript SDK 1", "TypeScript SDK 2", "Python SDK 1", "Python SDK 2", "Go SDK", "rmcp 3"},
}

var MissingNewline = &rule.Rule{
	ID:       "missing-newline",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "a complete message stands without its line feed",
	Explain: "The message is there, but the line feed that ends it did not come for 500 ms. Receivers that read lines wait for it and the request " +
		"times out; the Go SDK does not wait, which hides the fault.",
	Hint: "write the line feed together with the message and flush after it",
	Refs: stdioRefs,
}

var UnterminatedFinal = &rule.Rule{
	ID:       "unterminated-final-message",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "the stream ends before the last message is finished",
	Explain: "The stream was closed after a message without its line feed, or in the middle of one, though nothing ended the process by force. " +
		"Some receivers drop such a tail.",
	Hint:   "write the line feed with the message, and flush and drain the stream before exiting",
	Refs:   stdioRefs,
	Breaks: []string{"rmcp 3"},
}

var blankLine = &rule.Rule{
	ID:       "blank-line",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a blank line stands between messages",
	Explain: "An empty line is not a message. The official SDKs skip it or count it as a parse error and go on. It usually comes from printing " +
		"a text with println that already ends with a line feed.",
	Hint: "write exactly one line feed after each message",
	Refs: stdioRefs,
}

var crlfEnding = &rule.Rule{
	ID:       "crlf-line-ending",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "lines end with CR LF",
	Explain: "The specification names the line feed alone. A carriage return before it is white space to JSON and the official SDKs accept it, but " +
		"receivers that compare or cut lines by hand stumble. On Windows a stream in text mode adds it.",
	Hint: `open the stream in binary mode, or set its newline to "\n"`,
	Refs: stdioRefs,
}

var UTF8BOM = &rule.Rule{
	ID:       "utf8-bom",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a byte order mark stands before a message",
	Explain: "JSON on a network must not begin with a byte order mark, and most JSON parsers refuse it: the first message of the stream, the " +
		"answer to initialize, is lost and nothing works after it.",
	Hint: "use UTF-8 without a byte order mark (.NET: new UTF8Encoding(false))",
	Refs: []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1"}},
}

var InvalidUTF8 = &rule.Rule{
	ID:       "invalid-utf8",
	Severity: session.Error,
	Fault:    rule.Sender,
	Title:    "a message is not valid UTF-8",
	Explain: "JSON-RPC messages must be UTF-8. Many receivers put a replacement character where the bad bytes are, so text is damaged in silence; " +
		"strict ones fail to read at all. The encoding of the stream is usually that of the system and not UTF-8. As 2024-11-05 does not name " +
		"the encoding, this is a warning there, and while the revision is not known.",
	Hint: "set the encoding of the stream to UTF-8 (PYTHONUTF8=1, Console.OutputEncoding, -Dstdout.encoding=UTF-8)",
	Refs: encodingRefs,
}

var loneSurrogate = &rule.Rule{
	ID:       "lone-surrogate",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    `a string has half a surrogate pair (\uD800 to \uDFFF)`,
	Explain: "Such an escape names no character: a text was cut in the middle of one, mostly of an emoji. Some parsers keep it, some replace it, " +
		"some refuse the message, and it cannot be written as UTF-8.",
	Hint: "cut texts between characters, and replace unpaired surrogates before serializing (JavaScript: toWellFormed)",
	Refs: []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-8.2"}},
}

var duplicateKey = &rule.Rule{
	ID:       "duplicate-json-key",
	Severity: session.Warning,
	Fault:    rule.Sender,
	Title:    "an object has the same key twice",
	Explain: "Parsers disagree on such an object: most take the last value, some the first, some refuse it. The two peers may well act on " +
		"different values.",
	Hint: "write each key once; mind objects that are put together from text or from two sources",
	Refs: []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-4"}},
}

var lineTooLong = &rule.Rule{
	ID:       "line-too-long",
	Severity: session.Info,
	Fault:    rule.Sender,
	Title:    "a line is longer than some peers can read",
	Explain: "The specification sets no limit, implementations do. 64 KiB is the limit of Go programs that read with bufio.Scanner and of Python " +
		"programs that read with asyncio; others stop at 8 or 10 MiB and close the connection: the length at which this becomes an error. " +
		"Results that long also fill a model's context.",
	Hint: "paginate, return resource links instead of contents, or cut the result",
}

var StderrHasProtocol = &rule.Rule{
	ID:       "stderr-has-protocol",
	Severity: session.Warning,
	Fault:    rule.Server,
	Title:    "a message went to stderr instead of stdout",
	Explain: "The server wrote a JSON-RPC message to stderr that the client waits for on stdout and never gets. Servers that log a copy of their " +
		"messages to stderr are not meant.",
	Hint: "write messages to stdout and everything else to stderr",
	Refs: stdioRefs,
}

var stderrNotUTF8 = &rule.Rule{
	ID:       "stderr-not-utf8",
	Severity: session.Info,
	Fault:    rule.Server,
	Title:    "stderr is not valid UTF-8",
	Explain:  "The specification lets a server write UTF-8 text to stderr. Clients that show or store it as such will show other characters.",
	Hint:     "set the encoding of stderr to UTF-8",
	Refs:     stdioRefs,
}

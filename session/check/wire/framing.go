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
		StdoutNotJSON, StdinNotJSON, JSONNotMessage,
		EmbeddedNewline, ContentLengthFraming, MultipleMessages, InterleavedWrite,
		MissingNewline, UnterminatedFinal, blankLine, crlfEnding,
		UTF8BOM, InvalidUTF8, loneSurrogate, duplicateKey, lineTooLong, deepNesting,
		StderrHasProtocol, stderrNotUTF8,
	},
	New:        func() session.Checker { return &framingConn{} },
	EveryFrame: true,
}

// References for stdio framing and its encoding.
var (
	stdioRefs = []rule.Ref{
		{Until: mcp.V4, Page: "basic/transports", Anchor: "stdio"},
		{Since: mcp.V5, Page: "basic/transports/stdio"},
	}
	encodingRefs = []rule.Ref{{Since: mcp.V2, Page: "basic/transports"}}
)

const stdoutHint = "log to stderr; to guard against libraries, point fd 1 at stderr at startup and keep a private duplicate for messages"

var StdoutNotJSON = &rule.Rule{
	ID: "stdout-not-json", Severity: session.Error, Fault: rule.Server,
	Title: "the server writes non-protocol output to stdout",
	Explain: "With the stdio transport, the server's stdout carries only protocol messages: each line is one JSON-RPC message. Some clients silently skip " +
		"a log line, banner or stack trace, others close the connection, so the same server works in one client and fails in another. " +
		"What is written after a signal that ends the server has severity info: no client reads it.",
	Hint: stdoutHint,
	Refs: stdioRefs,
}

var StdinNotJSON = &rule.Rule{
	ID: "stdin-not-json", Severity: session.Error, Fault: rule.Client,
	Title: "the client writes non-protocol data to the server's stdin",
	Explain: "With the stdio transport, the server's stdin carries only protocol messages: each line is one JSON-RPC message. Servers drop any other line " +
		"without a response, or exit.",
	Hint: "write only serialized JSON-RPC messages, each followed by one line feed",
	Refs: stdioRefs,
}

var JSONNotMessage = &rule.Rule{
	ID: "json-not-message", Severity: session.Error,
	Title: "line is valid JSON but not a JSON-RPC message",
	Explain: "The line parses, but it is a scalar, an array, or an object that is neither a request, a notification nor a response. Usually a JSON logger " +
		"or the output of a command-line tool is connected to the stream that carries the protocol.",
	Hint: "send structured logs to stderr",
	Refs: rule.MessageRefs(),
}

var EmbeddedNewline = &rule.Rule{
	ID: "embedded-newline", Severity: session.Error,
	Title: "one message spans several lines",
	Explain: "A message must be on one line, because the receiver splits the stream at line feeds. Pretty-printed JSON, or an unescaped line feed in a " +
		"string, produces pieces that do not parse. The Go SDK reads on and accepts the message, which hides the fault.",
	Hint: "serialize messages without indentation, and escape line feeds in strings",
	Refs: stdioRefs,
}

var ContentLengthFraming = &rule.Rule{
	ID: "content-length-framing", Severity: session.Error,
	Title: "messages are framed with Content-Length headers",
	Explain: "This is the framing of the Language Server Protocol. MCP over stdio requires one message per line without headers, and a peer that reads " +
		"lines cannot parse the stream. wiretea decodes these messages nevertheless.",
	Hint: "remove the headers and write each message as one line that ends with a line feed",
	Refs: stdioRefs,
}

var MultipleMessages = &rule.Rule{
	ID: "multiple-messages-per-line", Severity: session.Error,
	Title: "several messages on one line",
	Explain: "A line feed must follow every message. Without it, the receiver reads a line that is not valid JSON as a whole and drops it, so all messages " +
		"on it are lost.",
	Hint: "write a line feed after every message, in the same write, and flush",
	Refs: stdioRefs,
}

var InterleavedWrite = &rule.Rule{
	ID: "interleaved-write", Severity: session.Error,
	Title: "two messages are interleaved",
	Explain: "Pieces of two messages are mixed: two threads or processes write to the same stream at the same time. Writes to a pipe are atomic only up to " +
		"4096 bytes, so this appears first with large messages and under load.",
	Hint: "serialize writes with a mutex or a queue, so that each message is written as a whole",
	Refs: stdioRefs,
}

var MissingNewline = &rule.Rule{
	ID: "missing-newline", Severity: session.Warning,
	Title: "complete message without its line feed",
	Explain: "The message is complete, but its line feed did not follow within 500 ms. Receivers that read lines wait for it, and the request times out. " +
		"The Go SDK does not wait, which hides the fault.",
	Hint: "write the line feed together with the message, and flush",
	Refs: stdioRefs,
}

var UnterminatedFinal = &rule.Rule{
	ID: "unterminated-final-message", Severity: session.Warning,
	Title: "stream ends before the last message is complete",
	Explain: "The stream was closed after a message without a line feed, or within a message, although the process was not killed. Some receivers drop " +
		"such a message.",
	Hint: "write the line feed together with the message, and flush the stream before exiting",
	Refs: stdioRefs,
}

var blankLine = &rule.Rule{
	ID: "blank-line", Severity: session.Info,
	Title: "blank line between messages",
	Explain: "An empty line is not a message. The official SDKs skip it, or count it as a parse error and continue. It is usually the result of calling " +
		"println on text that already ends with a line feed.",
	Hint: "write exactly one line feed after each message",
	Refs: stdioRefs,
}

var crlfEnding = &rule.Rule{
	ID: "crlf-line-ending", Severity: session.Info,
	Title: "lines end with CR LF",
	Explain: "The specification requires a line feed alone. A preceding carriage return is white space in JSON and the official SDKs accept it, but " +
		"receivers that compare or split lines themselves may fail. Streams in text mode on Windows add it.",
	Hint: `open the stream in binary mode, or set its newline to "\n"`,
	Refs: stdioRefs,
}

var UTF8BOM = &rule.Rule{
	ID: "utf8-bom", Severity: session.Error,
	Title: "byte order mark before a message",
	Explain: "JSON sent over a network must not begin with a byte order mark, and most JSON parsers reject it. The first message of the stream, usually " +
		"the response to initialize, is lost, and nothing works after that.",
	Hint: "use UTF-8 without a byte order mark (.NET: new UTF8Encoding(false))",
	Refs: []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-8.1"}},
}

var InvalidUTF8 = &rule.Rule{
	ID: "invalid-utf8", Severity: session.Error,
	Title: "message is not valid UTF-8",
	Explain: "JSON-RPC messages must be UTF-8. Many receivers replace the invalid bytes with a replacement character, which silently damages the text; " +
		"strict receivers stop reading. The stream usually has the system's encoding instead of UTF-8. 2024-11-05 does not name an encoding, so this " +
		"is a warning in that revision, and as long as the revision is unknown.",
	Hint: "set the encoding of the stream to UTF-8 (PYTHONUTF8=1, Console.OutputEncoding, -Dstdout.encoding=UTF-8)",
	Refs: encodingRefs,
}

var loneSurrogate = &rule.Rule{
	ID:       "lone-surrogate",
	Alone:    true,
	Severity: session.Warning,
	Title:    "string with an unpaired surrogate (\\uD800 to \\uDFFF)",
	Explain: "Such an escape is not a character: a text was cut within one, usually within an emoji. Some parsers keep it, some replace it, and some " +
		"reject the message. It cannot be encoded as UTF-8.",
	Hint: "cut texts between characters, and replace unpaired surrogates before serializing (JavaScript: toWellFormed)",
	Refs: []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-8.2"}},
}

var duplicateKey = &rule.Rule{
	ID:       "duplicate-json-key",
	Alone:    true,
	Severity: session.Warning,
	Title:    "object with a duplicate key",
	Explain:  "Parsers disagree about such an object: most take the last value, some the first, and some reject it. The two peers may act on different values.",
	Hint:     "write each key once; check objects that are built from text or merged from two sources",
	Refs:     []rule.Ref{{URL: "https://www.rfc-editor.org/rfc/rfc8259#section-4"}},
}

var lineTooLong = &rule.Rule{
	ID: "line-too-long", Severity: session.Info,
	Title: "line exceeds the length that some peers can read",
	Explain: "The specification sets no limit, but implementations do. 64 KiB is the limit of Go programs that use bufio.Scanner and of Python programs " +
		"that use asyncio. Others stop at 8 or 10 MiB and close the connection; from that length on this is an error. Results of that size also fill " +
		"a model's context.",
	Hint: "paginate, return resource links instead of contents, or truncate the result",
}

var deepNesting = &rule.Rule{
	ID:       "deep-nesting",
	Alone:    true,
	Severity: session.Warning,
	Title:    "message is nested deeper than some peers can read",
	Explain: "JSON sets no limit, but parsers do: more than 201 levels of arrays and objects are an error to the Python SDK, and 128 to many Rust programs. They " +
		"drop the whole message: the client waits for its response until the timeout.",
	Hint: "flatten the data: return a list of nodes with the ids of their parents, or the tree as text",
}

var StderrHasProtocol = &rule.Rule{
	ID: "stderr-has-protocol", Severity: session.Warning, Fault: rule.Server,
	Title: "message on stderr instead of stdout",
	Explain: "The server wrote a JSON-RPC message to stderr, so the client, which waits for it on stdout, never receives it. Servers that log a copy of " +
		"their messages to stderr are not reported.",
	Hint: "write messages to stdout and everything else to stderr",
	Refs: stdioRefs,
}

var stderrNotUTF8 = &rule.Rule{
	ID: "stderr-not-utf8", Severity: session.Info, Fault: rule.Server,
	Title:   "stderr is not valid UTF-8",
	Explain: "The specification allows a server to write UTF-8 text to stderr. Clients that display or store it as UTF-8 show wrong characters.",
	Hint:    "set the encoding of stderr to UTF-8",
	Refs:    stdioRefs,
}

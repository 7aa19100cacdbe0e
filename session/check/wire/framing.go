package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
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

const stdoutHint = "log to stderr; to guard against libraries, point fd 1 at stderr at startup and keep a private duplicate for messages"

var StdoutNotJSON = &rule.Rule{ID: "stdout-not-json", Severity: session.Error, Fault: rule.Server}
var StdinNotJSON = &rule.Rule{ID: "stdin-not-json", Severity: session.Error, Fault: rule.Client}
var JSONNotMessage = &rule.Rule{ID: "json-not-message", Severity: session.Error}
var EmbeddedNewline = &rule.Rule{ID: "embedded-newline", Severity: session.Error}
var ContentLengthFraming = &rule.Rule{ID: "content-length-framing", Severity: session.Error}
var MultipleMessages = &rule.Rule{ID: "multiple-messages-per-line", Severity: session.Error}
var InterleavedWrite = &rule.Rule{ID: "interleaved-write", Severity: session.Error}
var MissingNewline = &rule.Rule{ID: "missing-newline", Severity: session.Warning}
var UnterminatedFinal = &rule.Rule{ID: "unterminated-final-message", Severity: session.Warning}
var blankLine = &rule.Rule{ID: "blank-line", Severity: session.Info}
var crlfEnding = &rule.Rule{ID: "crlf-line-ending", Severity: session.Info}
var UTF8BOM = &rule.Rule{ID: "utf8-bom", Severity: session.Error}
var InvalidUTF8 = &rule.Rule{ID: "invalid-utf8", Severity: session.Error}
var loneSurrogate = &rule.Rule{ID: "lone-surrogate", Alone: true, Severity: session.Warning}
var duplicateKey = &rule.Rule{ID: "duplicate-json-key", Alone: true, Severity: session.Warning}
var lineTooLong = &rule.Rule{ID: "line-too-long", Severity: session.Info}
var deepNesting = &rule.Rule{ID: "deep-nesting", Alone: true, Severity: session.Warning}
var StderrHasProtocol = &rule.Rule{ID: "stderr-has-protocol", Severity: session.Warning, Fault: rule.Server}
var stderrNotUTF8 = &rule.Rule{ID: "stderr-not-utf8", Severity: session.Info, Fault: rule.Server}

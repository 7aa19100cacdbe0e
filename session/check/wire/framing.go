package wire

import (
	"wiretea/session"
	"wiretea/session/check/rule"
)

var Framing = rule.Family{
	Name:  "framing",
	Title: "Stream framing",
	Rules: []*rule.Rule{
		stdoutNotJSON, StdinNotJSON, JSONNotMessage,
		embeddedNewline, contentLengthFraming, multipleMessages, interleavedWrite,
		missingNewline, unterminatedFinal, blankLine, crlfEnding,
		utf8BOM, invalidUTF8, loneSurrogate, duplicateKey, lineTooLong, deepNesting,
		stderrHasProtocol, stderrNotUTF8,
	},
	New:        func() session.Checker { return &framingConn{} },
	EveryFrame: true,
}

const stdoutHint = "log to stderr; to guard against libraries, point fd 1 at stderr at startup and keep a private duplicate for messages"

var stdoutNotJSON = &rule.Rule{ID: "stdout-not-json", Severity: session.Error, Fault: rule.Server, NeedsAll: true}
var StdinNotJSON = &rule.Rule{ID: "stdin-not-json", Severity: session.Error, Fault: rule.Client}
var JSONNotMessage = &rule.Rule{ID: "json-not-message", Severity: session.Error, NeedsAll: true}
var embeddedNewline = &rule.Rule{ID: "embedded-newline", Severity: session.Error}
var contentLengthFraming = &rule.Rule{ID: "content-length-framing", Severity: session.Error}
var multipleMessages = &rule.Rule{ID: "multiple-messages-per-line", Severity: session.Error}
var interleavedWrite = &rule.Rule{ID: "interleaved-write", Severity: session.Error}
var missingNewline = &rule.Rule{ID: "missing-newline", Severity: session.Warning}
var unterminatedFinal = &rule.Rule{ID: "unterminated-final-message", Severity: session.Warning, NeedsAll: true}
var blankLine = &rule.Rule{ID: "blank-line", Severity: session.Info, NeedsAll: true}
var crlfEnding = &rule.Rule{ID: "crlf-line-ending", Severity: session.Info}
var utf8BOM = &rule.Rule{ID: "utf8-bom", Severity: session.Error}
var invalidUTF8 = &rule.Rule{ID: "invalid-utf8", Severity: session.Error, NeedsAll: true}
var loneSurrogate = &rule.Rule{ID: "lone-surrogate", Alone: true, Severity: session.Warning}
var duplicateKey = &rule.Rule{ID: "duplicate-json-key", Alone: true, Severity: session.Warning}
var lineTooLong = &rule.Rule{ID: "line-too-long", Severity: session.Info}
var deepNesting = &rule.Rule{ID: "deep-nesting", Alone: true, Severity: session.Warning}
var stderrHasProtocol = &rule.Rule{ID: "stderr-has-protocol", Severity: session.Warning, Fault: rule.Server, NeedsAll: true}
var stderrNotUTF8 = &rule.Rule{ID: "stderr-not-utf8", Severity: session.Info, Fault: rule.Server}

package wire

import (
	"bytes"
	"slices"

	"wiretea/session"
	"wiretea/session/check/cause"
	"wiretea/session/check/rule"
	"wiretea/session/mcp"
)

// A signature recognizes a kind of text that is not a message, so that the hint
// can name the program that wrote it.
type signature struct {
	name   string
	starts []string // starts: the line begins with one of these, after white space and colours.
	has    []string // has: or one of these is in it.
	hint   string

	// generic signatures say little: such a line has the kind of the lines
	// right before it.
	generic bool
}

// traceback is the name of the signature of a stack trace of Python: its last line says what happened.
const traceback = "traceback"

// signatures are tried in order.
var signatures = [...]signature{
	{
		name: "dotenv", has: []string{"[dotenv@", "injected env"},
		hint: "dotenv 17 prints a banner: call dotenv.config({ quiet: true }) or set DOTENV_CONFIG_QUIET=true",
	}, {
		name:   "npm",
		starts: []string{"npm warn", "npm WARN", "npm notice", "npm ERR!", "npm error", "Need to install the following packages", "up to date, audited", "added "},
		has:    []string{" packages in ", "audited packages", " looking for funding"},
		hint:   "npm writes this: start the server with node or npx --yes --quiet, not with npm run or npm install",
	}, {
		name:   "npm-run",
		starts: []string{"> "},
		hint:   "npm run echoes the command to stdout: use npm --silent, or start node directly",
	}, {
		name: "uvicorn", has: []string{"Uvicorn running on", "Started server process [", "Waiting for application startup"},
		hint: "the server was started with an HTTP transport: start it with stdio",
	}, {
		name: "dotnet", has: []string{"Microsoft.Hosting", "Microsoft.AspNetCore", "Microsoft.Extensions", "ModelContextProtocol.Server", "Now listening on"},
		hint: "send .NET console logs to stderr: AddConsole(o => o.LogToStandardErrorThreshold = LogLevel.Trace)",
	}, {
		name: "spring", has: []string{":: Spring Boot ::", `/\\ / ___'_`, "Starting ProtocolHandler"},
		hint: "set spring.main.banner-mode=off and send the console log to stderr or a file (logging.pattern.console=)",
	}, {
		name: traceback, starts: []string{"Traceback (most recent call last)"},
		hint: "print exceptions to stderr: traceback.print_exc() does, print() does not",
	}, {
		name: "node", has: []string{"DeprecationWarning", "ExperimentalWarning", "Debugger listening on", "Debugger attached"},
		hint: "Node writes this to stderr: take 2>&1 out of the start command, or unset NODE_OPTIONS",
	}, {
		name: "python-logging", starts: []string{"DEBUG:", "INFO:", "WARNING:", "ERROR:", "CRITICAL:"},
		hint: "logging goes to stdout here: logging.basicConfig(stream=sys.stderr)",
	}, {
		name: "python-repr", starts: []string{"{'", "[{'"},
		hint: "this is how Python prints a dict, not JSON: write json.dumps(message)",
	}, {
		name: "js-object", starts: []string{"[object Object]"},
		hint: "this is a JavaScript object turned into text: write JSON.stringify(message)",
	}, {
		name: "http", starts: []string{"HTTP/1.", "HTTP/2", "POST /", "GET /", "<!DOCTYPE", "<!doctype", "<html"},
		hint: "this is HTTP: one side uses an HTTP transport where the other expects stdio",
	}, {
		name: "sse", starts: []string{"event: ", "data: {"},
		hint: "this is how a server streams over HTTP (SSE): over stdio, write each message alone on its line, without event: and data:",
	}, {
		name: "gzip", starts: []string{"\x1f\x8b"},
		hint: "this is compressed (gzip): write the messages as they are",
	}, {
		name: "usage", starts: []string{"Usage:", "usage:", "USAGE:"},
		hint: "the server printed its help: check its arguments, and print help to stderr",
	}, {
		name: "logger",
		starts: []string{
			"DEBUG ", "INFO ", "WARN ", "WARNING ", "ERROR ", "FATAL ", "TRACE ", "[DEBUG", "[INFO", "[WARN", "[ERROR", "[debug", "[info", "[warn", "[error",
			"debug:", "info:", "warn:", "error:", "level=", "time=",
		},
		hint: "point the logger at stderr",
	}, {
		name: "stack", starts: []string{"at ", "File \"", "goroutine ", "Caused by:"}, generic: true,
		hint: "print stack traces to stderr",
	},
}

// Signatures for lines that match no text.
var (
	coloured  = signature{name: "ansi", hint: "send coloured output to stderr, or turn it off (NO_COLOR=1)", generic: true}
	timeStamp = signature{name: "logger", hint: "point the logger at stderr"}
	banner    = signature{name: "banner", hint: "print start-up messages to stderr (console.error, sys.stderr, os.Stderr)", generic: true}
	plainText = signature{name: "text", hint: stdoutHint, generic: true}
)

// signatureOf returns the signature of a line of text. greeted: messages came
// before it on the stream.
func signatureOf(head []byte, greeted bool) *signature {
	plain, colours := cause.Plain(head)
	plain = bytes.TrimLeft(plain, " \t")
	for i := range signatures {
		if signatures[i].matches(plain) {
			return &signatures[i]
		}
	}
	switch {
	case stamped(plain):
		return &timeStamp
	case colours:
		return &coloured
	case !greeted:
		return &banner
	}
	return &plainText
}

func (s *signature) matches(line []byte) bool {
	return slices.ContainsFunc(s.starts, func(t string) bool { return bytes.HasPrefix(line, []byte(t)) }) ||
		slices.ContainsFunc(s.has, func(t string) bool { return bytes.Contains(line, []byte(t)) })
}

// stamped reports whether a line begins with a date or a time of day, as log
// lines do: 2026-11-20, [2026/11/20, 12:34:56.
func stamped(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte("["))
	forms := []string{"0000-00-00", "0000/00/00", "00:00:00", "00/00/00"}
	return slices.ContainsFunc(forms, func(form string) bool { return hasForm(line, form) })
}

// hasForm reports whether line begins like form, where 0 is any digit.
func hasForm(line []byte, form string) bool {
	if len(line) < len(form) {
		return false
	}
	for i := range len(form) {
		digit := line[i] >= '0' && line[i] <= '9'
		if form[i] == '0' != digit || form[i] != '0' && line[i] != form[i] {
			return false
		}
	}
	return true
}

// grew reports a line as soon as it exceeds the maximum length, because it may
// never end.
func (s *framingStream) grew(ev *session.Event, r session.Reporter) {
	limit := maxLine(ev.Conn)
	if ev.Frame.Len <= limit || ev.Frame.Body || !s.grown.Put(ev.Frame.Row) {
		return
	}
	r.Report(tooLong(ev, limit, "%s wrote a line of more than %s", ev.Frame.Stream.Sender(), rule.FormatSize(limit)))
}

// length reports a line that exceeds a limit, with the highest such limit.
func (s *framingStream) length(ev *session.Event, r session.Reporter) {
	f := ev.Frame
	notes := ev.Conn.Limits.Lines
	if notes == nil {
		notes = defaultLimits.Lines
	}
	limit := maxLine(ev.Conn)
	if f.Len <= limit && (len(notes) == 0 || f.Len <= notes[0]) {
		return // the common case
	}
	if f.Body || s.grown.Is(f.Row) {
		return
	}
	limits := append(slices.Clip(notes), limit)
	for i := len(limits) - 1; i >= 0; i-- {
		if f.Len <= limits[i] {
			continue
		}
		found := tooLong(ev, limits[i], "%s wrote a line of %s, more than %s", f.Stream.Sender(), rule.FormatSize(f.Len), rule.FormatSize(limits[i]))
		if i < len(notes) {
			found.Severity = session.Info
		}
		r.Report(found)
		return
	}
}

var defaultLimits = session.DefaultLimits()

func maxLine(c *session.Conn) int64 {
	if c.Limits.MaxLine > 0 {
		return c.Limits.MaxLine
	}
	return defaultLimits.MaxLine
}

// tooLong is the finding of a line that exceeds a limit. Breaks are the clients
// whose own limit it exceeds.
func tooLong(ev *session.Event, limit int64, format string, args ...any) session.Finding {
	f := lineTooLong.At(ev, format, args...).Graded(session.Error).Keyed(rule.FormatSize(limit))
	if f.Fault == session.Server {
		for _, c := range mcp.Clients() {
			if c.MaxLine > 0 && ev.Frame.Len > c.MaxLine {
				f.Breaks = append(f.Breaks, c.Name)
			}
		}
	}
	return f
}

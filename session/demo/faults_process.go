package demo

import (
	"io"
	"strings"
	"time"

	"wiretea/session/mcp"
)

const traceback = `Traceback (most recent call last):
  File "/app/server.py", line 42, in handle_call
    return self.tools[name](**arguments)
  File "/app/tools.py", line 7, in echo
    raise RuntimeError("out of tea")
RuntimeError: out of tea`

// processFaults are the behaviours with faults of the process.
func processFaults() []Behaviour {
	return []Behaviour{
		behaviour("exit-on-probe", "exits on server/discover", "server-exit-on-probe",
			onProbe(func(s *server) {
				s.log("Error: expect initialized request, but received: server/discover")
				s.leave(1)
			})),
		behaviour("silent-on-probe", "ignores server/discover", "server-silent-on-probe",
			onProbe(func(*server) {})),
		behaviour("crash", "crashes in a tool call, with exit code 3", "server-exited",
			fault{legacy: true, request: func(s *server, r *request) bool {
				if r.Method != mcp.ToolsCall {
					return false
				}
				s.log("%s", traceback)
				s.leave(3)
				return true
			}}, echoHi),
		behaviour("exit-on-unknown", "exits on an unknown method", "server-exit-on-unknown-method",
			fault{legacy: true, request: func(s *server, r *request) bool {
				_, known := mcp.Lookup(r.Method)
				if known {
					return false
				}
				s.log("fatal: unknown method %q", r.Method)
				s.leave(1)
				return true
			}}, "demo/unknown"),
		behaviour("ignores-eof", "keeps running when its stdin ends", "server-ignores-eof",
			fault{legacy: true, eof: func(s *server) { s.sleep(stubborn) }}),
		behaviour("ignores-sigterm", "keeps running when its stdin ends, and on SIGTERM", "server-ignores-sigterm",
			fault{legacy: true, start: ignoreTerm, eof: func(*server) { time.Sleep(stubborn) }}).also("server-ignores-eof"),
		behaviour("orphan-process", "leaves a child process behind", "orphan-descendants",
			fault{legacy: true, start: func(s *server) { s.spawn(false) }}),
		behaviour("holds-stdout", "leaves a child process behind that holds its stdout open", "stdout-held-open",
			fault{legacy: true, start: func(s *server) { s.spawn(true) }}),
		behaviour("closes-stdout", "closes its stdout and keeps running", "stdout-closed-while-running",
			closedStdoutFault(), echoHi).patient(0, 3*time.Second),
		behaviour("not-reading", "stops reading its stdin for eight seconds", "server-not-reading",
			notReadingFault(), echoHi, bigEcho()).patient(20*time.Second, 0).also("line-too-long"),
		behaviour("buffered", "flushes a response only when the next request comes", "stdout-buffering",
			bufferedFault(), echoHi, echoHi, mcp.Ping).patient(5*time.Second, 0).paced(1500 * time.Millisecond),
		behaviour("slow-start", "takes six seconds to start", "slow-startup",
			fault{legacy: true, start: func(s *server) {
				s.log("loading the model…")
				s.sleep(6 * time.Second)
			}}),
	}
}

// closedStdoutFault closes stdout after a call, and exits a moment later.
func closedStdoutFault() fault {
	f := answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
		s.write(append(body, '\n'))
		if c, ok := s.out.(io.Closer); ok {
			// If it cannot be closed it stays open, without an effect.
			_ = c.Close()
		}
	})
	f.eof = func(s *server) { s.sleep(1200 * time.Millisecond) }
	return f
}

// notReadingFault stops reading after the first call.
func notReadingFault() fault {
	stopped := false
	return answers(mcp.ToolsCall, func(s *server, _ *request, body []byte) {
		s.write(append(body, '\n'))
		if !stopped {
			stopped = true
			s.sleep(8 * time.Second)
		}
	})
}

// onProbe returns a fault that handles the probe of modern clients.
func onProbe(do func(*server)) fault {
	return fault{legacy: true, request: func(s *server, r *request) bool {
		if r.Method != mcp.ServerDiscover {
			return false
		}
		do(s)
		return true
	}}
}

// bigEcho is a call that does not fit into a pipe. Its length causes a finding
// too.
func bigEcho() string {
	return `tools/call {"name":"echo","arguments":{"message":"` + strings.Repeat("tea ", 64<<10) + `"}}`
}

// bufferedFault holds back the responses to tool calls, like a stream that is
// not flushed.
func bufferedFault() fault {
	// A fault value is used for one run: each run makes a new catalogue.
	var held []byte
	flush := func(s *server) {
		if len(held) > 0 {
			s.write(held)
			held = nil
		}
	}
	return fault{
		legacy: true,
		request: func(s *server, r *request) bool {
			if r.ID != nil {
				flush(s)
			}
			return false
		},
		out: func(_ *server, of *request, body []byte) bool {
			if of == nil || of.Method != mcp.ToolsCall {
				return false
			}
			held = append(held, append(body, '\n')...)
			return true
		},
		eof: flush,
	}
}

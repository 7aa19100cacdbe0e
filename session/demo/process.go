package demo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"time"

	"wiretea/session/mcp"
)

// sleeperName is the behaviour of the child process that some behaviours leave
// behind. It is not in the catalogue.
const sleeperName = "sleeper"

// sleeperLife is how long such a child lives.
const sleeperLife = 8 * time.Second

// sleeper waits and writes nothing.
func sleeper(ctx context.Context) int {
	select {
	case <-time.After(sleeperLife):
	case <-ctx.Done():
	}
	return 0
}

// spawn starts a child process that outlives the server: this program again.
// With stdout it holds the server's stdout open, from a session of its own;
// without, it is an ordinary process of the group.
func (s *server) spawn(stdout bool) {
	self, err := os.Executable()
	if err != nil {
		s.log("finding the program to start a child: %v", err)
		return
	}
	cmd := exec.Command(self, "demo", "--server", sleeperName)
	if f, ok := s.out.(*os.File); stdout && ok {
		cmd.Stdout = f
	}
	if stdout {
		detach(cmd)
	}
	if err := cmd.Start(); err != nil {
		s.log("starting a child: %v", err)
		return
	}
	s.log("started child %d", cmd.Process.Pid)
	// It is not waited for: it must be left behind.
	_ = cmd.Process.Release()
}

// floodName is the behaviour for measurements: from the first tool call on it
// logs floodRate lines a second. It is not in the catalogue.
const floodName = "flood"

const (
	floodRate = 50_000               // floodRate is in messages a second.
	floodStep = 5 * time.Millisecond // floodStep is how often a part of them is written.
)

// flood is a healthy server that logs too much.
func flood() Behaviour {
	return Behaviour{
		Name: floodName, Title: "logs 50,000 messages a second from the first tool call on, to measure with",
		Calls: []string{echoHi},
		fault: fault{legacy: true, request: func(s *server, r *request) bool {
			if r.Method == mcp.ToolsCall {
				s.reply(r, `"content":[{"type":"text","text":"here it comes"}]`)
				s.start(r, func(ctx context.Context, _ func() bool) { s.flood(ctx) })
				return true
			}
			return false
		}},
	}
}

// flood writes until ctx ends, and catches up after a slow reader.
func (s *server) flood(ctx context.Context) {
	line := append(info("a line of a log that nobody wants to read, and there are many more like this"), '\n')
	tick := time.NewTicker(floodStep)
	defer tick.Stop()
	begin, written := time.Now(), 0
	for ctx.Err() == nil {
		due := int(time.Since(begin).Seconds() * floodRate)
		s.write(bytes.Repeat(line, min(due-written, floodRate/10)))
		written = due
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

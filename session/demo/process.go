package demo

import (
	"context"
	"os"
	"os/exec"
	"time"
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

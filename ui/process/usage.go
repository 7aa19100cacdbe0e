package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/text"
	"wiretea/ui/pane"
)

// A usage is what Linux says of a process at a moment; elsewhere there is none.
type usage struct {
	pid   int
	t     int64 // t is the session's time.
	state byte  // state is Linux's letter; 0 = unknown.
	text  string
}

// measure returns the command that looks at the live server's process, at most once a
// second; nil where there is none or a look is under way.
func (p *Pane) measure(c *pane.Context) tea.Cmd {
	conn := c.Snap.LastConn()
	if !runs(c, conn) || p.measuring || p.usage.pid == conn.PID && c.Now/1e9 == p.usage.t/1e9 {
		return nil
	}
	p.measuring = true
	pid, parent, now := conn.PID, os.Getpid(), c.Now
	if c.Attached != nil {
		parent = c.Attached.Tee
	}
	return pane.Work(p, func() pane.Then {
		u := usage{pid: pid, t: now}
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
			u.read(stat, parent)
		}
		return func(*pane.Context) tea.Cmd {
			p.usage, p.measuring = u, false
			return nil
		}
	})
}

// runs reports whether the connection's process is one that runs now.
func runs(c *pane.Context, sc *session.Conn) bool {
	return c.Live && !c.Past && sc != nil && sc.Started && !sc.Exited && !sc.Ended && sc.PID > 0
}

// read takes a line of /proc/PID/stat, "pid (name) state ppid …", where the name may hold
// anything. A process with another parent is not the session's: a followed recording may
// come from another machine.
func (u *usage) read(stat []byte, parent int) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 22 {
		return
	}
	number := func(at int) int64 {
		n, _ := strconv.ParseInt(string(fields[at]), 10, 64) // Linux writes numbers.
		return n
	}
	if number(1) != int64(parent) {
		return
	}
	u.state = fields[0][0]
	word := map[byte]string{'R': "running", 'S': "sleeping", 'D': "waiting for a device", 'T': "stopped", 't': "stopped by a debugger", 'Z': "zombie", 'I': "idle"}[u.state]
	cpu := fmt.Sprintf("%.2f s", float64(number(11)+number(12))/100) // Linux counts it in 1/100 s on all machines.
	u.text = word + ", CPU time " + cpu + ", resident memory " + text.Size(number(21)*int64(os.Getpagesize()))
}

// of returns what is known of a connection's process now.
func (u usage) of(c *pane.Context, sc *session.Conn) usage {
	if runs(c, sc) && sc.PID == u.pid {
		return u
	}
	return usage{}
}

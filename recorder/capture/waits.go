package capture

import (
	"context"
	"sync/atomic"
	"time"

	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/mcp"
	"wiretea/session/transport"
)

const (
	// slowAfter is from when on a wait is told of, and from then on each time that
	// it has doubled.
	slowAfter = 3 * time.Second

	// attendEvery is how often the waits are looked at.
	attendEvery = 500 * time.Millisecond
)

// A Wait is a request of ours that has waited for its response for some time.
type Wait struct {
	Method   string
	Target   string        // Target is what the request acts on, such as the tool's name; empty = nothing.
	For      time.Duration // For is how long it has waited.
	Limit    time.Duration // Limit is when wiretea gives up, as For; 0 = never, or not while Launcher is at work.
	Launcher string        // Launcher fetches or builds the server, which has not started; empty = nothing does.
	Probe    bool          // Probe: another request follows if there is no response.
	Starting bool          // Starting: the server has written nothing yet.
}

// attend watches the waits of the run until ctx ends.
func (r *Run) attend(ctx context.Context) {
	tick := time.NewTicker(attendEvery)
	defer tick.Stop()
	var a attendance
	defer a.goOn(r)
	for {
		select {
		case <-tick.C:
			a.look(r)
		case <-ctx.Done():
			return
		}
	}
}

// An attendance is what attend knows from one look to the next.
type attendance struct {
	id      string        // id is the request that waits,
	told    time.Duration // and told is how long it had waited when that was told last.
	conn    int
	release func()        // release lets the time limits run; nil = they do.
	since   time.Time     // since is when they were stopped.
	held    time.Duration // held is for how long they had been stopped on this connection.
}

// look looks at the waits once.
func (a *attendance) look(r *Run) {
	r.mu.Lock()
	c, conn, greeting := r.opened, r.conn, r.abort != nil
	r.mu.Unlock()
	if conn != nil && conn.Number() != a.conn {
		a.goOn(r)
		a.conn, a.held = conn.Number(), 0
	}
	var waiting []client.Waiting
	if c != nil {
		waiting = c.Waiting()
	}
	launcher := ""
	if greeting && len(waiting) > 0 {
		launcher = r.launching(conn)
	}
	held := a.held
	if a.release != nil {
		held += time.Since(a.since)
	}
	switch {
	case launcher == "" || held >= r.cfg.Patience:
		a.goOn(r)
		launcher = ""
	case a.release == nil:
		a.release, a.since = c.Hold(), time.Now()
		r.held(true)
	}
	r.launcher.set(launcher)
	a.tell(r, waiting, launcher)
}

// goOn lets the time limits run again.
func (a *attendance) goOn(r *Run) {
	if a.release != nil {
		a.held += time.Since(a.since)
		a.release()
		a.release = nil
		r.held(false)
	}
}

// tell tells of the wait that has lasted longest.
func (a *attendance) tell(r *Run, waiting []client.Waiting, launcher string) {
	for _, w := range waiting {
		if m, known := mcp.Lookup(w.Method); known && m.Unbounded {
			continue
		}
		if w.ID != a.id {
			a.id, a.told = w.ID, 0
		}
		is := Wait{Method: w.Method, Target: w.Target, For: time.Since(w.Sent), Launcher: launcher, Probe: w.Method == mcp.ServerDiscover && r.cfg.Client.Era == client.Auto}
		if !w.Due.IsZero() {
			is.Limit = w.Due.Sub(w.Sent)
		}
		if is.For >= slowAfter && is.For >= 2*a.told {
			a.told = is.For
			at := r.Snapshot().Conn(a.conn)
			is.Starting = at != nil && at.Frames[session.S2C] == 0
			if r.cfg.Slow != nil {
				r.cfg.Slow(is)
			}
		}
		return
	}
}

func (r *Run) held(on bool) {
	if r.cfg.Held != nil {
		r.cfg.Held(on)
	}
}

// launching names the program that has not started the server of a connection yet;
// empty where there is none.
func (r *Run) launching(conn Conn) string {
	if name := r.pulls.get(); name != "" {
		return name
	}
	process, ok := conn.(*transport.Conn)
	if !ok {
		return ""
	}
	return launcherAtWork(process.Child.Commands())
}

// Launcher names the program that fetches or builds the server, which has not started;
// empty where none is known to.
func (r *Run) Launcher() string { return r.launcher.get() }

// A text may be used by any goroutine.
type text struct{ atomic.Value }

func (t *text) set(s string) { t.Store(s) }

func (t *text) get() string {
	s, _ := t.Load().(string)
	return s
}

package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"wiretea/session/text"
)

const (
	waitingFrom  = time.Second            // waitingFrom is from when on a wait is shown.
	waitingEvery = 200 * time.Millisecond // waitingEvery is how often its time moves on.
)

// A Waiting is the line on a terminal that says what is being waited for. It is
// gone when the wait is over. Where there is no terminal it is nothing.
type Waiting struct {
	W    io.Writer // W is nil where nothing is shown.
	quit chan struct{}
	done chan struct{}
	once sync.Once

	mu    sync.Mutex // mu guards what follows.
	what  string
	bar   string // bar is the progress that the server tells; empty = none.
	since time.Time
	limit time.Duration // limit is how long it may take; 0 = nobody knows.
	shown bool
	aside int // aside counts those who want the line out of their way.
}

// NewWaiting begins to show waits on a stream to people.
func NewWaiting(errw io.Writer) *Waiting {
	v := &Waiting{quit: make(chan struct{}), done: make(chan struct{})}
	if !IsTerminal(errw) || Getenv("TERM") == "dumb" {
		close(v.done)
		return v
	}
	v.W = errw
	if s, ok := errw.(*screen); ok {
		v.W = s.with(redrawing.Get())
	}
	go v.run()
	return v
}

func (v *Waiting) run() {
	defer close(v.done)
	tick := time.NewTicker(waitingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			v.show()
		case <-v.quit:
			return
		}
	}
}

// Begin says what is waited for from now on.
func (v *Waiting) Begin(what string) {
	v.mu.Lock()
	v.what, v.bar, v.since, v.limit = what, "", time.Now(), 0
	v.mu.Unlock()
}

// Until says how long it may take in all; 0 = nobody knows.
func (v *Waiting) Until(limit time.Duration) {
	v.mu.Lock()
	v.limit = limit
	v.mu.Unlock()
}

// Progress says how far it is: done of total, 0 = nobody knows, with the server's
// own words.
func (v *Waiting) Progress(done, total float64, words string) {
	v.mu.Lock()
	v.bar = ProgressBar(done, total)
	if words != "" {
		v.bar += " " + Visible(words)
	}
	v.mu.Unlock()
}

// ProgressBar draws how far something is.
func ProgressBar(done, total float64) string {
	const cells = 20
	if total <= 0 || done < 0 {
		return fmt.Sprintf("%g", done)
	}
	part := min(done/total, 1)
	full := int(part * cells)
	return fmt.Sprintf("%s%s %3.0f %%", strings.Repeat("█", full), strings.Repeat("░", cells-full), part*100)
}

// show draws the line.
func (v *Waiting) show() {
	v.mu.Lock()
	defer v.mu.Unlock()
	waited := time.Since(v.since)
	if v.aside > 0 || v.what == "" || waited < waitingFrom && v.bar == "" {
		return
	}
	line := fmt.Sprintf("%s  %s", v.what, text.Duration(int64(waited.Truncate(100*time.Millisecond))))
	if v.limit > 0 {
		line += " of " + text.Duration(int64(v.limit.Round(100*time.Millisecond)))
	}
	if v.bar != "" {
		line += "  " + v.bar
	}
	width, _ := TerminalSize(v.W) // it must not wrap
	fmt.Fprintf(v.W, "\r\x1b[K%s", CutText(line, max(width-1, 1)))
	v.shown = true
}

// Pause takes the line away until resume.
func (v *Waiting) Pause() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.aside++
	v.clear()
}

func (v *Waiting) Resume() {
	v.mu.Lock()
	v.aside--
	v.mu.Unlock()
}

// Say prints a line to people, in the place of the one that is shown.
func (v *Waiting) Say(w io.Writer, line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
	fmt.Fprintln(w, line)
}

// clear takes away what is shown. The lock is held.
func (v *Waiting) clear() {
	if v.shown {
		fmt.Fprint(v.W, "\r\x1b[K")
		v.shown = false
	}
}

// Stop takes the line away, for good. It may be called more than once.
func (v *Waiting) Stop() {
	v.once.Do(func() { close(v.quit) })
	<-v.done
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear()
}

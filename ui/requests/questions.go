package requests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/session/cells"
	"wiretea/session/text"
	"wiretea/ui/host"
	"wiretea/ui/keys"
	"wiretea/ui/overlay"
	"wiretea/ui/source"
)

// Questions are what the server of a tab asks.
type Questions struct {
	tab   *host.Tab
	boxes map[*source.Question]*box // boxes are their boxes; nil for a question that is being read.
}

// New returns the questions of a tab.
func NewQuestions(t *host.Tab) *Questions {
	return &Questions{tab: t, boxes: make(map[*source.Question]*box)}
}

// queue is where the questions wait; nil where the session has none.
func (q *Questions) queue() *source.Questions {
	if a, ok := q.tab.Source.(source.Asking); ok {
		return a.Questions()
	}
	return nil
}

// open are the questions that wait.
func (q *Questions) open() []*source.Question {
	if d := q.queue(); d != nil {
		return d.Open()
	}
	return nil
}

// A readMsg brings a question that has been read, and can be shown.
type readMsg struct{ box *box }

// Attend brings the questions up to date: new ones are read, in a command, and those that
// are not asked any more go, which is said.
func (q *Questions) Attend() tea.Cmd {
	open := q.open()
	var cmds []tea.Cmd
	for _, one := range open {
		if _, known := q.boxes[one]; known {
			continue
		}
		q.boxes[one] = nil
		snap := q.tab.Ctx.Snap
		cmds = append(cmds, q.tab.Addressed(q, func() tea.Msg { return readMsg{newBox(q, one, snap)} }))
	}
	for one, b := range q.boxes {
		if slices.Contains(open, one) || b == nil || b.settling {
			continue
		}
		delete(q.boxes, one)
		if q.tab.Overlay() == overlay.Box(b) {
			q.tab.Open(nil)
		}
		cmds = append(cmds, q.tab.Say(session.Warning, "the server no longer asks: "+b.short(60)))
	}
	return tea.Batch(cmds...)
}

// Update implements host.Receiver.
func (q *Questions) Update(msg tea.Msg) tea.Cmd {
	read, ok := msg.(readMsg)
	if !ok {
		return nil
	}
	q.boxes[read.box.one] = read.box
	// A box opens by itself only while the user is idle, and never before an earlier
	// question.
	open := q.open()
	at := slices.Index(open, read.box.one)
	unread := func(one *source.Question) bool { return q.boxes[one] == nil }
	if q.tab == q.tab.Current() && at >= 0 && !slices.ContainsFunc(open[:at], unread) && q.tab.Idle() {
		q.tab.Open(read.box)
	}
	return q.Attend()
}

// settled takes note that a question has its answer, and shows the next one.
func (q *Questions) settled(b *box, msg settledMsg) tea.Cmd {
	b.settling = false
	if msg.err != nil {
		b.insists = false
		return q.tab.Say(session.Error, msg.err.Error())
	}
	delete(q.boxes, b.one)
	if q.tab.Overlay() == overlay.Box(b) {
		q.tab.Open(nil)
		if next := q.waiting(); next != nil && q.tab == q.tab.Current() {
			next.stage = resting
			q.tab.Open(next)
		}
	}
	if msg.gone {
		return q.tab.Say(session.Warning, "too late: the server does not ask that any more")
	}
	return q.tab.Say(session.Info, msg.word+": "+b.short(60))
}

// waiting is the box of the oldest question that can be shown; nil = none.
func (q *Questions) waiting() *box {
	for _, one := range q.open() {
		if b := q.boxes[one]; b != nil && !b.settling {
			return b
		}
	}
	return nil
}

// next shows the question after one.
func (q *Questions) next(b *box) tea.Cmd {
	open := q.open()
	at := slices.Index(open, b.one)
	for i := range open {
		next := q.boxes[open[(at+1+i)%len(open)]]
		if next != nil && next != b && !next.settling {
			b.stage = resting
			next.stage = choosing
			q.tab.Open(next)
			return nil
		}
	}
	return q.tab.Say(session.Info, "the server asks nothing else")
}

// Disabled says why there is nothing to answer, empty = there is.
func (q *Questions) Disabled() string {
	switch {
	case q.queue() == nil:
		return "the server has asked nothing in this session"
	case len(q.open()) == 0:
		return "nothing is asked"
	}
	return ""
}

// AnswerOldest opens the question that waits longest.
func (q *Questions) AnswerOldest() tea.Cmd { return q.answer(q.waiting()) }

// answer opens a question; nil is being read.
func (q *Questions) answer(b *box) tea.Cmd {
	if b == nil {
		return nil
	}
	q.tab.Open(b)
	return b.begin()
}

// Answer opens a question by its number among those that wait, from 1.
func (q *Questions) Answer(word string) tea.Cmd {
	if why := q.Disabled(); why != "" {
		return q.tab.Say(session.Info, why)
	}
	open := q.open()
	n, err := strconv.Atoi(strings.SplitN(word, " ", 2)[0])
	if err != nil || n < 1 || n > len(open) {
		return q.tab.Say(session.Error, fmt.Sprintf("unknown question %q: tab after :answer lists them", word))
	}
	return q.answer(q.boxes[open[n-1]])
}

// List lists the questions that wait, as Answer takes them.
func (q *Questions) List() []string {
	var list []string
	for i, one := range q.open() {
		words := strconv.Itoa(i+1) + " " + one.Method
		if b := q.boxes[one]; b != nil {
			words += " " + b.short(50)
		}
		list = append(list, words)
	}
	return list
}

// answerKey is the key that answers.
func (q *Questions) answerKey() string {
	return q.tab.Ctx.Keys.WordOf(keys.Answer, keys.Global)
}

// waited is for how long a question waits by the session's clock.
func (q *Questions) waited(one *source.Question) time.Duration {
	now := q.tab.Ctx.Wall()
	if now.IsZero() {
		return 0
	}
	return max(0, now.Sub(one.At))
}

// Banner is the line that says that the server asks, w cells wide; empty while it does
// not, or while the only question is on the screen. typing: letters go into a form, which
// esc closes.
func (q *Questions) Banner(w int, typing bool) []string {
	th, b := q.tab.Ctx.Theme, q.waiting()
	_, shown := q.tab.Overlay().(*box)
	n := len(q.open())
	if b == nil || shown && n == 1 {
		return nil
	}
	many := ""
	if n > 1 {
		many = fmt.Sprintf("%d questions: ", n)
	}
	about := ""
	if b.occasion != "" {
		about = "  for " + b.occasion
	}
	key := q.answerKey()
	if typing {
		key = "esc, " + key
	}
	right := "  " + whole(q.waited(b.one)) + "  " + key + " answers "
	left := " ⚠ the server asks: " + many
	room := max(0, w-cells.Width(left)-cells.Width(right))
	if cells.Width(b.asks)+cells.Width(about) > room {
		about = ""
	}
	words := cells.Fit(b.asks+about, room)
	return []string{th.Warning.Paint(left) + th.Strong.Paint(words) + th.Accent.Paint(right)}
}

// whole writes whole seconds.
func whole(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return text.Duration(int64(d.Truncate(time.Second)))
}

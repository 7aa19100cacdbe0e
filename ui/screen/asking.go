package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wiretea/session"
	"wiretea/ui/cells"
	"wiretea/ui/composer/form"
	"wiretea/ui/format"
	"wiretea/ui/keys"
	"wiretea/ui/source"
)

// desk is where the questions of the session's server lie; nil = nobody asks.
func (t *tab) desk() *source.Questions {
	if a, ok := t.source.(source.Asking); ok {
		return a.Questions()
	}
	return nil
}

// open are the questions that wait.
func (t *tab) open() []*source.Question {
	if d := t.desk(); d != nil {
		return d.Open()
	}
	return nil
}

// An inquired question has been read, and can be shown.
type inquired struct{ box *inquiryBox }

// attend brings the questions of a session up to date: new ones are read, in a
// command, and those that are not asked any more go, which is said.
func (s *Screen) attend(t *tab) tea.Cmd {
	open := t.open()
	var cmds []tea.Cmd
	for _, one := range open {
		if _, known := t.inquiries[one]; known {
			continue
		}
		if t.inquiries == nil {
			t.inquiries = make(map[*source.Question]*inquiryBox)
		}
		t.inquiries[one] = nil
		snap := t.ctx.Snap
		cmds = append(cmds, func() tea.Msg { return inquired{newInquiryBox(t, one, snap)} })
	}
	for one, b := range t.inquiries {
		if slices.Contains(open, one) || b == nil || b.settling {
			continue
		}
		delete(t.inquiries, one)
		if s.overlay == overlay(b) {
			s.overlay = nil
		}
		cmds = append(cmds, s.say(session.Warning, "the server asks no more: "+cells.Fit(b.asks, min(60, cells.Width(b.asks)))))
	}
	return tea.Batch(cmds...)
}

// inquiryMsg takes what concerns the server's questions.
func (s *Screen) inquiryMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case inquired:
		t := msg.box.tab
		t.inquiries[msg.box.one] = msg.box
		// A box comes up by itself only where nobody is doing anything else, and none
		// before one that was asked earlier.
		open := t.open()
		at := slices.Index(open, msg.box.one)
		unread := func(one *source.Question) bool { return t.inquiries[one] == nil }
		if t == s.tab() && at >= 0 && !slices.ContainsFunc(open[:at], unread) && s.idle() {
			s.overlay = msg.box
		}
		return s.attend(t), true
	case settled:
		return s.settledInquiry(msg), true
	case leveled:
		return s.tookLevel(msg), true
	case form.Send:
		if b := s.inquiryOf(msg.Form); b != nil {
			return b.accept(s), true
		}
	case form.Leave:
		if b := s.inquiryOf(msg.Form); b != nil {
			if b.stage == filling {
				b.stage = choosing
			}
			return nil, true
		}
	}
	return nil, false
}

// inquiryOf is the box that has a form; nil = none.
func (s *Screen) inquiryOf(f *form.Form) *inquiryBox {
	for _, t := range s.tabs {
		for _, b := range t.inquiries {
			if b != nil && f != nil && (b.form == f || b.raw == f) {
				return b
			}
		}
	}
	return nil
}

// tellForms gives a message to the forms of all questions: the answers to their
// own commands find them so.
func (s *Screen) tellForms(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, t := range s.tabs {
		for _, b := range t.inquiries {
			if b == nil || b.editing() == nil {
				continue
			}
			cmds = append(cmds, b.editing().Update(msg))
		}
	}
	return tea.Batch(cmds...)
}

// idle reports whether nobody is in the middle of anything.
func (s *Screen) idle() bool {
	return s.overlay == nil && s.composer == nil && s.prompt == nil && s.chord == "" && !s.ending.asked && !s.ending.running
}

// settledInquiry takes note that a question has its answer, and shows the next one.
func (s *Screen) settledInquiry(msg settled) tea.Cmd {
	b := msg.box
	b.settling = false
	if msg.err != nil {
		b.insists = false
		return s.say(session.Error, msg.err.Error())
	}
	delete(b.tab.inquiries, b.one)
	if s.overlay == overlay(b) {
		s.overlay = nil
		if next := b.tab.waitingBox(); next != nil && b.tab == s.tab() {
			next.stage, s.overlay = resting, next
		}
	}
	if msg.gone {
		return s.say(session.Warning, "too late: the server does not ask that any more")
	}
	return s.say(session.Info, msg.word+": "+cells.Fit(b.asks, min(60, cells.Width(b.asks))))
}

// waitingBox is the box of the oldest question that can be shown; nil = none.
func (t *tab) waitingBox() *inquiryBox {
	for _, one := range t.open() {
		if b := t.inquiries[one]; b != nil && !b.settling {
			return b
		}
	}
	return nil
}

// nextInquiry shows the question after one.
func (s *Screen) nextInquiry(b *inquiryBox) tea.Cmd {
	open := b.tab.open()
	at := slices.Index(open, b.one)
	for i := range open {
		next := b.tab.inquiries[open[(at+1+i)%len(open)]]
		if next != nil && next != b && !next.settling {
			b.stage = resting
			next.stage, s.overlay = choosing, next
			return nil
		}
	}
	return s.say(session.Info, "the server asks nothing else")
}

// noQuestion says why there is nothing to answer, empty = there is.
func (s *Screen) noQuestion() string {
	switch t := s.tab(); {
	case t.desk() == nil:
		return "nobody asks you anything in this session"
	case len(t.open()) == 0:
		return "nothing is asked"
	}
	return ""
}

// answerOldest opens the question that waits longest.
func (s *Screen) answerOldest() tea.Cmd {
	b := s.tab().waitingBox()
	if b == nil {
		return nil // it is being read
	}
	s.overlay = b
	return b.begin()
}

// answerNumber opens a question by its number among those that wait, from 1.
func (s *Screen) answerNumber(word string) tea.Cmd {
	if why := s.noQuestion(); why != "" {
		return s.say(session.Info, why)
	}
	open := s.tab().open()
	n, err := strconv.Atoi(strings.SplitN(word, " ", 2)[0])
	if err != nil || n < 1 || n > len(open) {
		return s.say(session.Error, fmt.Sprintf("unknown question %q: tab after :answer lists them", word))
	}
	b := s.tab().inquiries[open[n-1]]
	if b == nil {
		return nil // it is being read
	}
	s.overlay = b
	return b.begin()
}

// completeQuestions lists the questions that wait.
func completeQuestions(s *Screen) []string {
	var list []string
	for i, one := range s.tab().open() {
		words := strconv.Itoa(i+1) + " " + one.Method
		if b := s.tab().inquiries[one]; b != nil {
			words += " " + cells.Fit(b.asks, min(50, cells.Width(b.asks)))
		}
		list = append(list, words)
	}
	return list
}

// answerKey is the key that answers.
func answerKey() string {
	for i := range keys.Table {
		if b := &keys.Table[i]; b.Action == keys.Answer && len(b.Keys) > 0 {
			return keys.Word(b.Keys[0])
		}
	}
	return ":answer"
}

// waited is for how long a question waits by the session's clock.
func (t *tab) waited(one *source.Question) time.Duration {
	if t.ctx.Header == nil {
		return 0
	}
	return max(0, t.ctx.Header.T0.Add(time.Duration(t.ctx.Now)).Sub(one.At))
}

// banner is the line that says that the server asks; empty while it does not, or
// while the only question is on the screen.
func (s *Screen) banner() []string {
	t, th := s.tab(), s.theme
	b := t.waitingBox()
	shown, _ := s.overlay.(*inquiryBox)
	if n := len(t.open()); b == nil || shown != nil && n == 1 {
		return nil
	}
	many := ""
	if n := len(t.open()); n > 1 {
		many = fmt.Sprintf("%d questions: ", n)
	}
	about := ""
	if b.occasion != "" {
		about = "  for " + b.occasion
	}
	key := answerKey()
	if s.composer != nil {
		key = "esc, " + key // letters are typed there
	}
	right := "  " + whole(t.waited(b.one)) + "  " + key + " answers "
	left := " ⚠ the server asks: " + many
	room := max(0, s.w-cells.Width(left)-cells.Width(right))
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
	return format.Duration(int64(d.Truncate(time.Second)))
}

package form

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/json/tree"
)

// checks is how far the checking of the values is.
type checks struct {
	judge    *judge // judge is with the command while busy.
	gen      int    // gen counts the changes of the values.
	busy     bool
	done     int // done is the gen that problems are about.
	problems []Problem
	marked   []*field // marked are the fields that have problems.
	note     string   // note is why not all can be judged, empty = it can.
	facts    string   // facts are what there is to say of the bytes in malformed mode.
	wrong    int      // wrong is where the text of raw mode is not JSON, -1 = nowhere.
}

// checked is the result of a check.
type checked struct {
	form     *Form
	gen      int
	judge    *judge
	problems []Problem
	note     string
	wrong    int
}

// Valid reports whether nothing is known to be wrong with the values. It is the
// state of the last check: see Checked.
func (f *Form) Valid() bool { return len(f.checks.problems) == 0 }

// Problems returns what is wrong with the values, as far as it was looked for,
// in their order. It must not be changed.
func (f *Form) Problems() []Problem { return f.checks.problems }

// Checked reports whether Problems is about the values as they are.
func (f *Form) Checked() bool { return f.checks.done == f.checks.gen && !f.checks.busy }

// check returns the command that checks the values as they are; nil while one
// is under way, after which another will be.
func (f *Form) check() tea.Cmd {
	c := &f.checks
	c.gen++
	if c.busy {
		return nil
	}
	return f.startCheck()
}

func (f *Form) startCheck() tea.Cmd {
	c := &f.checks
	if f.mode == Malformed {
		c.done, c.problems, c.wrong = c.gen, nil, -1
		if c.facts = "many bytes"; len(f.bytes.text) < maxLook {
			c.facts = facts(denote(f.bytes.text), f.cfg.Buttons)
		}
		return nil
	}
	c.busy = true
	if c.judge == nil {
		c.judge = newJudge(f.schema, c.note)
	}
	task := checking{form: f, gen: c.gen, judge: c.judge}
	if f.mode == Raw {
		task.text, task.path = slices.Clone(f.plain.text), f.path()
	} else {
		e := f.encode()
		task.text, task.pick = e.out, e.pick
	}
	return func() tea.Msg { return task.run() }
}

// A checking is one command's work.
type checking struct {
	form  *Form
	gen   int
	judge *judge
	text  []byte
	path  []string // path is where the values are in text,
	pick  map[string]*tree.Node
}

func (t checking) run() (done checked) {
	done = checked{form: t.form, gen: t.gen, judge: t.judge, wrong: -1}
	defer func() {
		done.note = t.judge.note
		if p := recover(); p != nil {
			done.note = "the values could not be checked: " + inline(fmt.Sprint(p), 200)
		}
	}()
	v, err := locate(t.text, t.path)
	if err != nil {
		done.problems = []Problem{{Text: inline(err.Error(), 200), Syntax: true}}
		off, bad := defect(t.text)
		if done.wrong = off; bad == nil {
			done.wrong, done.problems[0].Syntax = -1, len(t.text) == 0
		}
		return done
	}
	done.problems = t.judge.value(v, t.pick)
	return done
}

// take puts the result of a check at the fields.
func (f *Form) take(msg checked) tea.Cmd {
	if msg.form != f {
		return nil
	}
	c := &f.checks
	c.busy, c.judge, c.note = false, msg.judge, msg.note
	if msg.gen != c.gen {
		return f.startCheck()
	}
	for _, at := range c.marked {
		at.problems = nil
	}
	c.marked = c.marked[:0]
	c.done, c.problems, c.wrong = msg.gen, msg.problems, msg.wrong
	if f.mode != Fields {
		return nil
	}
	for i, p := range c.problems {
		at := f.find(p.Path)
		if text := at.typed(); at.manner == asNumber && at.sent() && at.kept == nil && !isNumber([]byte(text)) {
			p.Text = "not a JSON number; it would be sent as text"
			c.problems[i].Text = p.Text
		}
		if len(at.problems) < 3 {
			at.problems = append(at.problems, p.Text)
			c.marked = append(c.marked, at)
		}
	}
	return nil
}

// awaited reports whether a problem is only that a required field has no value yet, and the
// user has neither left the field nor tried to send.
func (f *Form) awaited(p Problem) bool {
	if f.mode != Fields || f.tried {
		return false
	}
	at := f.find(p.Path)
	return at.awaited() && at.depth() == len(p.Path)
}

// awaited reports whether a required field has no value because the user has not come to it.
func (f *field) awaited() bool { return f.required && !f.left && !f.sent() }

// find returns the field that a path leads to, or the last on the way to it that
// there is.
func (f *Form) find(path []string) *field {
	at := f.root
	for _, name := range path {
		next := at.kid(name)
		if next == nil {
			break
		}
		at = next
	}
	return at
}

// kid returns a field below by its name in a path; nil where there is none.
func (f *field) kid(name string) *field {
	if f.manner == asArray {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(f.kids) {
			return f.kids[i]
		}
		return nil
	}
	for _, kid := range f.kids {
		if kid.key == name && kid.keying == nil {
			return kid
		}
	}
	return nil
}

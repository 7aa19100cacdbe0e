package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/json/schema"
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

// checklist returns the choices of an array that is filled in as a check list:
// its items are of one and the same set of choices, and none is there twice. nil =
// it is not such an array.
func (f *Form) checklist(x *field) []choice {
	s := x.shape
	if x.manner != asArray || s.items == nil || len(s.prefix) > 0 {
		return nil
	}
	choices := f.book.openRef(s.items).choices
	seen := make(map[int]bool, len(x.kids))
	for _, kid := range x.kids {
		if kid.manner != asChoice || kid.chosen < 0 || seen[kid.chosen] {
			return nil
		}
		seen[kid.chosen] = true
	}
	return choices
}

// checked is the item of a check list that is one of the choices; nil = it is not
// checked.
func (x *field) checked(i int) *field {
	if at := slices.IndexFunc(x.kids, func(kid *field) bool { return kid.chosen == i }); at >= 0 {
		return x.kids[at]
	}
	return nil
}

// openChecks opens the check list of an array.
func (f *Form) openChecks(x *field, choices []choice) tea.Cmd {
	var items []menuItem
	for i, c := range choices {
		items = append(items, menuItem{label: c.label, do: func() tea.Cmd { return f.toggle(x, i) }})
	}
	f.menu = newMenu(items)
	f.menu.of = x
	f.menu.note = "space checks, enter closes"
	return nil
}

// toggle puts a choice into a check list, before those that come after it, or takes
// it out.
func (f *Form) toggle(x *field, i int) tea.Cmd {
	if kid := x.checked(i); kid != nil {
		f.drop(kid)
		return f.changed(x)
	}
	if !x.room() {
		f.notice = "the list has its maximum length"
		return nil
	}
	kid := newMaker(f.book).item(x, 0)
	kid.manner, kid.chosen, kid.kept = asChoice, i, nil
	kid.touch()
	if at := slices.IndexFunc(x.kids, func(k *field) bool { return k.chosen > i }); at >= 0 && at < kid.at {
		copy(x.kids[at+1:], x.kids[at:kid.at])
		x.kids[at] = kid
		x.number()
	}
	return f.changed(x)
}

// checksKey carries out a key in an open check list. It reports false for one that
// is any menu's.
func (f *Form) checksKey(name string) (tea.Cmd, bool) {
	switch name {
	case "space":
		return f.menu.do(), true
	case "enter":
		f.menu = nil
		return nil, true
	}
	return nil, false
}

// checkedWords are the choices that are checked, for one line.
func checkedWords(x *field, choices []choice) string {
	var words []string
	for _, kid := range x.kids[:min(len(x.kids), 50)] {
		words = append(words, choices[kid.chosen].label)
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// A Problem is something that is wrong with what would be sent.
type Problem struct {
	Path   []string // Path are the names that lead to the value: members as they are called, items as numbers from 0.
	Text   string   // Text says what is wrong, in a line that is fit for the screen.
	Syntax bool     // Syntax: what would be sent is not JSON.
}

// A judge is what checking needs of a schema. It is used by one goroutine at a time.
type judge struct {
	schema *schema.Schema
	note   string
}

func newJudge(root *tree.Node, note string) *judge {
	if _, err := (schema.Options{}).Read(root); err != nil && note == "" {
		note = "the schema cannot be used to validate: " + inline(err.Error(), 200)
	}
	lenient, _ := schema.Options{Lenient: true}.Read(root)
	return &judge{lenient, note}
}

// value says what is wrong with a value. pick are the alternatives that were chosen,
// by path: a value that matches none is judged as what it was meant to be.
func (j *judge) value(v *tree.Node, pick map[string]*tree.Node) []Problem {
	found, err := j.schema.Problems(v, func(name, text string) string {
		// Formats are annotations only (JSON Schema 2020-12 validation §7.2.1).
		if f, known := formats.Get()[name]; known && !f.ok(text) {
			return "not a valid " + name + " (example: " + f.example + ")"
		}
		return ""
	})
	if err != nil {
		j.note = "the values are not validated in full: " + inline(err.Error(), 200)
	}
	var out []Problem
	for _, p := range meant(found, pick) {
		out = append(out, Problem{Path: p.Path, Text: inline(p.Text, 200)})
	}
	return out
}

// meant puts the problems of the alternatives that were chosen in the place of there
// being none that matches.
func meant(found []schema.Problem, pick map[string]*tree.Node) []schema.Problem {
	var out []schema.Problem
	for _, p := range found {
		var path []byte
		for _, name := range p.Path {
			path = append(append(path, 0), name...)
		}
		if chosen := within(p.Branches, pick[string(path)]); chosen != nil {
			out = append(out, meant(chosen, pick)...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// within returns the problems of an alternative, which may be one of an alternative;
// nil where it is not among them.
func within(branches []schema.Branch, chosen *tree.Node) []schema.Problem {
	for _, b := range branches {
		if b.Root == chosen {
			return b.Problems
		}
		for _, p := range b.Problems {
			if found := within(p.Branches, chosen); found != nil {
				return found
			}
		}
	}
	return nil
}

package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/lazy"
	"wiretea/ui/pane"
)

// changed notes that a field was filled in, or that the tree is another.
func (f *Form) changed(x *field) tea.Cmd {
	if x != nil {
		x.touch()
	}
	f.layout()
	return f.check()
}

// edited notes that the text of a field has changed. A text that is empty is not
// sent: that there is an empty one is said on purpose, with the menu of ways.
func (f *Form) edited(x *field) tea.Cmd {
	x.touch()
	if len(x.text.text) == 0 {
		x.origin = absent
	}
	return tea.Batch(f.check(), f.ask(x, false))
}

// key carries out a key.
func (f *Form) key(msg tea.KeyPressMsg) tea.Cmd {
	if f.menu != nil {
		if cmd, mine := f.menuKey(msg); mine {
			return cmd
		}
	}
	name := msg.String()
	switch name {
	case "ctrl+s", "ctrl+enter":
		return f.send()
	case "esc":
		return pane.Tell(LeaveMsg{f})
	case "ctrl+o", "f2":
		return f.turnMode()
	}
	if f.mode != Fields {
		return f.textKey(msg)
	}
	if x := f.focus().field; x != nil && x.keying != nil {
		return f.keyingKey(x, msg)
	}
	if do, ok := acts()[name]; ok {
		return do(f)
	}
	return f.fieldKey(msg)
}

// acts are what the keys do in the form, whatever has the focus.
func acts() map[string]func(*Form) tea.Cmd { return actTable.From(newActs) }

var actTable lazy.Value[map[string]func(*Form) tea.Cmd]

func newActs() map[string]func(*Form) tea.Cmd {
	return map[string]func(*Form) tea.Cmd{
		"tab":        func(f *Form) tea.Cmd { f.stand(f.at + 1); return nil },
		"shift+tab":  func(f *Form) tea.Cmd { f.stand(f.at - 1); return nil },
		"pgdown":     func(f *Form) tea.Cmd { f.stand(f.at + f.seen.page()); return nil },
		"pgup":       func(f *Form) tea.Cmd { f.stand(f.at - f.seen.page()); return nil },
		"ctrl+home":  func(f *Form) tea.Cmd { f.stand(0); return nil },
		"ctrl+end":   func(f *Form) tea.Cmd { f.stand(len(f.rows)); return nil },
		"enter":      (*Form).enter,
		"ctrl+t":     (*Form).openWays,
		"ctrl+x":     (*Form).leaveOut,
		"ctrl+n":     (*Form).another,
		"alt+up":     func(f *Form) tea.Cmd { return f.moveItem(-1) },
		"alt+down":   func(f *Form) tea.Cmd { return f.moveItem(1) },
		"alt+e":      func(f *Form) tea.Cmd { f.nextProblem(); return nil },
		"ctrl+space": func(f *Form) tea.Cmd { return f.ask(f.focus().field, true) },
		"ctrl+@":     func(f *Form) tea.Cmd { return f.ask(f.focus().field, true) },
	}
}

// fieldKey carries out a key in the field that has the focus.
func (f *Form) fieldKey(msg tea.KeyPressMsg) tea.Cmd {
	name, x := msg.String(), f.focus().field
	if x != nil && f.focus().kind == fieldRow {
		switch x.manner {
		case asText, asNumber, asRaw:
			return f.typeIn(x, msg)
		case asBool, asChoice:
			if cmd, mine := f.pickKey(x, msg); mine {
				return cmd
			}
		case asObject, asArray:
			choices := f.checklist(x)
			switch {
			case name == "left" && choices != nil:
				x.listed = false
				f.layout()
				return nil
			case name == "left":
				return f.fold(x, true)
			case name == "right" && (choices == nil || x.sent()):
				x.listed = true
				return f.fold(x, false)
			case choices != nil && (name == "right" || name != "space" && msg.Text != ""):
				cmd := f.openChecks(x, choices)
				f.menu.search(msg.Text)
				return cmd
			}
		case asNull:
			if typed := x.shape.manner(); msg.Text != "" && name != "space" && (typed == asText || typed == asNumber || typed == asRaw) {
				x.manner, x.text = typed, nil
				return f.typeIn(x, msg)
			}
		}
	}
	switch kind := f.focus().kind; {
	case msg.Text == "" || name == "space":
	case kind == addRow:
		return f.addWith(msg)
	case kind == sendRow:
		return f.typeAbove(msg)
	default:
		f.notice = "this field takes no text; ctrl-t changes its type"
		return nil
	}
	switch name {
	case "up":
		f.stand(f.at - 1)
	case "down":
		f.stand(f.at + 1)
	case "space":
		return f.enter()
	case "backspace", "delete":
		return f.leaveOut()
	}
	return nil
}

// typeAbove types in the first field that takes text, where the focus is below the fields.
func (f *Form) typeAbove(msg tea.KeyPressMsg) tea.Cmd {
	for i, r := range f.rows {
		if r.kind != fieldRow {
			continue
		}
		switch r.field.manner {
		case asText, asNumber, asRaw:
			f.stand(i)
			return f.typeIn(r.field, msg)
		case asBool, asChoice, asObject, asArray, asNull:
		}
	}
	f.notice = "no field takes text; enter sends"
	if r := f.root; r.manner == asObject && !r.shape.closed {
		f.notice += ", ctrl-n adds a member"
	}
	return nil
}

// typeIn edits the text of a field.
func (f *Form) typeIn(x *field, msg tea.KeyPressMsg) tea.Cmd {
	if x.text == nil {
		x.text = newEditor("")
	}
	switch msg.String() {
	case "up":
		if !x.text.up() {
			f.stand(f.at - 1)
		}
		return nil
	case "down":
		if !x.text.down() {
			f.stand(f.at + 1)
		}
		return nil
	}
	if msg.Text != "" {
		x.overtype()
	}
	was := len(x.text.text)
	mine, changed := x.text.key(msg)
	switch {
	case mine && changed && x.manner == asNumber:
		if i := slices.Index(x.text.text, '\n'); i >= 0 { // A number has no line ends.
			x.text.replace(i, i+1, nil, false)
		}
	case !mine, !changed:
		return nil
	case msg.Text != "" && len(x.text.text) == was:
		f.notice = "the text has its maximum length"
	}
	return f.edited(x)
}

// overtype removes a default that was not edited when the user types: another value is
// wanted in its place.
func (x *field) overtype() {
	if x.origin == byDefault && x.text.at == len(x.text.text) {
		x.text.replace(0, len(x.text.text), nil, false)
	}
}

// pickKey carries out a key in a boolean or a choice.
func (f *Form) pickKey(x *field, msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch name := msg.String(); {
	case name == "left" || name == "right":
		return f.cycle(x, name == "right"), true
	case x.manner == asBool && (name == "t" || name == "f" || name == "y" || name == "n"):
		x.yes = name == "t" || name == "y"
		return f.changed(x), true
	case x.manner == asChoice && name != "space" && msg.Text != "":
		cmd := f.openChoices(x)
		f.menu.search(msg.Text)
		return cmd, true
	}
	return nil, false
}

// cycle goes to the next value, or back.
func (f *Form) cycle(x *field, forward bool) tea.Cmd {
	if x.manner == asBool {
		x.yes = !x.yes && x.sent() || !x.sent() && forward
		return f.changed(x)
	}
	n, step := len(x.shape.choices), 1
	if !x.sent() {
		x.chosen = -1
	}
	if !forward {
		step = -1
		x.chosen = max(0, x.chosen)
	}
	x.chosen = (x.chosen + step + n) % n
	return f.changed(x)
}

// enter edits, chooses, adds or sends, whatever has the focus.
func (f *Form) enter() tea.Cmd {
	r := f.focus()
	switch r.kind {
	case sendRow:
		return f.send()
	case addRow:
		return f.add(r.field)
	case fieldRow, aboutRow:
	}
	x := r.field
	switch x.manner {
	case asBool:
		x.yes = !x.yes || !x.sent()
		return f.changed(x)
	case asChoice:
		return f.openChoices(x)
	case asNull:
		if !x.sent() {
			return f.changed(x)
		}
	case asArray:
		if choices := f.checklist(x); choices != nil && !x.listed {
			return f.openChecks(x, choices)
		}
		if !x.sent() || len(x.kids) == 0 && x.room() {
			x.folded = false
			return f.add(x)
		}
		return f.fold(x, !x.folded)
	case asObject:
		return f.fold(x, x.sent() && !x.folded && x.origin != absent)
	case asText, asNumber, asRaw:
	}
	f.stand(f.at + 1)
	return nil
}

// fold folds an object or an array, or unfolds it: one that is not there comes
// to be.
func (f *Form) fold(x *field, shut bool) tea.Cmd {
	switch {
	case shut && !x.sent():
	case shut:
		x.folded = true
		f.layout()
	case !x.sent() || x.origin == absent:
		newMaker(f.book).begin(x, 0)
		x.folded = false
		cmd := f.changed(x)
		if x.manner == asObject && len(x.kids) > 0 {
			f.to(x.kids[0])
		}
		return cmd
	default:
		x.folded = false
		f.layout()
	}
	return nil
}

// nextProblem goes to the next field that something is wrong with.
func (f *Form) nextProblem() {
	for i := range f.rows {
		at := (f.at + 1 + i) % len(f.rows)
		if r := f.rows[at]; r.kind == fieldRow && len(r.field.problems) > 0 {
			f.stand(at)
			return
		}
	}
	f.notice = "no visible errors"
}

func (f *Form) send() tea.Cmd {
	f.Tried()
	return pane.Tell(SendMsg{f})
}

// Tried notes that the values were to be sent: from then on each required field
// without a value is shown as an error.
func (f *Form) Tried() { f.tried = true }

// turnMode goes to the next mode that is offered. Text that a form cannot show
// leads on to the malformed mode, where that is offered, and from there back.
func (f *Form) turnMode() tea.Cmd {
	next := (f.mode + 1) % numModes
	if next == Malformed && !f.cfg.Malformed {
		next = Fields
	}
	if err := f.SetMode(next); err != nil {
		from := f.mode
		if from == Malformed {
			_ = f.SetMode(Raw) // It does not fail.
		}
		if f.notice = "not in a form: " + inline(err.Error(), 200); from != Malformed {
			return nil
		}
	}
	return f.check()
}

// A Key is a row of the table of the form's keys.
type Key struct {
	Keys []string // Keys are as Bubble Tea names them; several = any of them.
	Help string   // Help is what they do, in a few words, lower case.
	Hint string   // Hint is one or two words for a footer; empty = not shown there.
	Mode []Mode   // Mode is where they hold; nil = everywhere.
}

var (
	inFields = []Mode{Fields}
	inText   = []Mode{Raw, Malformed}
)

// Table lists the form's keys, in the order of a help. Letters type. What a text
// takes (arrows, home, end, words, undo) holds wherever there is one. The table
// must not be changed.
var Table = []Key{
	{[]string{"ctrl+s", "ctrl+enter"}, "send, even if something is wrong", "send", nil},
	{[]string{"esc"}, "close the menu; leave the form", "leave", nil},
	{[]string{"ctrl+o", "f2"}, "the next mode: form, raw JSON, malformed bytes", "raw", nil},

	{[]string{"tab", "down"}, "to the next field", "field", inFields},
	{[]string{"shift+tab", "up"}, "to the previous field", "", inFields},
	{[]string{"enter"}, "choose, toggle, unfold, add, send; in a text: to the next field", "", inFields},
	{[]string{"space"}, "toggle, choose, unfold", "", inFields},
	{[]string{"left", "right"}, "previous, next choice; fold, unfold; show a check list as items", "", inFields},
	{[]string{"ctrl+t"}, "ways to fill the field in: another type or variant, empty string, null, raw JSON, the default", "type", inFields},
	{[]string{"ctrl+x"}, "do not send the field; remove an item or an added member", "leave out", inFields},
	{[]string{"ctrl+n"}, "add an item or a member", "add", inFields},
	{[]string{"alt+up", "alt+down"}, "move an item", "", inFields},
	{[]string{"alt+e"}, "to the next field with a problem", "", inFields},
	{[]string{"ctrl+space"}, "ask the server for candidates", "", inFields},
	{[]string{"pgup", "pgdown"}, "up, down a page", "", inFields},
	{[]string{"ctrl+home", "ctrl+end"}, "to the first field, to the button", "", inFields},

	{[]string{"ctrl+j", "alt+enter", "shift+enter"}, "insert a line feed", "", nil},
	{[]string{"ctrl+left", "ctrl+right", "alt+b", "alt+f"}, "by a word", "", nil},
	{[]string{"home", "end", "ctrl+a", "ctrl+e"}, "to the start, to the end of the line", "", nil},
	{[]string{"ctrl+w", "alt+d"}, "delete the word before, the word behind", "", nil},
	{[]string{"ctrl+u", "ctrl+k"}, "delete to the start, to the end of the line", "", nil},
	{[]string{"ctrl+_", "ctrl+y"}, "undo, redo", "", nil},
	{[]string{"enter", "tab"}, "insert a line feed, two spaces", "", inText},
}

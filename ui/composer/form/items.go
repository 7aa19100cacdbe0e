package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// add adds an item or a member, and goes there.
func (f *Form) add(x *field) tea.Cmd {
	m := newMaker(f.book)
	if x.manner == asArray {
		x.listed = true
		kid := m.item(x, 0)
		cmd := f.changed(x)
		switch f.to(kid); {
		case kid.manner == asObject && len(kid.kids) > 0:
			f.to(kid.kids[0])
		case kid.manner == asChoice && kid.chosen < 0:
			f.openChoices(kid)
		}
		return cmd
	}
	kid := m.field(x, &ref{}, nil, false, x.depth()+1)
	kid.added, kid.keying = true, newEditor("")
	for _, other := range x.kids {
		kid.rank = max(kid.rank, other.rank+1)
	}
	x.kids = append(x.kids, kid)
	x.number()
	f.layout()
	f.to(kid)
	return nil
}

// addWith adds an item or a member to the field whose row for that has the focus, and gives
// it what was typed or pasted.
func (f *Form) addWith(msg tea.Msg) tea.Cmd {
	cmd := f.add(f.focus().field)
	if f.focus().kind != fieldRow {
		return cmd
	}
	return tea.Batch(cmd, f.Update(msg))
}

// another adds an item or a member beside the field that has the focus, or to
// it.
func (f *Form) another() tea.Cmd {
	for x := f.focus().field; x != nil; x = x.parent {
		if x.manner == asArray && x.sent() && x.room() || x.manner == asObject && x.sent() && (x.shape.growing() || !x.shape.closed) {
			return f.add(x)
		}
	}
	if r := f.root; f.focus().field == nil && r.manner == asObject && !r.shape.closed {
		return f.add(r)
	}
	f.notice = "nothing can be added here"
	return nil
}

// keyingKey edits the name of a new member.
func (f *Form) keyingKey(x *field, msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "enter", "tab", "down":
		return f.named(x)
	case "up", "shift+tab":
		cmd := f.named(x)
		f.stand(f.at - 1)
		return cmd
	case "ctrl+x":
		return f.leaveOut()
	}
	x.keying.key(msg)
	return nil
}

// named ends the typing of a member's name. One without a name is taken away
// again.
func (f *Form) named(x *field) tea.Cmd {
	name := x.keying.String()
	if name == "" {
		f.drop(x)
		f.layout()
		return nil
	}
	if x.parent.kid(name) != nil {
		f.notice = inline(name, 40) + " exists already; to send it twice, edit the JSON (ctrl-o)"
		return nil
	}
	x.key, x.rawKey, x.keying = name, nil, nil
	sub, allowed := f.book.prop(x.parent.shape, name)
	if !allowed {
		f.notice = "the schema has no property of that name"
	}
	fresh := newMaker(f.book).field(x.parent, sub, nil, true, x.depth())
	fresh.required = true
	newMaker(f.book).fill(fresh, 0)
	fresh.key, fresh.added, fresh.rank, fresh.at, fresh.required = name, true, x.rank, x.at, false
	x.parent.kids[x.at] = fresh
	f.layout()
	f.to(fresh)
	if fresh.sent() {
		return f.changed(fresh)
	}
	return nil
}

// leaveOut takes away what the schema does not name, and leaves out what it
// does.
func (f *Form) leaveOut() tea.Cmd {
	x := f.focus().field
	switch {
	case x == nil || f.focus().kind != fieldRow || x.parent == nil:
		return nil
	case x.added || x.parent.manner == asArray:
		f.drop(x)
	default:
		x.origin, x.kept, x.kids, x.chosen = absent, nil, nil, -1
		if x.text != nil {
			x.text.replace(0, len(x.text.text), nil, false)
		}
		if x.manner == asRaw && x.shape.manner() != asRaw {
			x.manner = x.shape.manner()
		}
	}
	x.parent.touch()
	return f.changed(nil)
}

// drop takes a field away.
func (f *Form) drop(x *field) {
	x.parent.kids = slices.Delete(x.parent.kids, x.at, x.at+1)
	x.parent.number()
}

// moveItem moves an item of an array up or down.
func (f *Form) moveItem(step int) tea.Cmd {
	x := f.focus().field
	for x != nil && (x.parent == nil || x.parent.manner != asArray) {
		x = x.parent
	}
	if x == nil || f.focus().kind != fieldRow {
		f.notice = "only items of an array can be moved"
		return nil
	}
	list, to := x.parent.kids, x.at+step
	if to < 0 || to >= len(list) {
		return nil
	}
	list[x.at], list[to] = list[to], list[x.at]
	x.parent.number()
	return f.changed(x.parent)
}

// rowKind is what a row of the form is.
type rowKind uint8

const (
	fieldRow rowKind = iota
	addRow           // addRow adds an item or a member to its field.
	aboutRow         // aboutRow says what the form is about; it never has the focus.
	sendRow
)

// A row is what the focus moves over.
type row struct {
	kind  rowKind
	field *field // field is nil for aboutRow and sendRow.
	depth int
}

// layout lists the rows again, and keeps the focus where it was.
func (f *Form) layout() {
	var was row
	if f.at < len(f.rows) {
		was = f.rows[f.at]
	}
	f.rows = f.rows[:0]
	if f.cfg.About != "" {
		f.rows = append(f.rows, row{kind: aboutRow})
	}
	if f.root.manner == asObject {
		f.below(f.root, 0)
	} else {
		f.walk(f.root, 0)
	}
	f.rows = append(f.rows, row{kind: sendRow})
	f.at = min(f.at, len(f.rows)-1)
	if f.rows[f.at] == was {
		return
	}
	for i := range f.rows {
		if f.rows[i].kind == was.kind && f.rows[i].field == was.field {
			f.at = i
			return
		}
	}
}

func (f *Form) walk(x *field, depth int) {
	f.rows = append(f.rows, row{fieldRow, x, depth})
	if !x.folded && x.sent() && (x.listed || f.checklist(x) == nil) {
		f.below(x, depth+1)
	}
}

// below lists what is in an object or an array.
func (f *Form) below(x *field, depth int) {
	if x.manner != asObject && x.manner != asArray {
		return
	}
	for _, kid := range x.kids {
		f.walk(kid, depth)
	}
	if x.manner == asArray && x.room() || x.manner == asObject && x.shape.growing() {
		f.rows = append(f.rows, row{addRow, x, depth})
	}
}

// room reports whether an array may have another item.
func (x *field) room() bool {
	s := x.shape
	return len(x.kids) < maxKids && !(s.noItems && len(x.kids) >= len(s.prefix))
}

// growing reports whether an object is made for members of any name.
func (s *shape) growing() bool {
	return s.open || len(s.props) == 0 && !s.closed
}

// focus returns the row that has the focus.
func (f *Form) focus() row { return f.rows[f.at] }

// stand gives the focus to a row, by its place.
func (f *Form) stand(at int) {
	at = max(0, min(at, len(f.rows)-1))
	if f.rows[at].kind == aboutRow {
		at++
	}
	if at != f.at {
		f.menu = nil
		if x := f.focus().field; x != nil && f.focus().kind == fieldRow {
			x.left = true
		}
		if x := f.focus().field; x != nil && x.keying != nil {
			f.named(x)
		}
	}
	f.at = min(at, len(f.rows)-1)
}

// to gives the focus to a field.
func (f *Form) to(x *field) {
	for i := range f.rows {
		if f.rows[i].field == x && f.rows[i].kind == fieldRow {
			f.stand(i)
			return
		}
	}
}

// first gives the focus to the first field that must be filled in and is not;
// where there is none, to the first field; where the schema names none, to the
// sending: a member of one's own is seldom what one came for.
func (f *Form) first() {
	f.at = 0
	fields := 0
	for i, r := range f.rows {
		if r.kind != fieldRow {
			continue
		}
		fields++
		if r.field.required && !r.field.sent() {
			f.at = i
			return
		}
	}
	if fields == 0 && !f.root.shape.open {
		f.at = len(f.rows) - 1
		return
	}
	f.stand(0)
}

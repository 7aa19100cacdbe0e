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

package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

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

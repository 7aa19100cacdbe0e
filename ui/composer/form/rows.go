package form

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

package form

import "wiretea/session/json/tree"

// A maker makes fields.
type maker struct {
	book *book
	left int // left is how many more it makes.
}

func newMaker(b *book) *maker {
	b.patience = maxPatience
	return &maker{book: b, left: maxFields}
}

// field makes a field. v is its value; nil means that there is none, and fresh
// that it is filled with defaults then.
func (m *maker) field(parent *field, sub *ref, v *tree.Node, fresh bool, depth int) *field {
	f := &field{parent: parent, sub: sub, variant: -1, chosen: -1}
	m.left--
	f.base = m.book.openRef(sub)
	f.shape = f.base
	if v != nil {
		m.decode(f, v, given, depth)
		return f
	}
	f.required = fresh && parent == nil // until the parent says so
	m.vary(f, nil)
	f.manner = f.shape.manner()
	return f
}

// fill gives a field without a value what the schema says it has at first: its
// default, its only value, or, where it must be there, an empty object or array.
func (m *maker) fill(f *field, depth int) {
	for _, s := range []*shape{f.base, f.shape} {
		if s.initial == nil {
			continue
		}
		v, err := parse(s.initial)
		if err != nil || v.Kind == tree.Null && f.manner != asNull && !f.required {
			continue // That there is nothing is said by sending nothing, and leaves a field to type in.
		}
		m.decode(f, v, byDefault, depth)
		return
	}
	if !f.required || f.shape.never {
		return
	}
	switch f.manner {
	case asChoice:
		if len(f.shape.choices) == 1 {
			f.chosen, f.origin = 0, byDefault
		}
	case asNull:
		f.origin = byDefault
	case asObject, asArray:
		if depth < maxUnfold && m.left > maxFields-maxFills && (f.manner == asObject || f.shape.minItems > 0) {
			m.begin(f, depth)
			f.origin = byDefault
		}
	case asText, asNumber, asBool, asRaw:
	}
}

// begin gives an object its members and an array the items that it must have,
// empty or with their defaults.
func (m *maker) begin(f *field, depth int) {
	f.kids = nil
	switch f.manner {
	case asObject:
		m.members(f, nil, true, depth)
	case asArray:
		for range min(f.shape.minItems, 10) {
			m.item(f, depth)
		}
	case asText, asNumber, asBool, asNull, asChoice, asRaw:
	}
}

// item adds an item to an array, with its defaults. It is sent whatever is in
// it.
func (m *maker) item(f *field, depth int) *field {
	kid := m.field(f, f.shape.item(len(f.kids)), nil, true, depth+1)
	kid.required = true
	if m.fill(kid, depth+1); kid.manner == asBool && kid.origin == absent {
		kid.origin = byDefault // It is sent, and false is what it is.
	}
	f.kids = append(f.kids, kid)
	f.number()
	return kid
}

// members makes the fields of an object: those of the schema, in its order, and
// those that the value has beside them.
func (m *maker) members(f *field, v *tree.Node, fresh bool, depth int) {
	s := f.shape
	have := map[string]int{}
	if v != nil {
		for i, member := range v.Members {
			have[member.Key] = i
		}
	}
	for i, p := range s.props {
		if m.left <= 0 {
			f.cut = true
			break
		}
		at, there := have[p.name]
		var val *tree.Node
		if there {
			val = v.Members[at].Val
		}
		kid := m.field(f, p.sub, val, fresh, depth+1)
		kid.key, kid.rawKey, kid.required = p.name, p.raw, s.needs[p.name]
		kid.rank = len(have) + i
		if there {
			kid.rank, kid.rawKey = at, v.Members[at].Raw
			delete(have, p.name)
		} else if fresh {
			m.fill(kid, depth+1)
		}
		f.kids = append(f.kids, kid)
	}
	m.others(f, v, have, depth)
	f.cut = f.cut || s.cut
	f.number()
}

// others makes the fields of members that the schema does not name.
func (m *maker) others(f *field, v *tree.Node, have map[string]int, depth int) {
	if v != nil {
		for i := range v.Members {
			member := &v.Members[i]
			if at, left := have[member.Key]; !left || at != i {
				continue
			}
			sub, _ := m.book.prop(f.shape, member.Key)
			kid := m.field(f, sub, member.Val, false, depth+1)
			kid.key, kid.rawKey, kid.added, kid.rank = member.Key, member.Raw, true, i
			kid.required = f.shape.needs[member.Key]
			f.kids = append(f.kids, kid)
		}
	}
	for i, name := range f.shape.extra {
		if _, here := have[name]; here || m.left <= 0 {
			continue
		}
		sub, _ := m.book.prop(f.shape, name)
		kid := m.field(f, sub, nil, true, depth+1)
		kid.key, kid.required, kid.rank = name, true, len(f.shape.props)+len(have)+i
		f.kids = append(f.kids, kid)
	}
}

// decode puts a value into a field. What the field cannot hold as the schema
// wants it becomes raw JSON: nothing is lost.
func (m *maker) decode(f *field, v *tree.Node, from origin, depth int) {
	m.vary(f, v)
	f.origin, f.kept, f.kids, f.text = from, v.Raw, nil, nil
	f.manner = f.shape.holds(v)
	switch f.manner {
	case asText:
		text, _ := v.Text()
		f.text = newEditor(text)
	case asNumber:
		f.text = newEditor(string(v.Raw))
	case asRaw:
		f.text = newEditor(string(indented(v.Raw)))
	case asBool:
		f.yes = v.Raw[0] == 't'
	case asChoice:
		f.chosen = f.shape.choiceOf(v.Raw)
	case asObject:
		if v.Twice || len(v.Members) > maxKids || len(v.Members) > m.left {
			m.raw(f, v)
			return
		}
		f.kept = nil
		m.members(f, v, false, depth)
	case asArray:
		if len(v.Items) > maxKids || len(v.Items) > m.left {
			m.raw(f, v)
			return
		}
		f.kept = nil
		for i, item := range v.Items {
			kid := m.field(f, f.shape.item(i), item, false, depth+1)
			kid.required = true
			f.kids = append(f.kids, kid)
		}
		f.number()
	case asNull:
	}
}

func (m *maker) raw(f *field, v *tree.Node) {
	f.manner, f.text = asRaw, newEditor(string(v.Raw))
}

// vary chooses the alternative that fits a value. It chooses the first if none fits, or
// if v is nil.
func (m *maker) vary(f *field, v *tree.Node) {
	list := m.book.alternatives(f.base)
	if len(list) == 0 {
		return
	}
	f.variant = 0
	if v != nil {
		if f.base.nullable && v.Kind == tree.Null {
			f.variant, f.shape = -1, f.base
			return
		}
		best := -1
		for i, a := range list {
			if score := m.book.fit(m.book.openRef(a.sub), v, 3); score > best {
				best, f.variant = score, i
			}
		}
	}
	f.shape = m.book.openRef(list[f.variant].sub)
}

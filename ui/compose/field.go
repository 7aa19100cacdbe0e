package compose

import (
	"bytes"
	"strconv"
)

// A manner is how a field is filled in.
type manner uint8

const (
	asText manner = iota
	asNumber
	asBool
	asNull
	asChoice
	asObject
	asArray
	asRaw // asRaw is any JSON, typed as text.
)

// origin is where a field's value comes from.
type origin uint8

const (
	absent    origin = iota // absent: it is not sent.
	byDefault               // byDefault: the schema's default or only value stands in it.
	given                   // given: it came with the starting values.
	typed                   // typed: somebody filled it in.
)

// A field is one value of the form.
type field struct {
	parent *field
	key    string // key is its name in an object.
	rawKey []byte // rawKey is the name as it is written; nil = as quote writes it.
	at     int    // at is its place among its parent's fields.
	rank   int    // rank orders the members that are sent.

	sub      *ref   // sub is what the schema says of it,
	base     *shape // base that, opened,
	shape    *shape // and shape base with the alternative that was chosen.
	variant  int    // variant is which one; -1 where there are none.
	required bool
	added    bool // added: it is no member that the schema names, but one that somebody added.

	manner manner
	origin origin
	kept   []byte  // kept is the exact text of the value, as long as nobody edits it.
	text   *editor // text is what is typed, of asText, asNumber and asRaw.
	yes    bool    // yes is the value of asBool,
	chosen int     // chosen that of asChoice; -1 = none.
	kids   []*field
	cut    bool // cut: the schema names more members than there are fields.

	keying *editor // keying is the name of a new member while it is typed.
	folded bool

	problems []string
}

// Bounds of the tree.
const (
	maxKids   = 20_000  // fields of one object or array; what has more is raw JSON
	maxFields = 100_000 // fields that are made at once
	maxUnfold = 4       // levels of required objects that unfold by themselves
	maxFills  = 5000    // fields after which none unfolds by itself any more
)

// A maker makes fields.
type maker struct {
	book *book
	left int // left is how many more it makes.
}

func newMaker(b *book) *maker { return &maker{book: b, left: maxFields} }

// field makes a field. v is its value; nil means that there is none, and fresh
// that it is filled with defaults then.
func (m *maker) field(parent *field, sub *ref, v *value, fresh bool, depth int) *field {
	f := &field{parent: parent, sub: sub, variant: -1, chosen: -1}
	m.left--
	f.base = m.book.openRef(sub)
	f.shape = f.base
	if v == nil && fresh {
		f.required = parent == nil // until the parent says so
	}
	switch {
	case v != nil:
		m.decode(f, v, given, depth)
	default:
		m.vary(f, nil)
		f.manner = f.shape.manner()
	}
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
		if err != nil || v.kind == kindNull && f.manner != asNull && !f.required {
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
	case asObject:
		if depth < maxUnfold && m.left > maxFields-maxFills {
			m.begin(f, depth)
			f.origin = byDefault
		}
	case asArray:
		if depth < maxUnfold && m.left > maxFields-maxFills && f.shape.minItems > 0 {
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
	m.fill(kid, depth+1)
	f.kids = append(f.kids, kid)
	f.number()
	return kid
}

// members makes the fields of an object: those of the schema, in its order, and
// those that the value has beside them.
func (m *maker) members(f *field, v *value, fresh bool, depth int) {
	s := f.shape
	have := map[string]int{}
	if v != nil {
		for i, member := range v.members {
			have[member.key] = i
		}
	}
	for i, p := range s.props {
		if m.left <= 0 {
			f.cut = true
			break
		}
		at, there := have[p.name]
		var val *value
		if there {
			val = v.members[at].val
		}
		kid := m.field(f, p.sub, val, fresh, depth+1)
		kid.key, kid.rawKey, kid.required = p.name, p.raw, s.needs[p.name]
		kid.rank = len(have) + i
		if there {
			kid.rank, kid.rawKey = at, v.members[at].raw
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
func (m *maker) others(f *field, v *value, have map[string]int, depth int) {
	if v != nil {
		for i := range v.members {
			member := &v.members[i]
			if at, left := have[member.key]; !left || at != i {
				continue
			}
			sub, _ := f.shape.prop(member.key)
			kid := m.field(f, sub, member.val, false, depth+1)
			kid.key, kid.rawKey, kid.added, kid.rank = member.key, member.raw, true, i
			kid.required = f.shape.needs[member.key]
			f.kids = append(f.kids, kid)
		}
	}
	for i, name := range f.shape.extra {
		if _, here := have[name]; here || m.left <= 0 {
			continue
		}
		sub, _ := f.shape.prop(name)
		kid := m.field(f, sub, nil, true, depth+1)
		kid.key, kid.required, kid.rank = name, true, len(f.shape.props)+len(have)+i
		f.kids = append(f.kids, kid)
	}
}

// number tells the fields below where they stand.
func (f *field) number() {
	for i, kid := range f.kids {
		kid.at = i
	}
}

// decode puts a value into a field. What the field cannot hold as the schema
// wants it becomes raw JSON: nothing is lost.
func (m *maker) decode(f *field, v *value, from origin, depth int) {
	m.vary(f, v)
	f.origin, f.kept, f.kids, f.text = from, v.raw, nil, nil
	f.manner = f.shape.holds(v)
	switch f.manner {
	case asText:
		text, _ := v.text()
		f.text = newEditor(text)
	case asNumber:
		f.text = newEditor(string(v.raw))
	case asRaw:
		f.text = newEditor(string(indented(v.raw)))
	case asBool:
		f.yes = v.raw[0] == 't'
	case asChoice:
		f.chosen = f.shape.choiceOf(v.raw)
	case asObject:
		if v.twice || len(v.members) > maxKids || len(v.members) > m.left {
			m.raw(f, v)
			return
		}
		f.kept = nil
		m.members(f, v, false, depth)
	case asArray:
		if len(v.items) > maxKids || len(v.items) > m.left {
			m.raw(f, v)
			return
		}
		f.kept = nil
		for i, item := range v.items {
			kid := m.field(f, f.shape.item(i), item, false, depth+1)
			kid.required = true
			f.kids = append(f.kids, kid)
		}
		f.number()
	case asNull:
	}
}

func (m *maker) raw(f *field, v *value) {
	f.manner, f.text = asRaw, newEditor(string(v.raw))
}

// vary chooses the alternative that fits a value, the first where none does or
// there is no value.
func (m *maker) vary(f *field, v *value) {
	list := m.book.alternatives(f.base)
	if len(list) == 0 {
		return
	}
	f.variant = 0
	if v != nil {
		if f.base.nullable && v.kind == kindNull {
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

// fit says how well a value fits a shape: 0 is not at all.
func (b *book) fit(s *shape, v *value, depth int) int {
	if s.never || !s.allows(v) {
		return 0
	}
	score := 4
	if s.choices != nil && s.choiceOf(v.raw) < 0 {
		return 0
	}
	if v.kind != kindObject || depth == 0 {
		return score
	}
	have := map[string]bool{}
	for _, member := range v.members[:min(len(v.members), 200)] {
		have[member.key] = true
		i, known := s.index[member.key]
		switch {
		case known:
			sub := b.openRef(s.props[i].sub)
			switch fits := b.fit(sub, member.val, depth-1) > 0; {
			case !fits && sub.fixed:
				return 1 // It is the member that tells the alternatives apart.
			case !fits:
				score--
			case sub.fixed:
				score += 6
			default:
				score += 2
			}
		case s.closed:
			score--
		}
	}
	for _, name := range s.required {
		if !have[name] {
			return min(score, 2)
		}
	}
	return max(score, 3)
}

// allows reports whether the type of a value is one that the shape allows.
func (s *shape) allows(v *value) bool {
	switch v.kind {
	case kindNull:
		return s.allowed&typeNull != 0 || s.nullable
	case kindBool:
		return s.allowed&typeBool != 0
	case kindNumber:
		return s.allowed&typeNumber != 0 || s.allowed&typeInteger != 0 && isInteger(v.raw)
	case kindString:
		return s.allowed&typeString != 0
	case kindArray:
		return s.allowed&typeArray != 0
	case kindObject:
		return s.allowed&typeObject != 0
	}
	return false
}

// manner is how a value of this shape is filled in.
func (s *shape) manner() manner {
	if s.why != "" || s.never {
		return asRaw
	}
	if s.choices != nil {
		return asChoice
	}
	first := s.first
	if first == 0 || first&s.allowed == 0 {
		first = 0
		if s.named {
			for _, n := range typeNames {
				if s.allowed&n.t != 0 {
					first = n.t
					break
				}
			}
		}
	}
	switch first {
	case typeNull:
		return asNull
	case typeBool:
		return asBool
	case typeInteger, typeNumber:
		return asNumber
	case typeString:
		return asText
	case typeArray:
		return asArray
	case typeObject:
		return asObject
	}
	return asRaw
}

// holds is how a value is filled in that is there already.
func (s *shape) holds(v *value) manner {
	switch {
	case s.why != "" || s.never || v.deep:
		return asRaw
	case s.choices != nil && s.choiceOf(v.raw) >= 0:
		return asChoice
	}
	switch v.kind {
	case kindNull:
		return asNull
	case kindBool:
		return asBool
	case kindNumber:
		if s.allowed&(typeNumber|typeInteger) == 0 {
			return asRaw
		}
		return asNumber
	case kindString:
		if s.allowed&typeString == 0 {
			return asRaw
		}
		return asText
	case kindArray:
		if s.allowed&typeArray == 0 || s.first == 0 && !s.arrayWords {
			return asRaw
		}
		return asArray
	case kindObject:
		if s.allowed&typeObject == 0 || s.first == 0 && !s.objectWords && !s.named {
			return asRaw
		}
		return asObject
	}
	return asRaw
}

// choiceOf finds a value among the choices; -1 where it is none.
func (s *shape) choiceOf(raw []byte) int {
	for i := range s.choices {
		if bytes.Equal(s.choices[i].raw, raw) {
			return i
		}
	}
	return -1
}

// name is what the field is called, fit for the screen.
func (f *field) name() string {
	switch {
	case f.parent == nil:
		return "value"
	case f.parent.manner == asArray:
		return strconv.Itoa(f.at + 1)
	}
	return inline(f.key, maxName)
}

// path are the names that lead to the field, exactly.
func (f *field) path() []string {
	if f.parent == nil {
		return nil
	}
	if f.parent.manner == asArray {
		return append(f.parent.path(), strconv.Itoa(f.at))
	}
	return append(f.parent.path(), f.key)
}

// touch notes that somebody filled the field in: it is sent, and so is all that
// it stands in.
func (f *field) touch() {
	f.origin, f.kept = typed, nil
	for p := f.parent; p != nil; p = p.parent {
		if p.origin == absent || p.origin == byDefault {
			p.origin = typed
		}
	}
}

// depth is how many fields it stands in.
func (f *field) depth() int {
	n := 0
	for p := f.parent; p != nil; p = p.parent {
		n++
	}
	return n
}

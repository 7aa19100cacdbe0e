package form

import (
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
	byDefault               // byDefault: the schema's default or only value is in it.
	given                   // given: it came with the starting values.
	typed                   // typed: the user filled it in.
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
	added    bool // added: it is a member that the user added and the schema does not name.

	manner manner
	origin origin
	kept   []byte  // kept is the exact text of the value, until it is edited.
	text   *editor // text is what is typed, of asText, asNumber and asRaw.
	yes    bool    // yes is the value of asBool,
	chosen int     // chosen that of asChoice; -1 = none.
	kids   []*field
	cut    bool // cut: the schema names more members than there are fields.

	keying *editor // keying is the name of a new member while it is typed.
	folded bool
	listed bool // listed: the items of a check list are shown one by one.

	left     bool // left: the user has changed it, or has moved on from it.
	problems []string
}

// Bounds of the tree.
const (
	maxKids   = 20_000  // fields of one object or array; what has more is raw JSON
	maxFields = 100_000 // fields that are made at once
	maxUnfold = 4       // levels of required objects that unfold by themselves
	maxFills  = 5000    // fields after which none unfolds by itself any more
)

// number tells the fields below where they are.
func (f *field) number() {
	for i, kid := range f.kids {
		kid.at = i
	}
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

// touch notes that the user filled the field in: it is sent, and so is all that
// it is in.
func (f *field) touch() {
	f.origin, f.kept, f.left = typed, nil, true
	for p := f.parent; p != nil; p = p.parent {
		if p.origin == absent || p.origin == byDefault {
			p.origin = typed
		}
	}
}

// depth is how many fields it is in.
func (f *field) depth() int {
	n := 0
	for p := f.parent; p != nil; p = p.parent {
		n++
	}
	return n
}

package form

import (
	"bytes"
	"slices"

	"wiretea/session/json/schema"
	"wiretea/session/json/tree"
)

// fit says how well a value fits a shape: 0 is not at all.
func (b *book) fit(s *shape, v *tree.Node, depth int) int {
	if s.never || !s.allows(v) {
		return 0
	}
	score := 4
	if s.choices != nil && s.choiceOf(v.Raw) < 0 {
		return 0
	}
	if v.Kind != tree.Object || depth == 0 {
		return score
	}
	have := map[string]bool{}
	for _, member := range v.Members[:min(len(v.Members), 200)] {
		have[member.Key] = true
		i, known := s.index[member.Key]
		switch {
		case known:
			sub := b.openRef(s.props[i].sub)
			switch fits := b.fit(sub, member.Val, depth-1) > 0; {
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
func (s *shape) allows(v *tree.Node) bool {
	switch {
	case v.Kind == tree.Null && s.nullable:
		return true
	case v.Kind == tree.Number && s.allowed&typeNumber == 0:
		return s.allowed&typeInteger != 0 && schema.IsInteger(v.Raw)
	}
	return s.allowed&kinds[v.Kind].types != 0
}

// kinds are the types that a kind of value has, and how values of them are filled in.
var kinds = [...]struct {
	types  types
	manner manner
}{
	tree.Null: {typeNull, asNull}, tree.Bool: {typeBool, asBool}, tree.Number: {typeInteger | typeNumber, asNumber},
	tree.String: {typeString, asText}, tree.Array: {typeArray, asArray}, tree.Object: {typeObject, asObject},
}

// manner is how a value of a type is filled in; as raw JSON where there is no type.
func (t types) manner() manner {
	for _, k := range kinds {
		if t&k.types != 0 {
			return k.manner
		}
	}
	return asRaw
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
	return first.manner()
}

// holds is how a value is filled in that is there already.
func (s *shape) holds(v *tree.Node) manner {
	switch {
	case s.why != "" || s.never || v.Deep:
		return asRaw
	case s.choices != nil && s.choiceOf(v.Raw) >= 0:
		return asChoice
	case v.Kind == tree.Null, v.Kind == tree.Bool:
	case s.allowed&kinds[v.Kind].types == 0,
		v.Kind == tree.Array && s.first == 0 && !s.arrayWords,
		v.Kind == tree.Object && s.first == 0 && !s.objectWords && !s.named:
		return asRaw
	}
	return kinds[v.Kind].manner
}

// choiceOf finds a value among the choices; -1 where it is none.
func (s *shape) choiceOf(raw []byte) int {
	return slices.IndexFunc(s.choices, func(c choice) bool { return bytes.Equal(c.raw, raw) })
}

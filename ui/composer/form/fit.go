package form

import (
	"bytes"

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
	switch v.Kind {
	case tree.Null:
		return s.allowed&typeNull != 0 || s.nullable
	case tree.Bool:
		return s.allowed&typeBool != 0
	case tree.Number:
		return s.allowed&typeNumber != 0 || s.allowed&typeInteger != 0 && schema.IsInteger(v.Raw)
	case tree.String:
		return s.allowed&typeString != 0
	case tree.Array:
		return s.allowed&typeArray != 0
	case tree.Object:
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
func (s *shape) holds(v *tree.Node) manner {
	switch {
	case s.why != "" || s.never || v.Deep:
		return asRaw
	case s.choices != nil && s.choiceOf(v.Raw) >= 0:
		return asChoice
	}
	switch v.Kind {
	case tree.Null:
		return asNull
	case tree.Bool:
		return asBool
	case tree.Number:
		if s.allowed&(typeNumber|typeInteger) == 0 {
			return asRaw
		}
		return asNumber
	case tree.String:
		if s.allowed&typeString == 0 {
			return asRaw
		}
		return asText
	case tree.Array:
		if s.allowed&typeArray == 0 || s.first == 0 && !s.arrayWords {
			return asRaw
		}
		return asArray
	case tree.Object:
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

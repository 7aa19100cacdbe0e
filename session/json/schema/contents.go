package schema

import (
	"wiretea/session/json/tree"
)

// Keywords of objects.

// eachMember judges the members of an object, until there is nothing more to look
// for.
func (e *evaluation) eachMember(v *tree.Node, judge func(i int, m *tree.Member) verdict) verdict {
	is := valid
	members := e.members(v)
	e.left -= int64(len(members)) / 4
	for i := range members {
		if is = max(is, judge(i, &members[i])); e.ends(is) {
			break
		}
	}
	return is
}

// ends reports whether there is nothing more to look for.
func (e *evaluation) ends(is verdict) bool { return e.left < 0 || is == invalid && !e.record }

func (e *evaluation) properties(w *word, v *tree.Node, out *evaluated) verdict {
	return e.eachMember(v, func(i int, m *tree.Member) verdict {
		b := w.named[m.Key]
		if b == nil {
			return valid
		}
		out.mark(i)
		return e.member(b, m)
	})
}

func (e *evaluation) patternProperties(w *word, v *tree.Node, out *evaluated) verdict {
	return e.eachMember(v, func(i int, m *tree.Member) verdict {
		is := valid
		for k := range w.val.Members {
			matches, known := e.s.Matches(w.val.Members[k].Key, m.Key, &e.left)
			switch {
			case !known:
				if is = max(is, e.unsure("the pattern %.80q is not supported", w.val.Members[k].Key)); out != nil {
					out.unsure = true
				}
			case matches:
				out.mark(i)
				is = max(is, e.member(w.list[k], m))
			}
			if e.ends(is) {
				break
			}
		}
		return is
	})
}

func (e *evaluation) additionalProperties(w *word, v *tree.Node, out *evaluated) verdict {
	named, patterns := w.beside.word("properties"), w.beside.word("patternProperties")
	unsure := w.beside.faulty("properties", "patternProperties")
	return e.eachMember(v, func(i int, m *tree.Member) verdict {
		if named != nil && named.named[m.Key] != nil {
			return valid
		}
		matches, known := e.matchesAny(patterns, m.Key)
		if matches {
			return valid
		}
		out.mark(i)
		return e.additional(w, m, unsure || !known)
	})
}

// faulty reports whether one of these keywords is there and cannot be read.
func (b *sub) faulty(names ...string) bool {
	for i := range b.words {
		for _, name := range names {
			if b.words[i].name == name && b.words[i].fault != "" {
				return true
			}
		}
	}
	return false
}

// matchesAny reports whether a name matches one of the patterns of a
// patternProperties, which may be nil.
func (e *evaluation) matchesAny(patterns *word, name string) (matches, known bool) {
	known = true
	if patterns == nil {
		return false, true
	}
	for k := range patterns.val.Members {
		m, sure := e.s.Matches(patterns.val.Members[k].Key, name, &e.left)
		if m {
			return true, true
		}
		known = known && sure
	}
	return false, known
}

// additional holds a member that other keywords do not describe against the schema
// for such. unsure: they may describe it.
func (e *evaluation) additional(w *word, m *tree.Member, unsure bool) verdict {
	switch {
	case unsure && e.aside(w.sub, m.Val, nil) != valid:
		return e.unsure("%s depends on what is not known", w.name)
	case unsure:
		return valid
	case isFalse(w.sub):
		return e.failAt(w, m.Key, "additional property not allowed")
	}
	return e.member(w.sub, m)
}

func isFalse(b *sub) bool { return b.node.Kind == tree.Bool && b.node.Raw[0] == 'f' }

func (e *evaluation) unevaluatedProperties(w *word, v *tree.Node, out *evaluated) verdict {
	return e.eachMember(v, func(i int, m *tree.Member) verdict {
		if out.seen[i] {
			return valid
		}
		out.mark(i)
		return e.additional(w, m, out.unsure)
	})
}

func (e *evaluation) propertyNames(w *word, v *tree.Node, _ *evaluated) verdict {
	return e.eachMember(v, func(_ int, m *tree.Member) verdict {
		from := len(e.problems)
		is := e.member(w.sub, &tree.Member{Key: m.Key, Val: &tree.Node{Kind: tree.String, Raw: m.Raw}})
		for k := from; k < len(e.problems); k++ {
			e.problems[k].Text = "the name " + e.problems[k].Text
		}
		return is
	})
}

func (e *evaluation) required(w *word, v *tree.Node, _ *evaluated) verdict {
	return e.needs(w, w.val, v, "is required")
}

// needs fails for each of a list of names that a value does not have.
func (e *evaluation) needs(w *word, names, v *tree.Node, format string, args ...any) verdict {
	is := valid
	for _, n := range names.Items {
		name, _ := n.Text()
		if e.left--; e.index.Get(v, name) == nil {
			is = e.failAt(w, name, format, args...)
		}
		if e.ends(is) {
			break
		}
	}
	return is
}

// dependencies judges dependentRequired and dependentSchemas too: what belongs to a
// name is a list of names, or a schema.
func (e *evaluation) dependencies(w *word, v *tree.Node, out *evaluated) verdict {
	is := valid
	for i := range w.val.Members {
		m := &w.val.Members[i]
		switch e.left--; {
		case e.index.Get(v, m.Key) == nil:
		case m.Val.Kind == tree.Array:
			is = max(is, e.needs(w, m.Val, v, "is required beside %.80q", m.Key))
		default:
			is = max(is, e.schema(w.list[i], v, out))
		}
	}
	return is
}

// Keywords of arrays.

func (e *evaluation) prefixItems(w *word, v *tree.Node, out *evaluated) verdict {
	is := valid
	for i := range min(len(v.Items), len(w.list)) {
		out.mark(i)
		if is = max(is, e.item(w.list[i], v, i)); e.ends(is) {
			break
		}
	}
	return is
}

// rest holds the items from one on against the schema for them, but those that were
// seen.
func (e *evaluation) rest(w *word, v *tree.Node, out *evaluated, from int, seen []bool) verdict {
	is := valid
	for i := from; i < len(v.Items) && !e.ends(is); i++ {
		switch {
		case seen != nil && seen[i]:
			continue
		case isFalse(w.sub):
			e.path = append(e.path, step{item: i})
			is = e.fail(w, w.val, "additional item not allowed")
			e.path = e.path[:len(e.path)-1]
		default:
			is = max(is, e.item(w.sub, v, i))
		}
		out.mark(i)
	}
	return is
}

func (e *evaluation) items(w *word, v *tree.Node, out *evaluated) verdict {
	from := 0
	if prefix := w.beside.word("prefixItems"); prefix != nil {
		from = len(prefix.list)
	} else if w.beside.faulty("prefixItems") {
		return e.unsure("%s depends on a keyword that cannot be evaluated", w.name)
	}
	return e.rest(w, v, out, from, nil)
}

func (e *evaluation) itemsOrList(w *word, v *tree.Node, out *evaluated) verdict {
	if w.sub == nil {
		return e.prefixItems(w, v, out)
	}
	return e.rest(w, v, out, 0, nil)
}

func (e *evaluation) additionalItems(w *word, v *tree.Node, out *evaluated) verdict {
	if first := w.beside.word("items"); first != nil && first.sub == nil {
		return e.rest(w, v, out, len(first.list), nil)
	}
	return valid
}

func (e *evaluation) contains(w *word, v *tree.Node, out *evaluated) verdict {
	least, most := 1, len(v.Items)
	if m := w.beside.word("minContains"); m != nil {
		least = m.n
	}
	if m := w.beside.word("maxContains"); m != nil {
		most = m.n
	}
	if w.beside.faulty("minContains", "maxContains") {
		return e.unsure("%s depends on a keyword that cannot be evaluated", w.name)
	}
	has, may := 0, 0
	for i, item := range v.Items {
		switch e.aside(w.sub, item, nil) {
		case valid:
			has++
			out.mark(i)
		case unknown:
			if may++; out != nil {
				out.unsure = true
			}
		case invalid:
		}
	}
	switch {
	case has+may < least && has == 0:
		return e.fail(w, w.val, "has no item that matches contains")
	case has+may < least:
		return e.fail(w, w.val, "has too few items that match contains: %d, must be at least %d", has, least)
	case has > most:
		return e.fail(w, w.val, "has too many items that match contains: %d, must be at most %d", has, most)
	case has < least || has+may > most:
		return unknown
	}
	return valid
}

func (e *evaluation) unique(w *word, v *tree.Node, _ *evaluated) verdict {
	if w.val.Raw[0] != 't' {
		return valid
	}
	is := valid
	seen := make(map[string]int, len(v.Items))
	for i, item := range v.Items {
		e.left -= 2 + int64(len(item.Raw))/16
		text := string(e.canonical(nil, item))
		if first, twice := seen[text]; twice {
			e.path = append(e.path, step{item: i})
			is = e.fail(w, w.val, "is the same as item %d, all must differ", first+1)
			e.path = e.path[:len(e.path)-1]
		} else {
			seen[text] = i
		}
		if e.ends(is) {
			break
		}
	}
	return is
}

func (e *evaluation) unevaluatedItems(w *word, v *tree.Node, out *evaluated) verdict {
	if !out.unsure {
		return e.rest(w, v, out, 0, out.seen)
	}
	record := e.record
	e.record = false
	is := e.rest(w, v, out, 0, out.seen)
	if e.record = record; is != valid {
		is = e.unsure("%s depends on what is not known", w.name)
	}
	return is
}

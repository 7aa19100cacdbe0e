package keys

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// A Map says which keys do what: the Table with the keys that the user has chosen. The
// zero Map is the Table. A Map is never changed.
type Map struct{ bindings []Binding }

// All are the bindings, in the order of the Table. They must not be changed.
func (m Map) All() iter.Seq[*Binding] {
	return func(yield func(*Binding) bool) {
		bindings := m.bindings
		if bindings == nil {
			bindings = Table
		}
		for i := range bindings {
			if !yield(&bindings[i]) {
				return
			}
		}
	}
}

// Rebind returns the Table with other keys for actions, by the actions' names: "pair" =
// ["o", "enter"]. Actions that do not exist, and keys that another action has in the same
// place, are left out and said in the error.
func Rebind(changes map[string][]string) (Map, error) {
	m := Map{slices.Clone(Table)}
	var faults []error
	for name, keys := range changes {
		i := slices.IndexFunc(m.bindings, func(b Binding) bool { return string(b.Action) == name })
		switch {
		case i < 0:
			faults = append(faults, fmt.Errorf("unknown action %q", name))
		case len(keys) == 0:
			faults = append(faults, fmt.Errorf("%s has no key", name))
		default:
			old := m.bindings[i].Keys
			m.bindings[i].Keys = slices.Clone(keys)
			if err := m.clash(); err != nil {
				m.bindings[i].Keys = old
				faults = append(faults, err)
			}
		}
	}
	return m, errors.Join(faults...)
}

// clash returns an error where one key does two things in one place, or is both
// a key and the beginning of a chord there.
func (m Map) clash() error {
	scopes := map[Scope]bool{}
	for b := range m.All() {
		for _, s := range b.Scopes {
			scopes[s] = true
		}
	}
	for scope := range scopes {
		seen := map[string]Action{}
		for b := range m.All() {
			if !b.holds(scope) {
				continue
			}
			for _, k := range b.Keys {
				if other, taken := seen[k]; taken && other != b.Action {
					return fmt.Errorf("the key %s does both %s and %s in %s", k, other, b.Action, scope)
				}
				if m.Begins(k, scope) {
					return fmt.Errorf("the key %s does %s and begins another in %s", k, b.Action, scope)
				}
				seen[k] = b.Action
			}
		}
	}
	return nil
}

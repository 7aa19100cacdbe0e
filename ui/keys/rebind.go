package keys

import (
	"errors"
	"fmt"
	"slices"
)

// Rebind replaces the keys of actions, by the actions' names: "pair" = ["o",
// "enter"]. It is called once, before the screen begins. Actions that do not
// exist, and keys that another action has in the same place, are left out and
// said in the error.
func Rebind(changes map[string][]string) error {
	var faults []error
	for name, keys := range changes {
		i := slices.IndexFunc(Table, func(b Binding) bool { return string(b.Action) == name })
		switch {
		case i < 0:
			faults = append(faults, fmt.Errorf("unknown action %q", name))
		case len(keys) == 0:
			faults = append(faults, fmt.Errorf("%s has no key", name))
		default:
			old := Table[i].Keys
			Table[i].Keys = slices.Clone(keys)
			if err := clash(); err != nil {
				Table[i].Keys = old
				faults = append(faults, err)
			}
		}
	}
	return errors.Join(faults...)
}

// clash returns an error where one key does two things in one place, or is both
// a key and the beginning of a chord there.
func clash() error {
	for scope := Global; scope < NumScopes; scope++ {
		seen := map[string]Action{}
		for i := range Table {
			b := &Table[i]
			if !slices.Contains(b.Scopes, scope) {
				continue
			}
			for _, k := range b.Keys {
				if other, taken := seen[k]; taken && other != b.Action {
					return fmt.Errorf("the key %s does both %s and %s in %s", k, other, b.Action, scope)
				}
				if Begins(k, scope) {
					return fmt.Errorf("the key %s does %s and begins another in %s", k, b.Action, scope)
				}
				seen[k] = b.Action
			}
		}
	}
	return nil
}

package keys

import (
	"slices"
	"strings"

	"wiretea/session/lazy"
)

// Lookup returns the action of a key, or of a chord written "y p", in a scope. A
// pane's binding goes before one that holds everywhere.
func (m Map) Lookup(key string, scope Scope) (Action, bool) {
	global := Action("")
	for b := range m.All() {
		if !slices.Contains(b.Keys, key) {
			continue
		}
		if b.holds(scope) {
			return b.Action, true
		}
		if slices.Contains(b.Scopes, Global) {
			global = b.Action
		}
	}
	return global, global != ""
}

// Unplayed is what an action is where nothing can be played.
func Unplayed(a Action) Action {
	if a == Play {
		return PageDown
	}
	return a
}

// Moving returns the action of a key in a text or a list over the panes, where the
// keys that move in panes move too.
func (m Map) Moving(key string) Action {
	action, _ := m.Lookup(key, Stats)
	return Unplayed(action)
}

// Begins reports whether a key is the first of a chord in a scope.
func (m Map) Begins(key string, scope Scope) bool {
	for b := range m.All() {
		if !b.In(scope) {
			continue
		}
		for _, k := range b.Keys {
			if first, _, chord := strings.Cut(k, " "); chord && first == key {
				return true
			}
		}
	}
	return false
}

// Find returns the binding of an action, in that scope where it has several; nil
// where it has none.
func (m Map) Find(a Action, scope Scope) *Binding {
	var found *Binding
	for b := range m.All() {
		if b.Action != a {
			continue
		}
		if found == nil || b.holds(scope) {
			found = b
		}
	}
	return found
}

// WordOf returns the first key of an action in a scope as people write it; the
// action's own name where it has no key.
func (m Map) WordOf(a Action, scope Scope) string {
	if b := m.Find(a, scope); b != nil && len(b.Keys) > 0 {
		return Word(b.Keys[0])
	}
	return string(a)
}

// Named returns the binding with that name after ":"; nil where there is none.
func (m Map) Named(name string) *Binding {
	for b := range m.All() {
		if b.Name == name && name != "" {
			return b
		}
	}
	return nil
}

// holds reports whether the binding is one of a scope.
func (b *Binding) holds(scope Scope) bool {
	if slices.Contains(b.Scopes, scope) {
		return true
	}
	pane := scope != Global && scope != Home && scope != Composer
	return pane && slices.Contains(b.Scopes, Panes)
}

// In reports whether the binding holds in a scope, or everywhere.
func (b *Binding) In(scope Scope) bool {
	return b.holds(scope) || slices.Contains(b.Scopes, Global)
}

var arrowWords = lazy.Value[map[string]string]{New: func() map[string]string {
	return map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
}}

var modifierWords = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer {
	return strings.NewReplacer("ctrl+", "ctrl-", "shift+", "shift-", "alt+", "alt-", " ", "")
}}

// Words writes a binding's keys for people: "j ↓".
func (b *Binding) Words() string {
	words := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		words[i] = Word(k)
	}
	return strings.Join(words, " ")
}

// Word writes one key for people: "ctrl-d", "↓", "yy".
func Word(key string) string {
	if word, ok := arrowWords.Get()[key]; ok {
		return word
	}
	return modifierWords.Get().Replace(key)
}

package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"wiretea/session/lazy"
)

// edits are what the keys do in a text, by their names.
var edits = lazy.Value[map[string]func(*editor)]{New: func() map[string]func(*editor) {
	return byKey(map[string]func(*editor){
		"left ctrl+b":                         func(e *editor) { e.move(e.before(e.at)) },
		"right ctrl+f":                        func(e *editor) { e.move(e.after(e.at)) },
		"home ctrl+a":                         func(e *editor) { e.move(e.lineStart(e.at)) },
		"end ctrl+e":                          func(e *editor) { e.move(e.lineEnd(e.at)) },
		"ctrl+left alt+left alt+b":            func(e *editor) { e.move(e.wordBefore(e.at)) },
		"ctrl+right alt+right alt+f":          func(e *editor) { e.move(e.wordAfter(e.at)) },
		"backspace ctrl+h":                    func(e *editor) { e.remove(e.before(e.at), e.at) },
		"delete ctrl+d":                       func(e *editor) { e.remove(e.at, e.after(e.at)) },
		"ctrl+w alt+backspace ctrl+backspace": func(e *editor) { e.remove(e.wordBefore(e.at), e.at) },
		"alt+d ctrl+delete":                   func(e *editor) { e.remove(e.at, e.wordAfter(e.at)) },
		"ctrl+u":                              func(e *editor) { e.remove(e.lineStart(e.at), e.at) },
		"ctrl+k":                              func(e *editor) { e.remove(e.at, e.lineEnd(e.at)) },
		"ctrl+_ ctrl+/":                       (*editor).undo,
		"ctrl+y":                              (*editor).redo,
		"ctrl+j alt+enter shift+enter":        func(e *editor) { e.insert("\n") },
	})
}}

// byKey splits the names of keys that do the same.
func byKey(table map[string]func(*editor)) map[string]func(*editor) {
	out := map[string]func(*editor){}
	for keys, do := range table {
		for name := range strings.FieldsSeq(keys) {
			out[name] = do
		}
	}
	return out
}

func (e *editor) move(to int) { e.at, e.want = to, -1 }

func (e *editor) remove(from, to int) {
	if from < to {
		e.replace(from, to, nil, false)
	}
}

// key carries out a key. It reports whether the key was for the text, and
// whether the text has changed.
func (e *editor) key(msg tea.KeyPressMsg) (mine, changed bool) {
	if do, ok := edits.Get()[msg.String()]; ok {
		was := e.changes
		do(e)
		return true, e.changes != was
	}
	if msg.Text == "" || msg.Mod&(tea.ModCtrl|tea.ModAlt) != 0 && msg.Mod&(tea.ModCtrl|tea.ModAlt) != tea.ModCtrl|tea.ModAlt {
		return false, false
	}
	e.insert(msg.Text)
	return true, true
}

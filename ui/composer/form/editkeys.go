package form

import (
	tea "charm.land/bubbletea/v2"
)

// edits are what the keys do in a text, by their names.
var edits = map[string]func(*editor){
	"left":           func(e *editor) { e.move(e.before(e.at)) },
	"ctrl+b":         func(e *editor) { e.move(e.before(e.at)) },
	"right":          func(e *editor) { e.move(e.after(e.at)) },
	"ctrl+f":         func(e *editor) { e.move(e.after(e.at)) },
	"home":           func(e *editor) { e.move(e.lineStart(e.at)) },
	"ctrl+a":         func(e *editor) { e.move(e.lineStart(e.at)) },
	"end":            func(e *editor) { e.move(e.lineEnd(e.at)) },
	"ctrl+e":         func(e *editor) { e.move(e.lineEnd(e.at)) },
	"ctrl+left":      func(e *editor) { e.move(e.wordBefore(e.at)) },
	"alt+left":       func(e *editor) { e.move(e.wordBefore(e.at)) },
	"alt+b":          func(e *editor) { e.move(e.wordBefore(e.at)) },
	"ctrl+right":     func(e *editor) { e.move(e.wordAfter(e.at)) },
	"alt+right":      func(e *editor) { e.move(e.wordAfter(e.at)) },
	"alt+f":          func(e *editor) { e.move(e.wordAfter(e.at)) },
	"backspace":      func(e *editor) { e.remove(e.before(e.at), e.at) },
	"ctrl+h":         func(e *editor) { e.remove(e.before(e.at), e.at) },
	"delete":         func(e *editor) { e.remove(e.at, e.after(e.at)) },
	"ctrl+d":         func(e *editor) { e.remove(e.at, e.after(e.at)) },
	"ctrl+w":         func(e *editor) { e.remove(e.wordBefore(e.at), e.at) },
	"alt+backspace":  func(e *editor) { e.remove(e.wordBefore(e.at), e.at) },
	"ctrl+backspace": func(e *editor) { e.remove(e.wordBefore(e.at), e.at) },
	"alt+d":          func(e *editor) { e.remove(e.at, e.wordAfter(e.at)) },
	"ctrl+delete":    func(e *editor) { e.remove(e.at, e.wordAfter(e.at)) },
	"ctrl+u":         func(e *editor) { e.remove(e.lineStart(e.at), e.at) },
	"ctrl+k":         func(e *editor) { e.remove(e.at, e.lineEnd(e.at)) },
	"ctrl+_":         (*editor).undo,
	"ctrl+/":         (*editor).undo,
	"ctrl+y":         (*editor).redo,
	"ctrl+j":         func(e *editor) { e.insert("\n") },
	"alt+enter":      func(e *editor) { e.insert("\n") },
	"shift+enter":    func(e *editor) { e.insert("\n") },
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
	if do, ok := edits[msg.String()]; ok {
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

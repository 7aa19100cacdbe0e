package form

// A Key is a row of the table of the form's keys.
type Key struct {
	Keys []string // Keys are as Bubble Tea names them; several = any of them.
	Help string   // Help is what they do, in a few words, lower case.
	Hint string   // Hint is one or two words for a footer; empty = not shown there.
	Mode []Mode   // Mode is where they hold; nil = everywhere.
}

var (
	inFields = []Mode{Fields}
	inText   = []Mode{Raw, Malformed}
)

// Table lists the form's keys, in the order of a help. Letters type. What a text
// takes (arrows, home, end, words, undo) holds wherever there is one. The table
// must not be changed.
var Table = []Key{
	{[]string{"ctrl+s", "ctrl+enter"}, "send, even if something is wrong", "send", nil},
	{[]string{"esc"}, "close the menu; leave the form", "leave", nil},
	{[]string{"ctrl+o", "f2"}, "the next mode: form, raw JSON, malformed bytes", "raw", nil},

	{[]string{"tab", "down"}, "to the next field", "field", inFields},
	{[]string{"shift+tab", "up"}, "to the previous field", "", inFields},
	{[]string{"enter"}, "choose, toggle, unfold, add, send; in a text: to the next field", "", inFields},
	{[]string{"space"}, "toggle, choose, unfold", "", inFields},
	{[]string{"left", "right"}, "previous, next choice; fold, unfold; show a check list as items", "", inFields},
	{[]string{"ctrl+t"}, "ways to fill the field in: another type or variant, empty string, null, raw JSON, the default", "ways", inFields},
	{[]string{"ctrl+x"}, "do not send the field; remove an item or an added member", "leave out", inFields},
	{[]string{"ctrl+n"}, "add an item or a member", "add", inFields},
	{[]string{"alt+up", "alt+down"}, "move an item", "", inFields},
	{[]string{"alt+e"}, "to the next field with a problem", "", inFields},
	{[]string{"ctrl+space"}, "ask the server for candidates", "", inFields},
	{[]string{"pgup", "pgdown"}, "up, down a page", "", inFields},
	{[]string{"ctrl+home", "ctrl+end"}, "to the first field, to the button", "", inFields},

	{[]string{"ctrl+j", "alt+enter", "shift+enter"}, "insert a line feed", "", nil},
	{[]string{"ctrl+left", "ctrl+right", "alt+b", "alt+f"}, "by a word", "", nil},
	{[]string{"home", "end", "ctrl+a", "ctrl+e"}, "to the start, to the end of the line", "", nil},
	{[]string{"ctrl+w", "alt+d"}, "delete the word before, the word behind", "", nil},
	{[]string{"ctrl+u", "ctrl+k"}, "delete to the start, to the end of the line", "", nil},
	{[]string{"ctrl+_", "ctrl+y"}, "undo, redo", "", nil},
	{[]string{"enter", "tab"}, "insert a line feed, two spaces", "", inText},
}

// Package keys is the table of everything that can be done on the screen: the action,
// the keys that do it, the panes in which they do it, its name after ":" and the text
// of the help. The bindings, the help, the commands, the hints in the footer and
// docs/keys.md are made from this table. Its order is that of the help.
package keys

// Package keys is the table of everything a person can do on the screen: the
// action, the keys that do it, where they do it, its name after ":" and what the
// help says. The bindings, the help, the commands, the hints in the footer and
// docs/keys.md all come from this one table.
package keys

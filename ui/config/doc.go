// Package config reads and writes the user's settings: theme, format of times, notices,
// layout, limits and keys in ~/.config/wiretea/config.toml, and the state of the panes,
// which the program keeps itself, in state.toml beside it.
//
// A mistake in a file does not keep the program from starting: the rest of the file
// is used, and the mistake is reported.
package config

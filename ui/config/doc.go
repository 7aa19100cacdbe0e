// Package config reads and writes the user's settings: ~/.config/wiretea/config.toml, with
// theme, format of times, limits, keys, saved filters and layouts and colour rules, and the
// state of the panes, which the program keeps itself, in state.toml beside it.
//
// A mistake in a file does not keep the program from starting: the rest of the file is used,
// and every mistake is reported with its line and key.
//
// A setting is written line by line: comments, order and blanks of config.toml stay as the
// person wrote them, and where the outcome would say anything else than before, apart from
// the one setting, nothing is written.
package config

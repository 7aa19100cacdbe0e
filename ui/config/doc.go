// Package settings reads and writes what a person has set: theme, format of
// times, notices, layout, limits and keys in ~/.config/wiretea/config.toml, and the state
// of the panes, which the program keeps itself, in state.toml beside it.
//
// A file with a fault in it is no reason not to start: what is right in it holds,
// and the fault is said.
package config

// Package preferences is what the user has set of the screen: the settings of config.toml, the
// theme, saved filters and layouts, rules for the colours of rows, the columns of traffic.
//
//	:set, boxes ─► Settings ─► Theme, tabs, layout
//	                  └──────► config.toml, one command after the other
//
// What is changed is seen at once in all tabs, and written to config.toml in commands. State
// that is kept without being asked for, such as what was typed, is in the Settings as well,
// and is saved with them when the screen ends.
package preferences

// Package picker is a list of live sessions to choose one from, on a screen of its own.
package picker

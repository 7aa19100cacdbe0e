// Package project reads what a folder's wiretea.toml asks of check, and knows which of
// these files the user has accepted.
//
// The file may come from a stranger's repository. It names no program, its files lie
// inside the folder, it is a regular file of at most 64 KiB, and of its settings those
// that have something run, or let a check find less, count only once the user has
// accepted its content:
//
//	Read ─► Settings ─► Store.Accepts? ─► Counting, Waiting
//
// What was accepted is the hash of the content, and of the baseline that it names, for
// one path: a changed file is a new one. The list of hashes is a file in wiretea's state
// folder, for its owner alone; nothing in a project can add to it.
package project

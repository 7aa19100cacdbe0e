// Package filewatch reports when files of a server change.
//
//	files, folders ── fsnotify ──► Files ── quiet for a moment ──► Batch: what changed
//
// A folder is watched with all below it, except what is not edited by hand: hidden
// folders, node_modules, __pycache__ and the like, and the temporary files of
// editors. A file is watched by its name: an editor that writes another file and
// renames it over the first changes it too.
//
// Changes that come together are one Batch. Taken separates them by time: what a
// build changes is not a change of its user. It neither builds nor starts
// anything, and reads no file.
package filewatch

// Package watch says when files change that a server is made of.
//
//	files, folders ── fsnotify ──► Files ── quiet for a moment ──► Batch: what changed
//
// A folder is watched with all below it, save what no one edits by hand: hidden
// folders, node_modules, __pycache__ and the like, and the temporary files of
// editors. A file is watched by its name: an editor that writes another file and
// renames it over the first changes it too.
//
// Changes that come together are one Batch. Taken tells them apart by when they
// were made: what a build changes itself is not what its user has changed. It neither builds nor starts
// anything, and reads no file.
package filewatch

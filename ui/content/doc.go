// Package content lays out what a message says as people read it: text with its line
// breaks, Markdown, source code, images, lists of tools, conversations.
//
//	request, response ─► Read ─► []Block ─► Layout(width) ─► []Line
//
// Read takes the JSON of the messages as it is: a member that is missing or has another
// type than the schema's is left out, never refused. Layout makes all text visible, so
// that its lines are safe to print. Both are bounded (MaxText, maxPixels). Read and the
// first Layout of a document are called in commands, never in Update or View.
//
// Markdown is laid out by code of ours, line by line. goldmark, rsc.io/markdown and
// gomarkdown read more of it, but their tables cost 0.5 to 1.4 ms at the start of every
// process, a tenth of it and more.
package content

// Package source is what the screen knows of a session: a Source gives its snapshot and
// the bytes of its frames, and further interfaces say what can be done to it, such as
// sending requests to its server.
//
// Commands implement the interfaces, and the screen calls them. The methods of a Source
// return at once; those that take a context may take their time.
package source

// Package filter has the language that selects rows of a session:
//
//	m:tools/call t:echo d:s2c is:pending lat>500ms b~"rex" -m:ping (a | b) "any text"
//
// Parse compiles a text into a Filter. A Filter judges a row of a Snapshot in two phases,
// so that most bodies need not be read: Meta by the row, and Match with the body where Meta
// returns Body. Passing judges a message on its way, which no row shows yet. Words and States
// describe the language for help and completion.
//
// It reads no file: the caller loads the bodies. A Filter may be used from several goroutines.
//
//	parse.go      text to a tree of nodes; filter.go the nodes
//	words.go      the words, each with its test; is.go level.go http.go json.go some of them
//	body.go       words that need the body, and Literal, the search for one text in it
//	texts.go      many texts in one pass over a body
//	passing.go    messages on their way
package filter

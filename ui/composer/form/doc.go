// Package form is the form in which the user fills in the values of a tool, a prompt
// or an elicitation: from a JSON schema and optional starting values to the exact JSON
// bytes that are sent.
//
//	schema bytes ──parse──► value ──book──► shape (refs followed, allOf merged)
//	                                          │
//	starting values ──────────decode────────► field tree ◄── keys, mouse, paste
//	                                          │
//	                                        encode ──► bytes ──► Values, Line, Send
//	                                                     │ a command: session/json/schema
//	                                                     ▼
//	                                                  Problems at their fields
//
// A Form has three modes: the form, the JSON as text, and a malformed mode whose
// text denotes any bytes. Each mode keeps what it does not understand: members that
// are not in the schema, the order of keys, the text of numbers and the escapes of
// strings stay unchanged until they are edited. The editor of these modes is our own,
// because bubbles/textarea works on runes, and every byte has to survive.
//
// The schema comes from a peer and is not trusted. It is read within bounds:
// references are followed inside of it only, nothing is ever fetched, what
// refers to itself unfolds one level at a time, and what is too large, too deep
// or no schema at all becomes a field of raw JSON. What a schema says reaches the
// terminal through format.Visible only. Nothing here panics on it.
//
// Update does not validate: that is a command's work, one at a time, and its
// stale answers are dropped. View costs what the screen shows. A Form sends
// nothing, keeps no history and asks no server: it tells the screen, with Send,
// Leave and Complete. That something is wrong with the values stops nobody from
// sending them.
package form

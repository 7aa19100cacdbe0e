// Package arguments makes the arguments of a tool or a prompt from what a person types:
// name=value words, typed by the input schema.
//
//	words + inputSchema ─► FromWords ─► JSON object, and what does not fit
//
// A schema comes from a server: references and alternatives are followed a bounded
// number of steps, and a schema that cannot be read allows everything.
package arguments

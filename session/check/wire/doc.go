// Package wire has the rules for the bytes of a stream and for single messages:
// stream framing, the JSON-RPC envelope, and the names of methods, parameters and
// metadata. Rules that need a second message are in the other families.
package wire

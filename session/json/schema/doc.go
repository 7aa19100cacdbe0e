// Package jsonschema holds values against JSON Schemas that a peer wrote, which
// may be of any size, refer to themselves or be no schemas at all.
//
//	schema text ─ Compile ─► Schema ─ Validate(value) ─► Problem: path, and what is wrong there
//
// It wraps a library that recurses and cannot be stopped: what the library would
// have to do is worked out before, and what takes too much, or has no end, is an
// error and no verdict. So are words that dialects read in different ways. An error
// says nothing about the value: whoever accuses must not do it for an error.
//
// The library never sees what a peer wrote, but a schema that is written anew from
// what was understood of it, so that it cannot find another meaning in it.
//
// Fault looks for what is wrong with a schema itself in every dialect. It knows
// less than the library, so that what it finds is wrong for sure.
//
// Nothing is fetched, no goroutine is started, and formats are annotations.
package schema

// Package schema evaluates JSON Schemas that a peer wrote, which may be of any
// size, refer to themselves, or not be schemas at all.
//
//	schema text ─ Compile ─► Schema ─ Validate(value) ─► Problem: path, keyword, text
//
// The drafts are 2020-12, which is the default as in MCP, and draft-07. Formats and
// contents are annotations. References are resolved inside of the schema and to the
// meta-schemas of the two drafts; nothing is fetched.
//
// A verdict has three values, as in Kleene's logic: what cannot be decided is
// unknown, and a problem is reported only where no decision about the unknown could
// change it. Unknown are references that cannot be resolved or lead back to
// themselves, keywords whose values are not what the draft wants, objects of a
// schema with one key twice, dialects that are not supported, null where OpenAPI's
// nullable is true, and patterns that RE2 cannot express: look-ahead, look-behind,
// back-references, and more than 1000 repetitions.
//
// An evaluation ends: each subschema, item and comparison is a step, of which the
// caller grants a number. The cost of a pattern is its program's size times the
// text's. Compiling is linear in the schema, of at most 4 MiB and 100 levels. Numbers
// are compared exactly up to 500 digits. No goroutine is started.
package schema

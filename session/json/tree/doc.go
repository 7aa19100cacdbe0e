// Package jsontree is JSON text with its structure: for schemas and the values that
// are held against them or filled in for them, where each byte is to be kept.
//
//	text, known to be JSON ─ Read ─► Node: kind, text and place; members in order, twice named ones too
//	schema                 ─ NewBook ─► Book: where a $ref leads
//
// A tree never changes. Reading is bounded by MaxDepth: what lies deeper is text.
// References are followed inside of the schema only, and nothing is fetched.
//
// It imports nothing but the standard library, does no I/O and never panics on what
// is JSON.
package tree

// Package tree is JSON text with its structure: for schemas and the values that are
// held against them or filled in for them, where each byte is to be kept.
//
//	text, known to be JSON ─ Read ─► Node: kind, text and place; members in order, twice named ones too
//
// A tree never changes. Reading is bounded by MaxDepth: what lies deeper is text. It
// does no I/O and never panics on what is JSON.
package tree

// Package shape is the protocol's types as one table, and judges JSON text by it.
//
//	Result(method, revision), Params(method, revision) ──► a Type
//	Type + text ── Judge.Faults ──► the members that are null, missing or of another type
//
// The table has what the schemas of all revisions publish of the results of both
// sides, of notifications, and of the params of a server's requests: the members of
// each type with the revisions that have them. Unknown members are always allowed, and
// so is a method that the table does not have.
//
// A member that only another revision has is judged by that revision, and its fault is
// marked as Foreign: the schema of the session's revision allows it.
//
// The package is a leaf. Judging is one pass over the text, and allocates only for
// faults. A text that is not valid JSON ends early.
package shape

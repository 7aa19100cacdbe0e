// Package jsondiff compares two JSON texts by their structure.
//
//	text ──parse──► tree with a hash a value ──align──► Changes: path, old, new
//	                                                 └► Lines: both texts as one, with signs
//	text ──lines──────────────────────align──► TextLines: the same for what is no JSON
//
// Two values are equal when they mean the same: the order of an object's members,
// spacing, how a string is escaped and how a number is written (1, 1.0, 1e0) make
// no difference. The order of an array's elements does. Elements are aligned, so
// that one more at the front is one addition and not a change of all that follow;
// objects that name themselves (name, uri, id, key …) are aligned by that name.
//
// Members with the same name are compared in their order. Texts that are not a single
// JSON value, nested deeper than MaxDepth or longer than MaxBytes are refused; the
// caller compares those with TextLines.
//
// It imports nothing of this module, does no I/O and never panics.
package diff

// Package jsonrpc decodes the text of a frame into JSON-RPC messages, without
// judging them.
//
//	bytes, split anywhere ──► Scanner.Write … End ──► Message per object, Text facts per frame
//
// It is a witness's decoder, not a participant's: it never refuses and never
// repairs. What is on the wire is reported as facts (which keys are present, of
// which JSON type, at which offset, how the id is written) and the caller draws
// conclusions. Keys match exactly, also when they are written with escapes; an
// id is its raw text, so that 1, 1.0 and "1" stay three different ids;
// duplicate keys, invalid UTF-8 and unpaired surrogates are reported.
//
// The Scanner is resumable at any byte, uses no recursion, and its state does
// not grow with the length of a token: a string of 100 MB costs what a string of
// 10 bytes costs. Captured values are cut at MaxCapture bytes (and hashed
// whole). The only growth is one bit a nesting level, and the bounded table of
// key hashes that finds duplicates.
//
// It imports nothing but the standard library, does no I/O and never panics.
package jsonrpc

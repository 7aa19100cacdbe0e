// Package export turns a recorded session into other forms. Today there is one:
// the exact bytes of a stream.
//
//	recorder.Log ─ Reader ─► records of one stream ─► io.Writer
//
// Exports read the log as far as it has come and do not wait for more. They
// never change what they write: what cannot be given exactly is an error.
package export

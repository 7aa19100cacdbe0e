// Package redact makes a copy of a session that holds no secret.
//
//	Log ─ Learn ─► secrets: value, kind, placeholder          first pass
//	Log ─ Write ─► the same records, placeholders in place    second pass
//	    └ Scan ──► where something secret is, never what
//
// Equal secrets become equal placeholders, wherever they are: in a body of any
// form, in stderr, across the cuts of raw records, in the header, in hints. What
// was seen once under a name that gives it away is replaced wherever else it
// occurs, so requests and responses still pair, cursors still lead on, and the copy
// can be replayed and served.
//
// Only the bytes of secrets change. JSON stays JSON of the same shape, a number
// stays a number, numbers of records, times and streams stay. Lengths change with
// the placeholders, except on streams framed by Content-Length, where each one is
// as long as what it stands for.
//
// Beside what package secrets finds, the name of a home folder is replaced, and the
// session gets another identity and loses its control socket. Lines that are no
// records are left out and counted.
//
// Memory is that of the distinct secrets, 8 MiB for what is spread over several
// records, and 4 MiB for where secrets were found. The log is never changed.
package redact

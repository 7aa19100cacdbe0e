// Package diagnosis draws the most likely root cause of what is wrong in a
// session, as one sentence, and says which findings follow from which.
//
//	findings + process + timing (Snapshot), stderr (Lines) ─ Of ─► Diagnosis
//
// The root is chosen by what a connection needs first: a server that could not
// be started, one that went away, one whose stdout cannot be understood, one that
// is silent; then the worst finding there is. What the server said on stderr at
// that time tells why, as package lastwords reads it.
//
// A healthy session, and one with nothing but infos, has no diagnosis: it is
// empty. A finding that a later connection disproves is named as refuted: a
// server that goes the same way without the probe did not end because of it.
//
// It judges nothing itself and changes no finding. Its work is bounded: it looks
// at the latest rows of a session only, and reads a few dozen lines of stderr.
// Those reads are I/O; screens call it in a command, not in Update.
package diagnosis

// Package roundtrip reads the records of one HTTP round trip, and says where its time went.
//
//	session.TripView, recorder.Log ─ Read ─► Trip ─ Phases ─► DNS, connect, TLS, request, …
//
// Read looks for the records at the rows of the round trip and near them; a record that is
// far from these is not found. It reads the log: it is for commands.
package roundtrip

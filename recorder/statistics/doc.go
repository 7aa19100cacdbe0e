// Package statistics counts the requests of a session by method and by what they act on,
// and over time: what pictures of a session are drawn from.
//
//	session.Snapshot ─ Collect ─► Statistics ─► tables, histograms, heat maps
//
// A latency is the time from the last byte of the request to the last byte of its response,
// without the time in which the server waited for a person, which no server can shorten, and
// without the requests that wiretea has held, altered or answered on the way.
// A question that is answered after the request was is not what that waited for.
// Requests that a person answers, such as elicitation/create, have no latency here; how
// long people took is counted by itself.
//
// The requests in a batch are not counted.
//
// Collect looks at every row and reads no body: it is for commands.
package statistics

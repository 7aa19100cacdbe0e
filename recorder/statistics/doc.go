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
//
// A Context says what of a session fills the context of a model: the definitions of
// tools, which are a part of every conversation, and the results of calls.
//
//	session.Snapshot, recorder.Log ─ ReadContext ─► Context ─► sentences, limits
//	                  session.Snapshot ─ Uses ─► what was called, and how large its results were
//
// Bytes are exact. Tokens are an estimate, since each model counts them in its own way: one
// for every four bytes of what a client hands to a model, which is the name, the
// description and the input schema of a tool without insignificant white space. Three
// tokenizers (o200k, cl100k and the one that Anthropic has published) were compared with
// it, on the lists of nine servers with 141 tools: their counts lie between 18 % below
// and 16 % above the estimate.
//
// What a client leaves out, such as tools that a person has switched off, or that are
// searched for when they are needed, is not known from the wire.
package statistics

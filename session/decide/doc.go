// Package decide decides what becomes of the messages between a client and its server,
// before they are forwarded.
//
//	text of a line, a body or an event ─► Path.Carried ─► session.Ruling
//	                                        │ a Message each
//	                                        ▼
//	                                      Decider: a policy, faults
//
// A Path belongs to one session. It reads each text as JSON-RPC, remembers the requests that
// are under way, so that a response has the method and the target of its request, and asks
// the Deciders in their order: what one has altered, the next one decides on; the first one
// that refuses, drops or delays a message has decided.
// Each member of a batch is decided on alone.
//
// # Contract
//
//   - Nothing is re-marshalled: what goes on of a text has the bytes that came.
//   - A text that is not one JSON-RPC message or one batch, or that peers could read in two
//     ways, is nothing that can be decided on: OnError says whether it passes. White space
//     passes.
//   - A panic in a Decider is an error of its own, and decided by OnError too.
//   - The memory is bounded: of more than 65,536 requests under way some are forgotten.
//
// The package knows no transport: session/control brings it to the gate of a stdio session,
// and to the round trips of a proxy. Policies are in decide/policy, faults in decide/fault.
package decide

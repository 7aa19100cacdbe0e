// Package drill runs a client and a server under one fault after another, and reports what
// each side did.
//
//	Drill.Run: a trial without a fault, then one for each fault
//	  │   client ⇄ tee or proxy with the fault ⇄ server
//	  ▼
//	the recording of the trial ─► judge ─► Trial
//
// Each trial has a client, a server process and a recording of its own. What a client sends
// again is counted against the trial without a fault.
//
// The package prints nothing. Text from peers is returned verbatim: the caller makes it
// visible.
package drill

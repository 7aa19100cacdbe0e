// Package drill runs a client and a server with a fault between them, and says what each did.
//
//	Drill.Try: client ⇄ tee or proxy with the fault ⇄ server ─► recording ─► Trial
//
// It prints nothing. Text from peers is returned verbatim: the caller makes it visible.
package drill

// Package checkup connects to a server as check does: it lists what the server
// declares, makes the calls that were asked for, and probes how the server takes what
// clients may send by mistake.
//
//	Run ─► for each era: connect ─► lists ─► calls ─► end ─► probes
//	         └─► session of a capture.Run         └─► Own: findings that only the caller knows
//
// Package verdict judges the session afterwards. Nothing is printed but warnings.
//
// A Doctor finds out where on the way to a server at a URL something is wrong: it
// looks at each layer, and probes how the server takes requests that clients, browsers and
// strangers may send.
//
//	Look ─► handshake ─► Refused, if that failed ─► Recorded
//	                             └► Probe, if it is wanted  ─┘
//
// Each act is a verdict.Step: what was done, how long it took, what came. A step that
// shows a fault of the server has a finding beside it. Every request of HTTP is recorded
// in the session. The requests of Probe and Refused are marked there as probes and belong to
// connections of their own, so that what the probes provoke accuses nobody.
//
// A Drill runs a client and a server with a fault between them, and says what each did.
//
//	Drill.Try: client ⇄ tee or proxy with the fault ⇄ server ─► recording ─► Trial
//
// Text from peers is returned verbatim: the caller makes it visible.
package checkup

// Package checkup connects to a server as check does: it lists what the server
// declares, makes the calls that were asked for, and probes how the server takes what
// clients may send by mistake.
//
//	Run ─► for each era: connect ─► lists ─► calls ─► end ─► probes
//	         └─► session of a capture.Run         └─► Own: findings that only the caller knows
//
// Package verdict judges the session afterwards. Nothing is printed but warnings.
package checkup

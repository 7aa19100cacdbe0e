// Package doctor finds out where on the way to a server at a URL something is wrong: it
// looks at each layer, and probes how the server takes requests that clients, browsers and
// strangers may send.
//
//	Look ─► handshake of checkup ─► Refused, if that failed ─► Recorded
//	                             └► Probe, if it is wanted  ─┘
//
// Each act is a verdict.Step: what was done, how long it took, what came. A step that
// shows a fault of the server has a finding beside it. Every request of HTTP is recorded
// in the session; those of Probe and Refused are marked there as probes and belong to
// connections of their own, so that what the probes provoke accuses nobody.
package doctor

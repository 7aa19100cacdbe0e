// Package detail is the pane that shows the row under traffic's cursor: its request
// and response as JSON, its raw bytes, its timing, its findings, and how known clients
// take it.
//
//	cursor ─► load (command: recorder.Reader, jsonview.Index) ─► jsonview.View ─► View
//
// It changes nothing and sends nothing.
package detail

// Package detail is the pane that shows the row under the cursor of traffic: its
// request and response as JSON, its raw bytes, its timing and its findings.
//
//	cursor ─► load (command: recorder.ReadFrame, index) ─► jsonview ─► View
//
// It changes nothing and sends nothing.
package detail

// Package tools is the page of what a server offers: the capabilities that both
// sides declared, tools, resources, resource templates and prompts, as the latest
// answers in the session list them.
//
//	pick.Picker ─► rows of handshakes, list answers, list_changed
//	     │ a command reads them
//	     ▼
//	catalogue ─► lines of the list ─► the selected one: about it, and JSON in a jsonview.View
//
// The page asks the server for nothing by itself. What a server sends is read
// within bounds: a listing that goes in circles ends at maxPages, and members
// that are not what they should be are shown as JSON and in no other way.
package tools

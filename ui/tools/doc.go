// Package tools is the page of what a server offers and of what is under way with
// it: the capabilities that both sides declared and what is seen of them, tools,
// resources, resource templates and prompts as the latest answers in the session
// list them, subscriptions and tasks.
//
//	pane.RowPicker ─► rows of handshakes, lists, list_changed, subscriptions, tasks
//	     │ a command reads them
//	     ▼
//	catalogue ─► lines of the list ─► the selected one: about it, and JSON in a jsonview.View
//
// Everything on the page is read from the session: it is the same live, attached and
// in a recording, and it includes what another client listed or subscribed to. The page
// sends nothing to the server: it asks the screen, with the messages of package pane,
// for lists, subscriptions and calls, and to end them.
//
// Answers of the server are read within bounds: a listing that loops ends at maxPages,
// and members of the wrong type are shown as JSON only. The latest thousand
// subscriptions and tasks are remembered.
package tools

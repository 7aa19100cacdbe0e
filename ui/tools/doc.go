// Package tools is the page of what a server offers and of what is under way with
// it: the capabilities that both sides declared and what is seen of them, tools,
// resources, resource templates and prompts as the latest answers in the session
// list them, subscriptions and tasks.
//
//	pick.Picker ─► rows of handshakes, lists, list_changed, subscriptions, tasks
//	     │ a command reads them
//	     ▼
//	catalogue ─► lines of the list ─► the selected one: about it, and JSON in a jsonview.View
//
// Everything on the page is read from the session, so that it shows the same live,
// attached and in a recording, and also what somebody else listed or subscribed
// to. The page asks the server for nothing by itself: it asks the screen, with the
// messages of package pane, for lists, subscriptions, calls and their ends.
//
// What a server sends is read within bounds: a listing that goes in circles ends
// at maxPages, and members that are not what they should be are shown as JSON and
// in no other way. Of subscriptions and tasks the latest thousand are remembered.
package tools

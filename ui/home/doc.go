// Package home is the first screen: what there is to look at, in one list.
//
//	Finder ─ Look, each second, in a command ─► Inventory ─► rows, filtered ─► lines
//	                                                          │ enter
//	         command sheet ◄─ server ──────────────────────────┤
//	              │ enter                                      ├─► Open, Attach, Demo
//	              └─► Run                                      │ W U
//	         change sheet ─ enter ─► Apply                     ◄┘
//
// The contract:
//
//   - Nothing is read in Update or View: what there is comes from the Finder, in
//     commands, piece by piece, and one at a time. View costs O(screen).
//   - A server of a configuration file is started only by an enter on a sheet on
//     which its whole command has been seen: what does not fit scrolls, and enter
//     goes on to the next page until the end was shown. What was shown is what is
//     started, whatever has become of the file.
//   - A file is changed, and a recording deleted, only after a question that shows
//     what would happen.
//   - What files say reaches the terminal through format.Visible and nothing else.
//
// It opens nothing itself: it returns an Ask, and the caller opens what it names.
package home

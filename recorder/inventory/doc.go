// Package inventory lists what a user has: live sessions, recordings, and the servers in
// the configuration files of MCP clients.
//
//	sessions folder ─┐
//	                 ├─► Finder.Look, each second ─► Inventory ─► home, lists
//	clients' files ──┘     └─► Judge: the findings of one recording
//
// Looking again costs little if nothing has changed. The package starts nothing and
// never reads the values of variables.
package inventory

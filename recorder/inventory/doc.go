// Package inventory lists what a user has: live sessions, recordings, and the servers in
// the configuration files of MCP clients.
//
//	sessions folder ─┐
//	                 ├─► Finder.Look, each second ─► Inventory ─► home, lists
//	clients' files ──┘     └─► Judge: the findings of one recording
//
// The functions List…, …Table, …Lines and …Line give live sessions, recordings, clients'
// files and messages that wait to programs and to people; the latter are safe to print.
// An Editor says how a server of a client's file is started, and wraps it with the tee.
// Looking again costs little if nothing has changed. The package starts no process;
// the values of variables are only in Command.Env.
package inventory

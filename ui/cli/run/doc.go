// Package run is the command run, which inspects a server as its client, with --watch,
// which restarts the server when its files change, and demo, which does the same with
// the embedded server.
//
//	flags ─► capture.Run ─┬─► screen                        a terminal
//	                      └─► lines, and what is typed      --plain, --json
//	files change ─► watcher: build ─► restart ─► send the last request again ─► difference
package run

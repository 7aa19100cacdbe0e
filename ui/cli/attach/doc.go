// Package attach holds the commands tee, which stands between a client and its server
// and records, and attach, which watches such a session from another process and acts
// on it.
//
//	tee      capture.Tee; nothing is printed
//	attach   choose a live session ─┬─► screen       a terminal
//	                                ├─► lines        --plain, --json
//	                                └─► requests     --send
package attach

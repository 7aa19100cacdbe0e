// Package watch builds and restarts a server when its files change, and sends the
// user's last request again.
//
//	filewatch.Files ─► Watcher ─┬─► Builder   ShellBuild: a command in a shell
//	                            ├─► Server    a session, which restarts and calls
//	                            └─► Tell      News, for a screen or for lines
//
// LastRequest finds the request in what was recorded. What a build or the server
// itself writes below the watched folders does not start another round: see ownFiles.
//
// The package starts no server and owns no session: both are behind Server.
package watch

// Package cli is the program: the root command, which shows home, open and version,
// and the table of all commands. A family of commands is a package below it that
// parses flags, wires packages of the recorder together and picks the exit code; no
// family imports another. What they share is in term (exit codes, usage, tables),
// flags (a session to be recorded) and display (the screen).
//
//	Main ─► command ─┬─► capture.Run, capture.Tee ─► session file       run, call, check --, tee
//	                 └─► capture.OpenRecording, OpenAttach              open, check FILE, attach
//	                       └─► screen, lines, report
//
// Data goes to stdout and everything else to stderr. Errors are one line, lower
// case, with the cause and, where there is one, a hint on the next line. Every
// command ends what it started: no child and no goroutine outlives Main.
package cli

// Package cli is the commands of wiretea, one file each: they parse flags, wire
// packages together and pick the exit code.
//
//	Main ─► command ─► live (run, check --, demo) or recording (open, check FILE, export)
//	                     │ tap ► recorder.Writer ► session file ► recorder.Follow ► Analyzer
//	                     ▼
//	                   plain.Printer, report
//
//	tee ─► transport.Tee, and beside it tap ► recorder.Writer ► session file ◄─ attach
//
// Data goes to stdout and everything else to stderr. Errors are one line, lower
// case, with the cause and, where there is one, a hint on the next line. Every
// command ends what it started: no child and no goroutine outlives Main.
package cli

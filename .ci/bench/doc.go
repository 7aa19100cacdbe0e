// Bench measures the wiretea binary from outside: the screen in a pseudo-terminal,
// what a tee, a proxy and a call cost against programs that do the least. It also takes the
// picture of the screen and writes large session files.
//
//	go run ./.ci/bench [--binary PROGRAM] screen|tee|http|call|picture|gen [flags]
//
// It runs on Unix only.
package main

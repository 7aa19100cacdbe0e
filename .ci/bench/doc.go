// Bench measures the wiretea binary from outside: the screen in a pseudo-terminal,
// what a start, a tee, a proxy and a call cost against programs that do the least, and what a policy
// and held messages cost against none, and what the screen adds to the latency of large results. It also takes the picture of the screen and writes large session files.
//
//	go run ./.ci/bench [--binary PROGRAM] screen|tee|http|path|large|call|start|picture|gen [flags]
//
// It runs on Unix only.
package main

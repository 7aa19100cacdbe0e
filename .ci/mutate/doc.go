// Mutate changes the program in one place at a time, and runs the tests of the changed
// package: a change that no test notices shows what is not tested.
//
//	go run ./.ci/mutate                              every guard of guards.txt
//	go run ./.ci/mutate -n 300 -seed 7 session …     random changes in packages
//
// A guard is a line that keeps something out: guards.txt removes each by hand, and
// names the tests that must fail then. Random changes are of operators, conditions,
// constants, and statements that are left out. The same seed makes the same changes
// of the same source. Nothing is written to the source tree: the changed file is given
// to go test as an overlay. -retry FILE tries again what survived according to the output
// of a run, which is quick after a test was written; the seed and the source must be the same.
//
// The exit code is 1 if a guard can be removed unnoticed, or if fewer than -least of
// a hundred random changes are noticed. Changes that do not compile do not count; one
// that makes the tests hang counts as noticed.
//
// It takes hours for all: it is a step of the week, not of .ci/run. gremlins, the
// maintained tool, runs every mutant of a module, knows no dropped statements, and
// takes no list of one's own. results.md has the figures and the survivors of the last run.
package main

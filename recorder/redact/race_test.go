//go:build race

package redact_test

// every is how many samples of the corpus one is taken of: the race detector makes them
// ten times slower.
const every = 11

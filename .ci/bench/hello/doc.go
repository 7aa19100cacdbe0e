// Hello prints one line. It is the least that the start of a Go program costs.
package main

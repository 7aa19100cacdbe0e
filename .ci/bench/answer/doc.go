// Package answer is what the servers of the path bench say: to each request a result of the
// request's own length, so that whoever waits for it knows how much to read.
package answer

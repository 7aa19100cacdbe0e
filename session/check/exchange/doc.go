// Package exchange has the rules for a request and what belongs to it: the
// response, how long it takes, progress and cancellation. It does not judge what
// the request is for.
package exchange

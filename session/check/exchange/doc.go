// Package exchange has the rules for a request and its response: latency,
// progress and cancellation. It does not judge the content of either.
package exchange

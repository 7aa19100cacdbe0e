// Httppeer is what the http bench and the path bench speak to: "httppeer server" echoes
// bodies, sends events and, at /answer, answers requests, "httppeer bare URL" is a reverse
// proxy that is correct and does nothing else, "httppeer proxy URL" is wiretea's, which
// discards what it would record. Each prints its URL and ends with its standard input.
package main

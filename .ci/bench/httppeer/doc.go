// Httppeer is what the http bench speaks to: "httppeer server" echoes bodies and sends
// events, "httppeer bare URL" is a reverse proxy that is correct and does nothing else,
// "httppeer proxy URL" is wiretea's, which discards what it would record. Each
// prints its URL and ends with its standard input.
package main

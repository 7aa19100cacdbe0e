// Package replay holds the commands replay and mock: a recording as the client of a server, and as the server of a client.
package replay

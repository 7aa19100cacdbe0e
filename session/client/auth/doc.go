// Package auth logs in at a server that demands it, as the specification has clients do:
// [V4], [V5] basic/authorization.
//
//	server, 401 ─► its metadata ─► that of its authorization server ─► a client id
//	   ─► the person, in a browser ─► a code ─► a token, and another one when that is refused
//
// Begin does all of that before it returns, so that nothing of it meets a screen. It
// refuses what a client must refuse: metadata about another server, an issuer that is
// not the one that was named, no PKCE with S256, an answer of another issuer, endpoints that
// are not encrypted. The error says which, and what may help.
//
// Tokens, secrets and codes are kept in memory, and are in no error and no text. None of the
// requests is recorded.
//
// Of the servers that are asked none but the MCP server gets the user's header fields, and
// none on this machine is asked unless the MCP server is there too. Redirects are not
// followed. A body is read up to 1 MiB.
package auth

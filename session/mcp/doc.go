// Package mcp holds the protocol's tables: published versions and their eras,
// methods with direction, parameters and capabilities, the limits of known
// clients, the paths of the metadata by which clients log in, and the URLs of the
// specification's pages.
//
// It is data and look-ups: it decodes nothing, judges nothing, does no I/O and
// imports only the standard library.
package mcp

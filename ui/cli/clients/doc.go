// Package clients holds the commands clients, wrap and unwrap: the servers in the configuration files of MCP clients.
package clients

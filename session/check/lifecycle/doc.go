// Package lifecycle has the rules for the handshake of 2024-11-05 to 2025-11-25,
// and for what the two sides agreed on in it: revision and capabilities.
package lifecycle

// Package lifecycle has the rules for the handshake of 2024-11-05 to
// 2025-11-25, and for the revision and the capabilities agreed on in it.
package lifecycle

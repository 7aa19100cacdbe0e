// Package modern has the rules that are new with 2026-07-28: metadata in each
// request instead of a handshake, and subscriptions.
package modern

// Package protocol has the rules for the course of a session:
//
//	correlation, progress, cancellation  a request and its response, whatever their content
//	lifecycle                            the handshake of 2024-11-05 to 2025-11-25, and what it agrees on
//	modern, subscription                 2026-07-28: metadata in each request, subscriptions
//	tasks                                the tasks of 2025-11-25, and those of the extension for 2026-07-28
package protocol

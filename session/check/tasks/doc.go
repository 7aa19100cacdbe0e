// Package tasks has the rules for requests that run as tasks: the tasks of
// 2025-11-25 and those of the extension for 2026-07-28.
package tasks

// Package export holds the commands export, redact and scan: recordings for other programs and other people.
package export

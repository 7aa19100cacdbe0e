// Package files holds the commands that work on recordings as files: sessions lists them
// and shows one, diff compares two, export, redact and scan prepare them for other programs
// and other people.
package files

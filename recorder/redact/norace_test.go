//go:build !race

package redact_test

const every = 1

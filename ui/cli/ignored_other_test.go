//go:build !unix

package cli

func heedSignals() {}

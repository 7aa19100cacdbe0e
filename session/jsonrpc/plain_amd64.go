package jsonrpc

import "golang.org/x/sys/cpu"

// wide says that plainBlocks may be used.
var wide = cpu.X86.HasAVX2

// plainBlocks returns how many bytes at the beginning of p are plain in a string, in
// whole blocks of 64 bytes. It needs AVX2.
//
//go:noescape
func plainBlocks(p []byte) int

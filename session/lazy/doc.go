// Package lazy has values that are made when they are first used: regular expressions,
// maps and tables that a package keeps in a variable.
//
// A program initialises all packages that are linked into it before its main function
// runs, also those that the command at hand never uses. Each map literal, each
// regexp.MustCompile and each sync.OnceValue in a variable of a package is a call at that
// time, which brings pages of code and data into memory. A Value is a composite literal
// like a sync.Pool, which the compiler lays out itself:
//
//	var ports = lazy.Value[map[string]int]{New: func() map[string]int {
//		return map[string]int{"http": 80, "https": 443}
//	}}
//
//	ports.Get()["http"]
package lazy

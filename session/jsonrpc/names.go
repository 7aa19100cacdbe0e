package jsonrpc

import "strings"

// The words of the enumerations, by value.
var (
	kindWords   = [...]string{"invalid", "request", "notification", "result", "error"}
	syntaxWords = [...]string{"empty", "complete", "incomplete", "malformed", "trailing"}
	typeWords   = [...]string{"absent", "null", "bool", "number", "string", "array", "object"}
)

// String returns the kind's word in lower case.
func (k Kind) String() string { return kindWords[k] }

// String returns the word for s in lower case.
func (s Syntax) String() string { return syntaxWords[s] }

// String returns the word for t in lower case.
func (t Type) String() string { return typeWords[t] }

// defectNames are the words for the defects, by their bit.
var defectNames = [...]string{
	"duplicate key", "invalid UTF-8", "lone surrogate", "byte order mark",
	"NUL byte", "raw line separator", "outer space", "keys unchecked",
}

// String returns the words for the defects in d, with commas between them.
func (d Defect) String() string {
	var words []string
	for bit, name := range defectNames {
		if d&(1<<bit) != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, ", ")
}

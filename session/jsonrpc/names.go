package jsonrpc

import "strings"

// String returns the word for s in lower case.
func (s Syntax) String() string {
	switch s {
	case Empty:
		return "empty"
	case Complete:
		return "complete"
	case Incomplete:
		return "incomplete"
	case Malformed:
		return "malformed"
	case Trailing:
		return "trailing"
	}
	return "?"
}

// String returns the word for t in lower case.
func (t Type) String() string {
	switch t {
	case Absent:
		return "absent"
	case Null:
		return "null"
	case Bool:
		return "bool"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "?"
}

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

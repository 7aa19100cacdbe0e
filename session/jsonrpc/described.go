package jsonrpc

import (
	"strconv"
	"strings"
)

// Described says what a value is, with its beginning, on one line without control
// characters: `the string "boom"`.
func Described(value []byte) string {
	const longest = 60
	t := TypeOf(value)
	name := [...]string{Absent: "absent", Null: "null", Bool: "the value ", Number: "the number ", String: "the string ", Array: "the array ", Object: "the object "}[t]
	if t == Absent || t == Null {
		return name
	}
	rest := ""
	if len(value) > longest {
		value, rest = value[:longest], "…"
	}
	quoted := strconv.Quote(strings.ToValidUTF8(string(value), ""))
	return name + strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + rest
}

package jsonrpc

import "wiretea/session/json/lex"

// Complaint returns the first text of a tool's result, which says why the tool failed
// where the result has isError; empty if it has none, or if result ends before it.
func Complaint(result []byte) string {
	for _, block := range lex.Items(lex.Get(result, "content")) {
		if text := lex.Unquote(lex.Get(block, "text")); text != "" {
			return text
		}
	}
	return ""
}

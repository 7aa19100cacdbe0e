package compat

import "wiretea/session/json/lex"

// member returns the member of an object, the last of several; nil where there is
// none.
func member(object []byte, name string) (found []byte) {
	for key, v := range lex.Members(object) {
		if lex.IsText(key, name) {
			found = v
		}
	}
	return found
}

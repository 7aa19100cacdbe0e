package compat

// A value is the text of a valid JSON value; empty = none.
type value []byte

// member returns the member of an object, the last of several; empty if there
// is none. Names with escapes are not found.
func member(object []byte, name string) (found value) {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	for key, v := range value(object).values {
		if len(key) == len(name)+2 && string(key[1:len(key)-1]) == name {
			found = v
		}
	}
	return found
}

// values yields the items of an array, or the members of an object with the
// text of their keys.
func (v value) values(yield func(key, item value) bool) {
	if len(v) == 0 || v[0] != '{' && v[0] != '[' {
		return
	}
	at := gap(v, 1)
	for at < len(v) && v[at] != '}' && v[at] != ']' {
		var key value
		if v[0] == '{' {
			end := past(v, at)
			key, at = v[at:end], gap(v, end)
		}
		end := past(v, at)
		if end == at || !yield(key, v[at:end]) {
			return
		}
		at = gap(v, end)
	}
}

// gap returns the start of the next value, or of the closing bracket.
func gap(v value, at int) int {
	for at < len(v) {
		switch v[at] {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// past returns the end of the value that begins at an offset.
func past(v value, at int) int {
	for open := 0; at < len(v); {
		switch v[at] {
		case '"':
			at = pastString(v, at)
		case '{', '[':
			open++
			at++
		case '}', ']':
			open--
			at++
		case ' ', '\t', '\r', '\n', ',', ':':
			if open <= 0 {
				return at
			}
			at++
			continue
		default:
			for at < len(v) && !ends(v[at]) {
				at++
			}
		}
		if open <= 0 {
			break
		}
	}
	return at
}

func pastString(v value, at int) int {
	for at++; at < len(v); at++ {
		switch v[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(v)
}

// ends reports whether c cannot be in a number, true, false or null.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '{', '[', '"':
		return true
	}
	return false
}

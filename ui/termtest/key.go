package termtest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// keySequences are the keys that are more than a character. Escape is sent as
// the kitty keyboard does: a lone ESC is not told from the beginning of another
// key but by waiting.
var keySequences = map[string]string{
	"enter": "\r", "tab": "\t", "space": " ", "backspace": "\x7f", "esc": "\x1b[27u", "shift+tab": "\x1b[Z",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
	"f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// letterKeys end in a letter, numberKeys in a tilde; a modifier goes before it.
var (
	letterKeys = map[string]byte{"up": 'A', "down": 'B', "right": 'C', "left": 'D', "end": 'F', "home": 'H'}
	numberKeys = map[string]int{"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6}
)

// Key returns the bytes that a terminal sends for a key, named as Bubble Tea
// names it: "j", "G", "ctrl+d", "alt+x", "shift+tab", "pgdown", "ctrl+right".
func Key(name string) ([]byte, error) {
	if seq, ok := keySequences[name]; ok {
		return []byte(seq), nil
	}
	if utf8.RuneCountInString(name) == 1 {
		return []byte(name), nil
	}
	mod, base := 0, name
	for bit, prefix := range []string{"ctrl+", "alt+", "shift+"} { // the order of Bubble Tea's names
		if rest, ok := strings.CutPrefix(base, prefix); ok && rest != "" {
			mod, base = mod|4>>bit, rest
		}
	}
	return modified(name, base, mod)
}

// modified returns the bytes of a key with shift (1), alt (2) and ctrl (4).
func modified(name, base string, mod int) ([]byte, error) {
	if c, ok := letterKeys[base]; ok {
		if mod == 0 {
			return []byte{0x1b, '[', c}, nil
		}
		return fmt.Appendf(nil, "\x1b[1;%d%c", mod+1, c), nil
	}
	if n, ok := numberKeys[base]; ok {
		if mod == 0 {
			return fmt.Appendf(nil, "\x1b[%d~", n), nil
		}
		return fmt.Appendf(nil, "\x1b[%d;%d~", n, mod+1), nil
	}
	switch {
	case mod == 2:
		rest, err := Key(base)
		return append([]byte{0x1b}, rest...), err
	case mod == 4 && base == "space":
		return []byte{0}, nil
	case mod == 4 && len(base) == 1 && base[0] >= '@' && base[0] <= '~':
		return []byte{base[0] & 0x1f}, nil
	}
	return nil, fmt.Errorf("no key is named %q", name)
}

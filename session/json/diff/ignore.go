package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A step is one part of a path.
type step struct {
	key    string
	index  int
	member bool // member: the step goes into an object, by key.
}

// A Path is a pattern of paths: .result.content[0].text as jq writes it, where *
// stands for any name, [*] for any element, and .. for any number of steps:
// ..timestamp is every member of that name.
type Path struct {
	text  string
	parts []part
}

type part struct {
	step
	any  bool // any: all names, or all elements.
	deep bool // deep: any number of steps.
}

// String returns the pattern as it was written.
func (p Path) String() string { return p.text }

// ParsePath reads a pattern.
func ParsePath(text string) (Path, error) {
	p := Path{text: text}
	rest := text
	for rest != "" {
		var err error
		switch {
		case strings.HasPrefix(rest, ".."):
			p.parts = append(p.parts, part{deep: true})
			rest = rest[1:]
			if rest == "." {
				return Path{}, fmt.Errorf("path %q: \"..\" leads nowhere", text)
			}
			if strings.HasPrefix(rest, ".[") {
				rest = rest[1:]
			}
		case rest[0] == '.':
			rest, err = p.name(rest[1:])
		case rest[0] == '[':
			rest, err = p.element(rest[1:])
		default:
			err = fmt.Errorf("begin with . or [")
		}
		if err != nil {
			return Path{}, fmt.Errorf("path %q: %w", text, err)
		}
	}
	if len(p.parts) == 0 {
		return Path{}, fmt.Errorf("path %q: it is empty", text)
	}
	return p, nil
}

// MustPaths is ParsePath of several patterns that are part of a program. It panics
// where one is wrong.
func MustPaths(texts ...string) []Path {
	list := make([]Path, len(texts))
	for i, text := range texts {
		p, err := ParsePath(text)
		if err != nil {
			panic(err)
		}
		list[i] = p
	}
	return list
}

// name reads a member's name.
func (p *Path) name(rest string) (string, error) {
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", fmt.Errorf("a quote is not closed")
		}
		key, err := strconv.Unquote(quoted)
		p.parts = append(p.parts, part{step: step{key: key, member: true}})
		return rest[len(quoted):], err
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", fmt.Errorf("a name is missing")
	}
	p.parts = append(p.parts, part{step: step{key: rest[:end], member: true}, any: rest[:end] == "*"})
	return rest[end:], nil
}

// element reads an element's number, or a quoted name.
func (p *Path) element(rest string) (string, error) {
	if strings.HasPrefix(rest, `"`) {
		rest, err := p.name(rest)
		if err != nil || !strings.HasPrefix(rest, "]") {
			return "", fmt.Errorf("a bracket is not closed")
		}
		return rest[1:], nil
	}
	word, rest, ok := strings.Cut(rest, "]")
	if !ok {
		return "", fmt.Errorf("a bracket is not closed")
	}
	if word == "*" || word == "" {
		p.parts = append(p.parts, part{any: true})
		return rest, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return "", fmt.Errorf("[%s] is not an element", word)
	}
	p.parts = append(p.parts, part{step: step{index: n}})
	return rest, nil
}

// ignoring are the patterns whose values do not count.
type ignoring []Path

func (ig ignoring) matches(path []step) bool {
	return slices.ContainsFunc(ig, func(p Path) bool { return matches(p.parts, path) })
}

// matches walks as a shell matches *: it goes back to the last .. only.
func matches(parts []part, path []step) bool {
	i, back, from := 0, -1, 0
	for at := 0; at < len(path) || i < len(parts); {
		switch {
		case i < len(parts) && parts[i].deep:
			back, from = i, at
			i++
		case i < len(parts) && at < len(path) && parts[i].takes(path[at]):
			i++
			at++
		case back >= 0 && from < len(path):
			from++
			i, at = back+1, from
		default:
			return false
		}
	}
	return true
}

func (p part) takes(s step) bool {
	return p.member == s.member && (p.any || p.key == s.key && p.index == s.index)
}

// maxPath is how long a path becomes, in bytes: each change has its own, and a
// name in a text may be most of it.
const maxPath = 1000

// write appends a step to a path as jq writes it. What grows too long ends in ….
func (s step) write(path string) string {
	if len(path) > maxPath {
		return path
	}
	if path = s.written(path); len(path) > maxPath {
		path = strings.ToValidUTF8(path[:maxPath], "\ufffd") + "…"
	}
	return path
}

func (s step) written(path string) string {
	if !s.member {
		return path + "[" + strconv.Itoa(s.index) + "]"
	}
	for i, c := range s.key {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return path + "[" + strconv.Quote(s.key) + "]"
		}
	}
	if s.key == "" {
		return path + `[""]`
	}
	return path + "." + s.key
}

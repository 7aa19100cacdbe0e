package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// mostFaults bounds how many lines of a file that is not TOML are left out one by one.
const mostFaults = 100

// decode reads a TOML text. A line that keeps it from being TOML is left out, is a fault,
// and the rest is read.
func decode(text string) (map[string]any, Faults) {
	var faults Faults
	lines := strings.Split(text, "\n")
	for len(faults) < mostFaults {
		got := map[string]any{}
		_, err := toml.Decode(strings.Join(lines, "\n"), &got)
		if err == nil {
			return got, faults
		}
		var wrong toml.ParseError
		if !errors.As(err, &wrong) {
			return nil, append(faults, Fault{Says: err.Error()})
		}
		at := min(max(wrong.Position.Line, 1), len(lines))
		for at > 1 && strings.TrimSpace(lines[at-1]) == "" { // The end of a text is found late.
			at--
		}
		if strings.TrimSpace(lines[at-1]) == "" {
			return nil, append(faults, Fault{Line: wrong.Position.Line, Says: wrong.Message})
		}
		faults = append(faults, Fault{Line: at, Key: visibleKey(wrong.LastKey), Says: wrong.Message})
		lines[at-1] = ""
	}
	return nil, faults
}

// visibleKey is a key without what a terminal would obey; faults are shown.
func visibleKey(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return strconv.Quote(key)
	}
	return key
}

// An entry is where a text sets a key.
type entry struct {
	line  int    // line is its number, from 0.
	table string // table is the one that it is in, with dots; empty = none.
	key   string
}

// path is the entry's key with its table.
func (e entry) path() string {
	if e.table == "" {
		return e.key
	}
	return e.table + "." + e.key
}

// entries finds the keys of a text by its lines, and the first line behind each table's
// last one that is not blank. It knows no texts of several lines; who changes a line checks
// the outcome.
func entries(text string) (all []entry, ends map[string]int) {
	ends, table, counts := map[string]int{}, "", map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch name, header := strings.CutPrefix(line, "["); {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case header:
			many := strings.HasPrefix(name, "[")
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "["), "]")
			table = plainKey(name)
			if many {
				counts[table]++
				table += "#" + strconv.Itoa(counts[table])
			}
			all = append(all, entry{line: i, table: "", key: table})
		default:
			if key, _, found := strings.Cut(line, "="); found {
				all = append(all, entry{i, table, plainKey(key)})
			}
		}
		ends[table] = i + 1
	}
	return all, ends
}

// plainKey is a key as it is written in a file, without quotes and blanks.
func plainKey(key string) string {
	parts := strings.Split(strings.TrimSpace(key), ".")
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if len(p) >= 2 && (p[0] == '"' || p[0] == '\'') && p[len(p)-1] == p[0] {
			p = p[1 : len(p)-1]
		}
		parts[i] = p
	}
	return strings.Join(parts, ".")
}

// lineOf is the line of a key, counted from 1; 0 where it is not found.
func lineOf(all []entry, path string) int {
	for _, e := range all {
		if e.path() == path {
			return e.line + 1
		}
	}
	return 0
}

// ErrShape is returned for a setting that the file has in a form that cannot be changed line
// by line.
var ErrShape = errors.New("config.toml has it in a form that only an editor can change")

// replace sets a key of a table, empty for none, in a text. All other lines, with their
// comments, stay as they are. The nil value removes the key.
func replace(text, table, key string, value any) (string, error) {
	before, faults := decode(text)
	if len(faults) > 0 {
		return "", fmt.Errorf("correct it first: %w", faults[0])
	}
	lines := strings.Split(text, "\n")
	all, ends := entries(text)
	path := entry{0, table, key}.path()
	at := lineOf(all, path) - 1
	switch {
	case at >= 0 && value == nil:
		lines = append(lines[:at:at], lines[at+1:]...)
	case value == nil:
		return text, nil
	case at >= 0:
		lines[at] = indentOf(lines[at]) + keyText(key) + " = " + valueText(value) + comment(lines[at])
	default:
		lines = insert(lines, ends, table, keyText(key)+" = "+valueText(value))
	}
	out := strings.Join(lines, "\n")
	after, faults := decode(out)
	if len(faults) > 0 || !changedOnly(before, after, table, key, value) {
		return "", fmt.Errorf("%s: %w", path, ErrShape)
	}
	return out, nil
}

// addRule adds a rule behind all else, unless it is there.
func addRule(text string, c Colour) (string, error) {
	if ruleAt(text, c) >= 0 {
		return text, nil
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		text += "\n\n"
	}
	text += "[[colours]]\nfilter = " + quoted(c.Filter) + "\ncolour = " + quoted(c.Colour) + "\n"
	if _, faults := decode(text); len(faults) > 0 {
		return "", fmt.Errorf("correct it first: %w", faults[0])
	}
	return text, nil
}

// ruleAt is the number of a rule in a text, from 0; -1 where it is not there.
func ruleAt(text string, c Colour) int {
	got, _ := decode(text)
	rules, _ := got["colours"].([]map[string]any)
	return slices.IndexFunc(rules, func(r map[string]any) bool { return r["filter"] == c.Filter && r["colour"] == c.Colour })
}

// removeRule removes the lines of a rule: from its header to the last line before the next
// one that is neither blank nor a comment. It reports false where that is not all that it
// removes.
func removeRule(text string, c Colour) (string, bool) {
	before, faults := decode(text)
	rules, _ := before["colours"].([]map[string]any)
	at := ruleAt(text, c)
	if at < 0 || len(faults) > 0 {
		return text, at < 0
	}
	all, ends := entries(text)
	table := "colours#" + strconv.Itoa(at+1)
	from, to := lineOf(all, table)-1, ends[table]
	if from < 0 || to <= from {
		return "", false
	}
	lines := strings.Split(text, "\n")
	out := strings.Join(slices.Delete(lines, from, to), "\n")
	after, faults := decode(out)
	left, _ := after["colours"].([]map[string]any)
	ok := len(faults) == 0 && slices.EqualFunc(slices.Delete(slices.Clone(rules), at, at+1), left, func(a, b map[string]any) bool { return reflect.DeepEqual(a, b) })
	delete(before, "colours")
	delete(after, "colours")
	return out, ok && reflect.DeepEqual(before, after)
}

// changedOnly reports whether a file has come to have a value, and nothing else has changed.
func changedOnly(before, after map[string]any, table, key string, value any) bool {
	was, is := inner(before, table), inner(after, table)
	if got, there := is[key]; there != (value != nil) || there && fmt.Sprint(got) != fmt.Sprint(value) {
		return false
	}
	delete(was, key)
	delete(is, key)
	return reflect.DeepEqual(prune(before), prune(after))
}

// inner is a table of a file; what is not there is empty.
func inner(file map[string]any, table string) map[string]any {
	if table == "" {
		return file
	}
	for name := range strings.SplitSeq(table, ".") {
		file, _ = file[name].(map[string]any)
	}
	return file
}

// prune leaves out tables without keys.
func prune(file map[string]any) map[string]any {
	maps.DeleteFunc(file, func(_ string, v any) bool {
		table, is := v.(map[string]any)
		return is && len(prune(table)) == 0
	})
	return file
}

// insert adds a line at the end of a table, which is made where it is not there.
func insert(lines []string, ends map[string]int, table, line string) []string {
	at, there := ends[table]
	switch {
	case there:
	case table == "": // before the first table
		for at < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[at]), "[") {
			at++
		}
		for at > 0 && (strings.TrimSpace(lines[at-1]) == "" || at < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[at-1]), "#")) {
			at--
		}
	default:
		for at = len(lines); at > 0 && strings.TrimSpace(lines[at-1]) == ""; at-- {
		}
		head := []string{"[" + tableText(table) + "]", line, ""}
		if at > 0 {
			head = append([]string{""}, head...)
		}
		return append(lines[:at:at], head...)
	}
	return append(append(lines[:at:at], line), lines[at:]...)
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// comment is the comment behind a value, with the blanks before it.
func comment(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == '\\' && quote == '"':
			i++
		case c == quote:
			quote = 0
		case c == '#' && quote == 0:
			return line[len(strings.TrimRight(line[:i], " \t")):]
		}
	}
	return ""
}

// keyText writes a key as TOML.
func keyText(key string) string {
	if key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == "" {
		return key
	}
	return quoted(key)
}

func tableText(table string) string {
	first, rest, deep := strings.Cut(table, ".")
	if !deep {
		return keyText(table)
	}
	return keyText(first) + "." + keyText(rest)
}

// quoted writes a text as TOML.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// valueText writes a text, a number or a truth value as TOML.
func valueText(value any) string {
	switch v := value.(type) {
	case string:
		return quoted(v)
	case bool:
		return strconv.FormatBool(v)
	}
	return fmt.Sprint(value)
}

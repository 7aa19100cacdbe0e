package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"wiretea/session/filter"
	"wiretea/session/text"
	"wiretea/ui/keys"
	"wiretea/ui/style"
)

// A Setting is one of config.toml that is a text, in no table or in [limits].
type Setting struct {
	Table, Key string
	Says       string   // Says is what it does.
	Default    string   // Default is what holds where it is not set.
	Values     []string // Values are all that it can be, the default first; nil = any that check accepts.

	check func(value string) string // check says what is wrong with a value, empty for nothing.
	field func(*Settings) *string
}

// Path is the key with its table.
func (s *Setting) Path() string { return entry{0, s.Table, s.Key}.path() }

// Value is what is set, or the default.
func (s *Setting) Value(set *Settings) string {
	return cmp.Or(*s.field(set), s.Default)
}

// Known are all settings that are texts, in the order of the page of settings.
func Known() []Setting {
	return []Setting{
		{"", "theme", "colours of the screen: wiretea's own, or those of a style of chroma", style.Default, style.Names(), nil, func(s *Settings) *string { return &s.Theme }},
		{"", "background", "whether colours are for a dark or a light background; auto asks the terminal, and is dark where that does not answer", "auto", []string{"auto", "dark", "light"}, nil, func(s *Settings) *string { return &s.Background }},
		{"", "time", "times of rows: since the session began, of the day, since the row before, or since the mark before", "relative", []string{"relative", "absolute", "delta", "mark"}, nil, func(s *Settings) *string { return &s.Time }},
		{"", "columns", "columns of traffic, as after :columns", "", nil, nil, func(s *Settings) *string { return &s.Columns }},
		{"", "notice", "how long a notice stays; an error stays three times as long", "4s", nil, wrongNotice, func(s *Settings) *string { return &s.NoticeText }},
		{"limits", "timeout", "default of --timeout", "1m0s", nil, nil, func(s *Settings) *string { return &s.Limits.Timeout }},
		{"limits", "max_line", "default of --max-line", "10MiB", nil, nil, func(s *Settings) *string { return &s.Limits.MaxLine }},
		{"limits", "max_age", "default of --max-age", "30d", nil, nil, func(s *Settings) *string { return &s.Limits.MaxAge }},
		{"limits", "max_disk", "default of --max-disk", "2GiB", nil, nil, func(s *Settings) *string { return &s.Limits.MaxDisk }},
	}
}

func wrongNotice(value string) string {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return fmt.Sprintf("is a time such as 10s, not %q", value)
	}
	return ""
}

// Check says what is wrong with a value of a setting, empty for nothing. The empty value is
// the default.
func (s *Setting) Check(value string) string {
	switch {
	case value == "":
	case s.Values != nil && !slices.ContainsFunc(s.Values, func(v string) bool { return strings.EqualFold(v, value) }):
		if len(s.Values) > 5 {
			return fmt.Sprintf("unknown %s %q: %s", s.Key, value, text.Nearest(value, s.Values, "the page of settings lists them"))
		}
		return fmt.Sprintf("is one of %s, not %q", strings.Join(s.Values, ", "), value)
	case s.check != nil:
		return s.check(value)
	}
	return ""
}

// tables are the tables of config.toml.
var tables = []string{"limits", "keys", "filters", "layouts", "colours"}

// take gives the settings what a file has, and returns what of it cannot be used.
func (s *Settings) take(got map[string]any, words string) Faults {
	t := &taker{set: s}
	t.lines, _ = entries(words)
	known := Known()
	var names []string
	for i := range known {
		if known[i].Table == "" {
			names = append(names, known[i].Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		i := slices.IndexFunc(known, func(k Setting) bool { return k.Table == "" && k.Key == key })
		switch {
		case i >= 0:
			t.text(&known[i], got[key])
		case slices.Contains(tables, key):
			t.table(key, got[key], known)
		default:
			t.fault(key, "unknown setting; "+text.Nearest(key, append(slices.Clone(names), tables...), "docs/settings.md lists them"))
		}
	}
	return t.faults
}

// A taker takes the values of a file.
type taker struct {
	set    *Settings
	lines  []entry
	faults Faults
}

func (t *taker) fault(path, says string) {
	t.faults = append(t.faults, Fault{lineOf(t.lines, path), visibleKey(path), says})
}

// text takes a setting that is a text. A number is taken as it is written.
func (t *taker) text(k *Setting, value any) {
	text, is := value.(string)
	if !is {
		t.fault(k.Path(), fmt.Sprintf("is a text in quotes, not %s", kindOf(value)))
		return
	}
	if why := k.Check(text); why != "" {
		t.fault(k.Path(), why)
		return
	}
	*k.field(t.set) = text
}

// kindOf says what a value of TOML is.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case map[string]any:
		return "a table"
	case []any, []map[string]any:
		return "a list"
	}
	return "a time"
}

// table takes one of the tables.
func (t *taker) table(name string, value any, known []Setting) {
	if rules, is := value.([]map[string]any); is && name == "colours" {
		t.rules(rules)
		return
	}
	table, is := value.(map[string]any)
	if !is || name == "colours" {
		t.fault(name, map[bool]string{true: "is written [[colours]], once for each rule", false: "is a table, not " + kindOf(value)}[name == "colours"])
		return
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		path := name + "." + key
		switch name {
		case "limits":
			i := slices.IndexFunc(known, func(k Setting) bool { return k.Table == name && k.Key == key })
			if i < 0 {
				t.fault(path, "unknown limit; there are timeout, max_line, max_age, max_disk")
				continue
			}
			t.text(&known[i], table[key])
		case "keys":
			t.keys(path, key, table[key])
		case "filters":
			t.filter(path, key, table[key])
		case "layouts":
			t.layout(path, key, table[key])
		}
	}
}

// keys takes the keys of an action.
func (t *taker) keys(path, action string, value any) {
	var list []string
	switch v := value.(type) {
	case string:
		list = []string{v}
	case []any:
		for _, one := range v {
			key, is := one.(string)
			if !is {
				t.fault(path, "is a list of keys in quotes, as in [\"o\", \"enter\"]")
				return
			}
			list = append(list, key)
		}
	default:
		t.fault(path, "is a list of keys in quotes, not "+kindOf(value))
		return
	}
	next := maps.Clone(t.set.Keys)
	if next == nil {
		next = map[string][]string{}
	}
	next[action] = list
	if _, err := keys.Rebind(next); err != nil {
		t.fault(path, err.Error())
		return
	}
	t.set.Keys = next
}

// filter takes a saved filter.
func (t *taker) filter(path, name string, value any) {
	text, is := value.(string)
	if !is {
		t.fault(path, "is a filter in quotes, not "+kindOf(value))
		return
	}
	if _, err := filter.Parse(text); err != nil {
		t.fault(path, err.Error())
		return
	}
	if t.set.Filters == nil {
		t.set.Filters = map[string]string{}
	}
	t.set.Filters[name] = text
}

// rules takes the rules of colours, in their order.
func (t *taker) rules(rules []map[string]any) {
	for i, rule := range rules {
		path := fmt.Sprintf("colours#%d", i+1)
		var c Colour
		wrong := false
		for _, key := range slices.Sorted(maps.Keys(rule)) {
			text, is := rule[key].(string)
			into := map[string]*string{"filter": &c.Filter, "colour": &c.Colour}[key]
			switch {
			case into == nil:
				t.fault(path+"."+key, "unknown; a rule has filter and colour")
			case !is:
				t.fault(path+"."+key, "is a text in quotes, not "+kindOf(rule[key]))
			default:
				*into = text
				continue
			}
			wrong = true
		}
		if wrong {
			continue
		}
		if key, why := c.Check(); why != "" {
			t.fault(strings.TrimSuffix(path+"."+key, "."), why)
			continue
		}
		t.set.Colours = append(t.set.Colours, c)
	}
}

// A Colour is a rule: rows that a filter selects have a colour.
type Colour struct {
	Filter string
	Colour string // Colour is one of style.Colours, or #rrggbb.
}

// Check says what is wrong with a rule, and with which of its keys; empty for nothing.
func (c Colour) Check() (key, why string) {
	if c.Filter == "" || c.Colour == "" {
		return "", "a rule has a filter and a colour"
	}
	if _, err := filter.Parse(c.Filter); err != nil {
		return "filter", err.Error()
	}
	if !style.IsColour(c.Colour) {
		return "colour", fmt.Sprintf("%q is not a colour: there are #rrggbb, %s", c.Colour, strings.Join(style.Colours(), ", "))
	}
	return "", ""
}

// layout takes a saved layout.
func (t *taker) layout(path, name string, value any) {
	table, is := value.(map[string]any)
	if !is {
		t.fault(path, "is a table, not "+kindOf(value))
		return
	}
	l, wrong := Layout{}, false
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if why := l.set(key, table[key]); why != "" {
			t.fault(path+"."+key, why)
			wrong = true
		}
	}
	if wrong {
		return
	}
	if t.set.Layouts == nil {
		t.set.Layouts = map[string]Layout{}
	}
	t.set.Layouts[name] = l
}

// set sets a member of a layout by its key in files, and says why it cannot.
func (l *Layout) set(key string, value any) string {
	v := reflect.ValueOf(l).Elem()
	var names []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("toml"), ",")
		names = append(names, name)
		if name != key {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.Bool:
			on, is := value.(bool)
			if !is {
				return "is true or false, not " + kindOf(value)
			}
			f.SetBool(on)
		case reflect.Int:
			n, is := value.(int64)
			if !is || n < LeastShare || n > MostShare {
				return fmt.Sprintf("is a share in percent from %d to %d", LeastShare, MostShare)
			}
			f.SetInt(n)
		default:
			text, is := value.(string)
			if !is {
				return "is a text in quotes, not " + kindOf(value)
			}
			f.SetString(text)
		}
		return ""
	}
	return "unknown; there are " + strings.Join(names, ", ")
}

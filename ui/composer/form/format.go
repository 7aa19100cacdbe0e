package form

import (
	"encoding/base64"
	"encoding/json"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wiretea/session/lazy"
	"wiretea/session/text"
)

// formats are the formats that are checked, with an example of each. Any other
// is shown and not checked (JSON Schema 2020-12 validation §7.3).
var formats = lazy.Value[map[string]struct {
	example string
	ok      func(string) bool
}]{New: func() map[string]struct {
	example string
	ok      func(string) bool
} {
	return map[string]struct {
		example string
		ok      func(string) bool
	}{
		"date":          {"2026-11-21", layout("2006-01-02")},
		"date-time":     {"2026-11-21T10:00:00Z", layout(time.RFC3339)},
		"time":          {"10:00:00Z", layout("15:04:05Z07:00")},
		"duration":      {"P1DT2H", func(s string) bool { return duration.Get().MatchString(s) && s != "P" && !strings.HasSuffix(s, "T") }},
		"email":         {"ann@example.org", isEmail},
		"idn-email":     {"ann@example.org", isEmail},
		"uri":           {"https://example.org/a", isURI},
		"iri":           {"https://example.org/a", isURI},
		"url":           {"https://example.org/a", isURI},
		"uri-reference": {"../a?b=c", isReference},
		"iri-reference": {"../a?b=c", isReference},
		"uuid":          {"123e4567-e89b-12d3-a456-426614174000", func(s string) bool { return uuid.Get().MatchString(s) }},
		"ipv4":          {"192.0.2.1", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }},
		"ipv6":          {"2001:db8::1", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }},
		"hostname":      {"example.org", isHost},
		"regex":         {"^a+$", isRegexp},
		"json-pointer":  {"/a/0", func(s string) bool { return s == "" || s[0] == '/' }},
		"byte":          {"aGk=", isBase64},
		"base64":        {"aGk=", isBase64},
		"json-string":   {`{"a":1}`, func(s string) bool { return json.Valid([]byte(s)) }},
	}
}}

// They are made when they are needed: most runs of the program need none.
var (
	uuid     = lazy.Regexp{Text: `^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`}
	hostPart = lazy.Regexp{Text: `^[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?$`}
	duration = lazy.Regexp{Text: `^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$`}
)

func layout(layout string) func(string) bool {
	return func(s string) bool {
		_, err := time.Parse(layout, strings.ToUpper(s))
		return err == nil
	}
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && !strings.ContainsAny(s, " <>")
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.ContainsAny(s, " <>")
}

func isHost(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !hostPart.Get().MatchString(part) {
			return false
		}
	}
	return len(s) <= 253
}

// isRegexp leaves alone what only JavaScript knows: it says no to what no dialect
// takes.
func isRegexp(s string) bool {
	_, err := regexp.Compile(s)
	return err == nil || strings.Contains(s, "(?") || strings.Contains(s, `\`)
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}

var mannerWords = [...]string{asText: "string", asNumber: "number", asBool: "boolean", asNull: "", asChoice: "", asRaw: "JSON", asObject: "object", asArray: "array"}

// hint names the type of a field, in a few words.
func (p *painting) hint(x *field) string {
	s := x.shape
	word := mannerWords[x.manner]
	choices := p.form.checklist(x)
	switch {
	case x.manner == asText && s.format != "":
		word = inline(s.format, 16)
	case x.manner == asNumber && s.allowed&typeNumber == 0:
		word = "integer"
	case x.manner == asChoice && s.fixed && len(s.choices) == 1:
		word = "fixed"
	case x.manner == asChoice:
		word = "one of " + strconv.Itoa(len(s.choices))
	case choices != nil:
		word = strconv.Itoa(len(x.kids)) + " of " + strconv.Itoa(len(choices))
	}
	if x.variant >= 0 {
		word += " " + strconv.Itoa(x.variant+1) + "/" + strconv.Itoa(len(x.base.flat))
	}
	if s.deprecated {
		word += " deprecated"
	}
	return word
}

// rules says in a line what a value must be like.
func (p *painting) rules(x *field) string {
	s := x.shape
	var words []string
	if x.variant >= 0 && x.variant < len(x.base.flat) {
		words = append(words, "as "+x.base.flat[x.variant].word+", "+text.Plural(int64(len(x.base.flat)), "variant")+" (ctrl-t)")
	}
	allowed := s.allowed
	if s.nullable {
		allowed |= typeNull
	}
	if list := allowed.words(); s.named && strings.Contains(list, " or ") {
		words = append(words, list+" (ctrl-t)")
	}
	switch x.manner {
	case asText:
		words = append(words, bounds(s.minLength, s.maxLength, "character")...)
		for _, pattern := range s.patterns {
			words = append(words, "matches "+pattern)
		}
		if s.format != "" && formats.Get()[s.format].example != "" {
			words = append(words, "such as "+formats.Get()[s.format].example)
		}
	case asNumber:
		for _, l := range []struct {
			raw  []byte
			word string
		}{{s.least, "≥ "}, {s.above, "> "}, {s.most, "≤ "}, {s.below, "< "}, {s.step, "multiple of "}} {
			if l.raw != nil {
				words = append(words, l.word+inline(string(l.raw), 30))
			}
		}
	case asArray:
		words = append(words, bounds(s.minItems, s.maxItems, "item")...)
		if s.unique {
			words = append(words, "all different")
		}
	case asObject:
		words = append(words, bounds(s.minMembers, s.maxMembers, "member")...)
	case asRaw:
		if s.why != "" {
			words = append(words, s.why)
		}
	case asBool, asNull, asChoice:
	}
	if x.cut {
		words = append(words, "not all members are shown; raw mode has them all")
	}
	return strings.Join(words, " · ")
}

func bounds(least, most int, noun string) []string {
	switch {
	case most >= 0 && most == least:
		return []string{"exactly " + text.Plural(int64(most), noun)}
	case most >= 0 && least > 0:
		return []string{strconv.Itoa(least) + " to " + text.Plural(int64(most), noun)}
	case most >= 0:
		return []string{"at most " + text.Plural(int64(most), noun)}
	case least > 0:
		return []string{"at least " + text.Plural(int64(least), noun)}
	}
	return nil
}

package form

import (
	"strconv"
	"strings"

	"wiretea/ui/format"
)

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
		words = append(words, "as "+x.base.flat[x.variant].word+", "+format.Plural(int64(len(x.base.flat)), "variant")+" (ctrl-t)")
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
		return []string{"exactly " + format.Plural(int64(most), noun)}
	case most >= 0 && least > 0:
		return []string{strconv.Itoa(least) + " to " + format.Plural(int64(most), noun)}
	case most >= 0:
		return []string{"at most " + format.Plural(int64(most), noun)}
	case least > 0:
		return []string{"at least " + format.Plural(int64(least), noun)}
	}
	return nil
}

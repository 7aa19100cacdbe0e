package http

import (
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// fromCache returns the header field by which a response says that a cache has given it,
// and the server was not asked; empty = none does.
func fromCache(e *session.HTTPEvent) string {
	for _, f := range e.Fields {
		hit := false
		switch strings.ToLower(f.Name) {
		case "age": // RFC 9111 §5.1. Some caches add Age: 0 to what they pass on.
			seconds, err := strconv.ParseUint(strings.TrimSpace(f.Value), 10, 31)
			hit = err == nil && seconds > 0
		case "cache-status": // RFC 9211 §2.1
			hit = listed(f.Value, func(item string) bool {
				_, params, _ := strings.Cut(item, ";")
				for p := range strings.SplitSeq(params, ";") {
					if p = strings.TrimSpace(p); p == "hit" || p == "hit=?1" {
						return true
					}
				}
				return false
			})
		case "x-cache":
			hit = listed(f.Value, func(item string) bool {
				word, _, _ := strings.Cut(item, " ")
				return strings.EqualFold(word, "hit")
			})
		case "cf-cache-status":
			switch strings.ToUpper(strings.TrimSpace(f.Value)) {
			case "HIT", "STALE", "UPDATING":
				hit = true
			}
		}
		if hit {
			return rule.Short([]byte(f.Name + ": " + f.Value))
		}
	}
	return ""
}

// listed reports whether an item of a list with commas is as wanted.
func listed(list string, is func(item string) bool) bool {
	for item := range strings.SplitSeq(list, ",") {
		if is(strings.TrimSpace(item)) {
			return true
		}
	}
	return false
}

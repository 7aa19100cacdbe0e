package http

import (
	"net/url"
	"strings"

	"wiretea/session"
	"wiretea/session/check/rule"
)

// challenged judges the challenges of a response.
func challenged(ev *session.Event, t *trip, r session.Reporter) {
	res := ev.Trip.Response
	for i := range res.Fields {
		if f := &res.Fields[i]; strings.EqualFold(f.Name, "WWW-Authenticate") && f.Secret == nil {
			if wrong := misread(f.Value); wrong != "" {
				how, severity := "does not follow RFC 9110 §11.6.1", session.Warning
				if wrong == notClosed || wrong == notWhole {
					how, severity = "has an unusable resource_metadata", session.Error
				}
				found := challengeSyntax.At(ev, "the WWW-Authenticate of the %d to %s %s: %s: %s", res.Status, t.name(), how, wrong, rule.Excerpt([]byte(f.Value)))
				found.Severity = severity
				r.Report(found.AtRow(t.Row).Keyed(wrong))
			}
		}
	}
}

// What makes resource_metadata unusable.
const (
	notClosed = "the quotes of resource_metadata are not closed"
	notWhole  = "the value of resource_metadata is not a whole URL"
)

// misread says what is wrong with a list of challenges by RFC 9110 §11.6.1; empty = nothing.
func misread(list string) string {
	scheme := false
	for rest := skip(list, ", \t"); rest != ""; rest = skip(rest, ", \t") {
		name, after := token(rest)
		if name == "" {
			return "no name where one belongs"
		}
		value, has := strings.CutPrefix(skip(after, " \t"), "=")
		switch {
		case has && !scheme:
			return "no scheme before the parameter " + name
		case has:
			var wrong string
			if rest, wrong = paramValue(name, skip(value, " \t")); wrong != "" {
				return wrong
			}
		default:
			scheme, rest = true, after
			if word := skip(after, " \t"); word != after {
				rest = afterToken68(word)
				continue // The scheme's first parameter follows without a comma.
			}
		}
		if rest = skip(rest, " \t"); rest != "" && rest[0] != ',' {
			return "no comma after " + name
		}
	}
	return ""
}

// paramValue reads the value of a parameter, and returns what follows it.
func paramValue(name, text string) (rest, wrong string) {
	value := ""
	if quoted, is := strings.CutPrefix(text, `"`); is {
		end := 0
		for end < len(quoted) && quoted[end] != '"' {
			if quoted[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(quoted) {
			return "", "the quotes of " + strings.ToLower(name) + " are not closed"
		}
		value, rest = quoted[:end], quoted[end+1:]
	} else if value, rest = token(text); value == "" || rest != "" && !strings.ContainsRune(", \t", rune(rest[0])) {
		return "", "the value of " + name + " has no quotes"
	}
	if at, err := url.Parse(value); strings.EqualFold(name, "resource_metadata") && (err != nil || at.Scheme == "" || at.Host == "") {
		return "", notWhole
	}
	return rest, ""
}

// afterToken68 returns what follows the credentials of a scheme that has no parameters; text,
// if it has parameters.
func afterToken68(text string) string {
	end := strings.IndexFunc(text, func(b rune) bool { return !isToken(b) && b != '/' })
	if end < 0 {
		return ""
	}
	if rest := skip(strings.TrimLeft(text[end:], "="), " \t"); rest == "" || rest[0] == ',' {
		return rest
	}
	return text
}

// token cuts a token off.
func token(text string) (name, rest string) {
	end := strings.IndexFunc(text, func(b rune) bool { return !isToken(b) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

func skip(text, set string) string { return strings.TrimLeft(text, set) }

var challengeSyntax = &rule.Rule{ID: "auth-challenge-syntax", Severity: session.Warning, Fault: rule.Server}

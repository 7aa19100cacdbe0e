package redact

import (
	"bytes"
	"slices"

	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/lazy"
	"wiretea/session/secrets"
)

// spans returns what is secret in a body, or in the line of a record that has none,
// by itself, in order. Some may overlap.
func (r *Redactor) spans(text []byte, kind session.RecordKind) []secrets.Span {
	found := r.opt.Finder.All(text)
	if !r.opt.keepHomes {
		found = append(found, homes(text)...)
	}
	if kind == session.RecFrame || kind == session.RecRaw {
		for _, e := range diff.Select(text, r.opt.Paths) {
			found = append(found, valuesOf(text, e)...)
		}
	}
	switch kind {
	case session.RecFrame, session.RecRaw:
		found = append(found, codes(text)...)
	case session.RecHTTP:
		found = slices.DeleteFunc(found, func(s secrets.Span) bool { return kept(text, s) })
	default:
	}
	slices.SortStableFunc(found, func(a, b secrets.Span) int { return a.From - b.From })
	return found
}

// kept reports whether a span in the line of a round trip is what the recorder keeps of a
// credential: its length and its hash, which give nothing away.
func kept(text []byte, s secrets.Span) bool {
	before := text[:s.From]
	at := bytes.LastIndex(before, []byte(`"secret":{`))
	if at < 0 || bytes.IndexByte(before[at:], '}') >= 0 {
		return false
	}
	return slices.ContainsFunc([]string{`"len":`, `"odd":`, `"hash":"`, `"exp":`}, func(name string) bool { return bytes.HasSuffix(before, []byte(name)) })
}

// codes finds the authorization code in the form with which a client asks for a token: RFC
// 6749 §4.1.3. Its other secrets have names that say so.
func codes(text []byte) (spans []secrets.Span) {
	if !bytes.Contains(text, []byte("grant_type=authorization_code")) {
		return nil
	}
	for from := 0; from < len(text); {
		part, _, _ := bytes.Cut(text[from:], []byte("&"))
		if value, ok := bytes.CutPrefix(part, []byte("code=")); ok && len(value) > 0 && secrets.Ordinal(value) == 0 {
			at := from + len("code=")
			spans = append(spans, secrets.Span{From: at, To: at + len(value), Kind: "text code", Value: string(value)})
		}
		from += len(part) + 1
	}
	return spans
}

// home is the name of somebody's home folder.
var home = lazy.Regexp{Text: `(?:/home/|/Users/|[A-Za-z]:[\\/]Users[\\/])([^/\\"'\x00-\x20:;,<>|{}()\[\]*?%&$]+)`}

// nobodys are folders beside those of people.
var nobodys = lazy.Value[map[string]bool]{New: func() map[string]bool {
	return map[string]bool{"Shared": true, "Public": true, "Default": true, "linuxbrew": true}
}}

// homes finds the names of home folders.
func homes(text []byte) (spans []secrets.Span) {
	if !bytes.Contains(text, []byte("home")) && !bytes.Contains(text, []byte("Users")) {
		return nil
	}
	for l := range secrets.Levels(text) {
		for _, m := range home.Get().FindAllSubmatchIndex(l.Text, -1) {
			name := l.Text[m[2]:m[3]]
			if nobodys.Get()[string(name)] || secrets.Ordinal(name) > 0 {
				continue
			}
			from, to := l.Raw(m[2], m[3])
			spans = append(spans, secrets.Span{From: from, To: to, Kind: kindUser, Value: string(name)})
		}
	}
	return spans
}

// kindUser is the kind of a home folder's name. It is replaced in paths alone.
const kindUser = "user"

// valuesOf returns the insides of all strings, and all numbers, in a value.
func valuesOf(text []byte, e diff.Extent) (spans []secrets.Span) {
	for t := range secrets.Tokens(text[e.From:e.To]) {
		inside := text[e.From+t.From : e.From+t.To]
		if !t.Key && len(inside) > 0 && secrets.Ordinal(inside) == 0 {
			spans = append(spans, secrets.Span{From: e.From + t.From, To: e.From + t.To, Kind: "chosen path", Value: secrets.Plain(inside)})
		}
	}
	return spans
}

// isNumber reports whether a span is a number of JSON, or of JSON in a string.
func isNumber(text []byte, from, to int) bool {
	for _, c := range text[from:to] {
		if bytes.IndexByte([]byte("0123456789.eE+-"), c) < 0 {
			return false
		}
	}
	before := bytes.TrimRight(text[:from], " \t\r\n")
	after := bytes.TrimLeft(text[to:], " \t\r\n")
	return len(before) > 0 && bytes.IndexByte([]byte(":,["), before[len(before)-1]) >= 0 && len(after) > 0 && bytes.IndexByte([]byte(",}]"), after[0]) >= 0
}

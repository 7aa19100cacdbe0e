package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/lex"
	"wiretea/session/mcp"
)

// mostHint is the length, in bytes, from which a hint may be cut: one that holds a
// secret is then left out, because a part of the secret may be what is left of it.
const mostHint = 200

// head is a line up to the body, or all of it where something follows the body.
func head(rec *session.Record, line []byte) []byte {
	i := bodyAt(rec, line)
	if i < len(line) && recorder.VerbatimAt(rec, line) == 0 {
		if _, _, next := lex.OneMember(line, i+1); next != len(line)-1 {
			return line
		}
	}
	return line[:i]
}

// bodyAt is where the comma before the body is, or the line's end.
func bodyAt(rec *session.Record, line []byte) int {
	if at := recorder.VerbatimAt(rec, line); at > 0 {
		return at - len(`,"b":`)
	}
	for _, name := range []string{`,"b":`, `,"s":`, `,"x":`} {
		if i := bytes.Index(line[:min(len(line), 4<<10)], []byte(name)); i >= 0 {
			return i
		}
	}
	return len(line)
}

// marksIn returns what is to be replaced in the body of the i-th frame or raw record.
func (r *Redactor) marksIn(rec *session.Record, line []byte, i int) []mark {
	marks := append(r.find.marks(rec.Body), r.edits[rec.Off]...)
	if own, kept := r.own[i]; kept {
		marks = append(marks, own...)
	} else if r.isDirty(i) && alone(rec, line) {
		marks = append(marks, r.found(rec.Body, rec.Kind)...)
	}
	return settle(marks)
}

// found returns the secrets that a text gives away by itself.
func (r *Redactor) found(text []byte, kind session.RecordKind) []mark {
	return r.learn(r.spans(text, kind))
}

// ordinaryHead reports whether a line begins with nothing but the fields of a frame, and
// with no text in them that is long enough to hide something.
func ordinaryHead(top []byte) bool {
	for key, value := range lex.Members(top) {
		switch string(key) {
		case `"k"`, `"n"`, `"t"`, `"t1"`, `"trip"`, `"c"`, `"in"`, `"d"`, `"way"`, `"of"`, `"y"`, `"id"`, `"m"`, `"o"`, `"len"`, `"e"`:
		default:
			return false
		}
		if !longText(value) {
			continue
		}
		if _, method := mcp.Lookup(lex.Unquote(value)); !method {
			return false
		}
	}
	return true
}

// longText reports whether a value is a text in which a secret has room.
func longText(value []byte) bool {
	const short = 15
	return len(value) > short && value[0] == '"'
}

// frame returns the line of the i-th frame or raw record without its secrets, and how
// much longer its body has become.
func (r *Redactor) frame(rec *session.Record, line []byte, i int) (out []byte, longer int) {
	marks := r.marksIn(rec, line, i)
	if top := head(rec, line); len(marks) == 0 && len(r.find.marks(top)) == 0 && (!r.isDirty(i) || len(r.found(top, session.RecUnknown)) == 0) {
		return line, 0
	}
	body := r.replace(rec.Body, marks, r.fixed[streamOf(rec)])
	members, ok := membersOf(line)
	if !ok {
		return nil, 0
	}
	out = make([]byte, 0, len(line)+64)
	for _, m := range members {
		switch m.name {
		case "b", "s", "x":
			out = appendBody(out, m.name, body)
		case "len":
			out = appendMember(out, "len", strconv.AppendInt(nil, int64(len(body)), 10))
		case "id", "m", "o":
			if len(marks) > 0 && len(m.value) >= mostHint {
				continue
			}
			out = appendMember(out, m.name, r.text(m.value, session.RecUnknown))
		case "mid":
			// Its offsets are those of the body as it was.
			if len(body) == len(rec.Body) {
				out = appendMember(out, m.name, r.text(m.value, session.RecUnknown))
			}
		case "k", "n", "t", "t1", "trip", "c", "in", "d", "y", "e", "way", "of":
			if longText(m.value) {
				m.value = r.text(m.value, session.RecUnknown)
			}
			out = appendMember(out, m.name, m.value)
		default:
			name := lex.Unquote(r.text(lex.AppendQuote(nil, m.name), session.RecUnknown))
			out = appendMember(out, name, r.text(m.value, session.RecUnknown))
		}
	}
	return append(out, '}'), len(body) - len(rec.Body)
}

// text is a text without its secrets.
func (r *Redactor) text(p []byte, kind session.RecordKind) []byte {
	return r.replace(p, settle(append(r.find.marks(p), r.found(p, kind)...)), false)
}

// header is the header's line without secrets: the copy is another session, which
// nobody can act on.
func (r *Redactor) header(line []byte) []byte {
	members, ok := membersOf(r.text(line, session.RecHeader))
	if !ok {
		return nil
	}
	var out []byte
	for _, m := range members {
		switch m.name {
		case "sock", "via", "redacted":
		case "sid":
			sum := sha256.Sum256(append([]byte("redacted "), m.value...))
			out = appendMember(out, "sid", []byte(`"`+hex.EncodeToString(sum[:16])+`"`))
		default:
			out = appendMember(out, m.name, m.value)
		}
	}
	return append(appendMember(out, "redacted", []byte("true")), '}')
}

// last is the end record's line, with the bytes that there are now.
func (r *Redactor) last(line []byte, bytes int64) []byte {
	members, ok := membersOf(r.text(line, session.RecEnd))
	if !ok {
		return nil
	}
	var out []byte
	for _, m := range members {
		if m.name == "bytes" {
			m.value = strconv.AppendInt(nil, bytes, 10)
		}
		out = appendMember(out, m.name, m.value)
	}
	return append(out, '}')
}

// A member is one member of a record, its value as it is.
type member struct {
	name  string
	value []byte
}

// membersOf splits a record. It reports false for what is not an object.
func membersOf(line []byte) (all []member, ok bool) {
	ok = lex.Walk(line, func(key, value []byte) bool {
		all = append(all, member{lex.Unquote(key), value})
		return true
	})
	return all, ok
}

func appendMember(dst []byte, name string, value []byte) []byte {
	if len(dst) == 0 {
		dst = append(dst, '{')
	} else {
		dst = append(dst, ',')
	}
	dst = append(lex.AppendQuote(dst, name), ':')
	return append(dst, value...)
}

// appendBody appends a body in the form it had, where it still can have it.
func appendBody(dst []byte, was string, body []byte) []byte {
	switch {
	case was == "b" && json.Valid(body):
		return appendMember(dst, "b", body)
	case utf8.Valid(body):
		return appendMember(dst, "s", lex.AppendQuoteValid(nil, body))
	}
	return appendMember(dst, "x", []byte(`"`+base64.StdEncoding.EncodeToString(body)+`"`))
}

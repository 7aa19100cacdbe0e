package replay

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"wiretea/session/json/diff"
	"wiretea/session/jsonrpc"
	"wiretea/session/lazy"
)

// A difference is between a recorded message and a live one.
type difference struct {
	old, new []byte // new has the recorded values where they do not count.
	why      string
	live     jsonrpc.Kind
}

// compare compares a recorded message with a live one: d is nil where they mean the
// same and are written alike. old is nil where their bytes are equal.
func (p *play) compare(at int32, live []byte, frame *text, alone bool) (old []byte, d *difference, err error) {
	m := &p.script.Messages[at]
	t, err := p.script.read(m.Step)
	if err != nil {
		return nil, nil, err
	}
	if alone && bytes.Equal(t.raw, frame.raw) {
		return nil, nil, nil
	}
	if err := p.script.scan(at, func(found *jsonrpc.Message, body []byte) { old = found.Span.In(body) }); err != nil {
		return nil, nil, err
	}
	d = &difference{old: old, new: live}
	jsonrpc.Scan(live, func(l *jsonrpc.Message) { d.live = l.Kind })
	translated := p.taskSubstitutions().learn(old, live)
	changes, err := diff.Compare(old, translated, p.ignored(m)...)
	switch {
	case errors.Is(err, diff.ErrTooLarge):
		if bytes.Equal(old, translated) {
			changes = nil
			break
		}
		d.why = "too large to be compared by structure, and the bytes differ"
		return old, d, nil
	case err != nil:
		if bytes.Equal(old, translated) {
			break
		}
		d.why = "the text differs"
		return old, d, nil
	}
	var aside []splice
	counted := 0
	for _, c := range changes {
		if !p.cfg.Strict && c.OfTimes() {
			aside = append(aside, splice{int64(c.NewAt), int64(len(c.New)), c.Old})
			continue
		}
		counted++
	}
	if counted > 0 {
		d.new = apply(translated, aside)
		d.why = "the message differs"
		if m.Kind.Response() && d.live.Response() && d.live != m.Kind {
			d.why = "the response was an error and is a result"
			if d.live == jsonrpc.Error {
				d.why = "the response was a result and is an error"
			}
		}
		return old, d, nil
	}
	if alone {
		if was, is := manner(&t), manner(frame); was != is {
			d.new = apply(translated, aside)
			d.why = "it is written differently; recorded: " + was + "; now: " + is
			return old, d, nil
		}
	}
	return old, nil, nil
}

// taskSubstitutions are the substitutions of task ids. A message that may stand for
// another one adds none.
func (p *play) taskSubstitutions() substitutions {
	l := substitutions{}
	for g, v := range p.substitutions {
		if g.kind == givenTask {
			l[g] = v
		}
		if len(l) > maxTasks {
			break
		}
	}
	return l
}

var timeInText = lazy.Regexp{Text: `\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d([.,]\d+)?\b`}

// times returns a line with its times taken out.
func times(line []byte) []byte { return timeInText.Get().ReplaceAll(line, []byte("time")) }

// manner says how a frame is written, in words: what of it is not in the message's
// structure.
func manner(t *text) string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if t.body > 0 {
		say("framed by Content-Length")
	}
	if n := bytes.Count(t.json(), []byte{'\n'}); n > 0 {
		say("spread over lines") // how many, the difference would show
	}
	switch term := t.raw[t.end:]; {
	case t.body > 0 || bytes.Equal(term, []byte("\n")):
	case len(term) == 0:
		say("no line feed at its end")
	default:
		say("its line ends with %q", term)
	}
	text := jsonrpc.Scan(t.json(), nil)
	if d := text.Defects &^ (jsonrpc.OuterSpace | jsonrpc.RawLineSeparator); d != 0 {
		say("%s", d)
	}
	if text.Syntax != jsonrpc.Complete {
		say("%s JSON", text.Syntax)
	}
	if len(words) == 0 {
		return "one message on a line"
	}
	return strings.Join(words, ", ")
}

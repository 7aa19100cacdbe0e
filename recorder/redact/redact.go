package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/json/diff"
	"wiretea/session/secrets"
)

// Options say what is secret beyond what everybody's secrets look like.
type Options struct {
	Finder *secrets.Finder // Finder finds secrets; nil = one without a user's own names and patterns.
	Paths  []diff.Path     // Paths lead to values of bodies that are secret.

	// Moved, unless nil, is called now and then with how many bytes are done.
	Moved func(done, total int64)

	keepHomes bool // keepHomes leaves the names of home folders.
}

// A Redactor replaces the secrets of one log.
type Redactor struct {
	opt    Options
	log    recorder.Log
	known  *table
	find   *matcher // find finds the known ones; set once all are learned.
	edits  map[int64][]mark
	dirty  []uint64       // dirty has a bit a frame or raw record, in their order: something was found in it.
	own    map[int][]mark // own are the marks of what such a record gives away by itself; of those beyond mostOwn it is found again.
	owned  int            // owned counts them and the records.
	end    int64          // end is how far the log was learned.
	fixed  map[stream]bool
	Damage recorder.Damage // Damage is what the copy leaves out, after Learn.
	Torn   int64           // Torn is how many bytes behind the last record it leaves out, after Learn.
}

// A stream is one stream of one connection, and one way.
type stream struct {
	conn   int
	trip   int
	stream session.Stream
	way    session.Way
}

// Learn reads a log as far as it has come and learns its secrets. It returns ctx's
// error, or why the log cannot be read.
func Learn(ctx context.Context, log recorder.Log, opt Options) (*Redactor, error) {
	r := newRedactor(log, opt)
	several, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	r.find = newMatcher(r.known)
	if len(r.find.forms) > 0 && (len(r.edits) > 0 || several) {
		if err := r.findInChains(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// read learns what the log shows, and reports whether values are spread over several records.
func (r *Redactor) read(ctx context.Context) (several bool, err error) {
	log, chains := r.log, newChains(r.learnChain)
	count := 0
	reader, moved := recorder.NewReader(log, 0), r.moves(log.Size(), 0)
	err = recorder.Ahead(ctx, reader, true, func() recorder.Work[looked] { return r.look }, func(rec *session.Record, line []byte, by *looked) error {
		if recorder.Evicted(rec) {
			return recorder.ErrEvicted
		}
		moved(rec.Off + rec.Size)
		r.known.seen(line)
		own := r.learn(by.whole)
		if rec.Kind == session.RecGap {
			chains.add(rec, line)
		}
		if rec.Kind != session.RecFrame && rec.Kind != session.RecRaw {
			return nil
		}
		// A Content-Length header block.
		if rec.Kind == session.RecFrame && len(rec.Term) > 1 && len(rec.Body) > 8 && bytes.EqualFold(rec.Body[:8], []byte("content-")) {
			r.fixed[streamOf(rec)] = true
		}
		if len(by.head)+len(by.whole) > 0 {
			r.setDirty(count)
			if r.owned += 1 + len(own); r.owned <= mostOwn {
				r.own[count] = own
			}
		}
		count++
		chains.add(rec, line)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("reading the recording: %w", err)
	}
	if err != nil {
		return false, err
	}
	r.end = reader.Offset()
	chains.close()
	r.Damage, r.Torn = reader.Damage(), max(0, log.Size()-r.end)
	return chains.several, nil
}

func newRedactor(log recorder.Log, opt Options) *Redactor {
	if opt.Finder == nil {
		opt.Finder = &secrets.Finder{}
	}
	return &Redactor{opt: opt, log: log, known: &table{index: map[string]int{}}, edits: map[int64][]mark{}, own: map[int][]mark{}, fixed: map[stream]bool{}}
}

// looked is what a record shows by itself: the spans of its head and of all that is whole
// in it, the body of a frame or the line of another record.
type looked struct{ head, whole []secrets.Span }

// look finds them.
func (r *Redactor) look(rec *session.Record, line []byte, out *looked) {
	*out = looked{}
	if rec.Kind != session.RecFrame && rec.Kind != session.RecRaw {
		out.whole = r.spans(line, rec.Kind)
		return
	}
	if top := head(rec, line); !ordinaryHead(top) {
		out.head = r.spans(top, session.RecUnknown)
	}
	if alone(rec, line) {
		out.whole = r.spans(rec.Body, rec.Kind)
	}
}

// walk calls f for each record that was learned. pass counts the passes for Moved.
func (r *Redactor) walk(ctx context.Context, pass int64, f func(rec *session.Record, line []byte) error) error {
	reader, moved := recorder.NewReader(r.log, 0), r.moves(r.end, pass)
	var rec session.Record
	for reader.Offset() < r.end {
		err := reader.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && recorder.Evicted(&rec) {
			err = recorder.ErrEvicted
		}
		if err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		moved(reader.Offset())
		if err := f(&rec, reader.Line()); err != nil {
			return err
		}
	}
	return nil
}

// often is after how many bytes Moved is called.
const often = 1 << 20

// moves returns a function that says how far a pass over size bytes has come.
func (r *Redactor) moves(size, pass int64) func(at int64) {
	said := int64(-often)
	return func(at int64) {
		if r.opt.Moved != nil && at-said >= often {
			said = at
			r.opt.Moved(pass*size+at, 2*size)
		}
	}
}

// mostOwn is of how many marks and records together this is kept from one pass to the other: in
// 4 MiB.
const mostOwn = 64 << 10

// learn takes the values of spans into the table, and returns where they are.
func (r *Redactor) learn(spans []secrets.Span) (marks []mark) {
	for _, s := range spans {
		marks = append(marks, mark{from: s.From, to: s.To, secret: r.known.learn(s.Value, s.Kind), kind: s.Kind})
	}
	return marks
}

func (r *Redactor) setDirty(i int) {
	for len(r.dirty) <= i/64 {
		r.dirty = append(r.dirty, 0)
	}
	r.dirty[i/64] |= 1 << (i % 64)
}

func (r *Redactor) isDirty(i int) bool { return i/64 < len(r.dirty) && r.dirty[i/64]>>(i%64)&1 != 0 }

func streamOf(rec *session.Record) stream { return stream{rec.Conn, rec.Trip, rec.Stream, rec.Way} }

// Texts returns a function that takes the secrets of a log out of texts about it that
// others will read, such as findings in the log of a build. The log is read when the
// first text comes; of one that cannot be read only those secrets are taken out that a
// text shows by itself. Placeholders have no numbers, so that the texts of two sessions
// can be compared, and the names of home folders stay.
func Texts(ctx context.Context, log recorder.Log) func(text string) string {
	learned := sync.OnceValue(func() *Redactor {
		if log != nil {
			if r, err := Learn(ctx, log, Options{keepHomes: true}); err == nil {
				return r
			}
		}
		r := newRedactor(log, Options{keepHomes: true})
		r.find = newMatcher(r.known)
		return r
	})
	return func(text string) string {
		if text == "" {
			return ""
		}
		r := learned()
		return secrets.Unnumbered(r.withoutBeginnings(r.Text(text)))
	}
}

// Bounds of the search for the beginnings of secrets.
const (
	leastBeginning = 4
	maxBeginnings  = 10_000 // maxBeginnings is how many secrets are looked for.
)

// withoutBeginnings takes out what is left of secrets where a text was cut, which an
// ellipsis shows.
func (r *Redactor) withoutBeginnings(text string) string {
	const ellipsis = "…"
	parts := strings.Split(text, ellipsis)
	for i, part := range parts[:len(parts)-1] {
		most := leastBeginning - 1
		for _, s := range r.known.list[:min(len(r.known.list), maxBeginnings)] {
			for n := min(len(s.value)-1, len(part)); n > most; n-- {
				if strings.HasSuffix(part, s.value[:n]) {
					most = n
					break
				}
			}
		}
		if most >= leastBeginning {
			parts[i] = part[:len(part)-most] + "redacted"
		}
	}
	return strings.Join(parts, ellipsis)
}

package detail

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/jsonview"
	"wiretea/ui/pane"
)

const (
	firstWindow = 256 << 10 // bytes of a body that are shown before the rest is read
	maxShown    = 100 << 20 // most bytes of a body that are read at all
	readStep    = 8 << 20   // bytes read between two reports

	keptFrames = 16       // frames kept besides the one that is shown
	keptBytes  = 64 << 20 // bytes of them, about
)

// A form is how a frame's bytes are shown.
type form uint8

const (
	pretty form = iota
	exact
	numForms
)

func formOf(t tabKind) form {
	if t == rawTab {
		return exact
	}
	return pretty
}

// A frame is a row's bytes as far as they were read, and how they are shown.
type frame struct {
	row      uint32
	kind     session.RowKind // kind and total are the row's when it was read.
	total    int64
	buf      []byte // buf is the body and its terminator.
	n        int64  // n is how much of buf is body.
	whole    bool   // whole: there is no more to read.
	err      error
	views    [numForms]*jsonview.View
	searched [numForms]string // searched is the text whose first hit was gone to.
}

func (f *frame) memory() int64 {
	n := int64(cap(f.buf))
	for _, v := range f.views {
		if v != nil && v.Document() != nil {
			n += v.Document().Memory() - int64(cap(v.Document().Body()))
		}
	}
	return n
}

// stale reports whether the row has changed since it was read. What grows is
// read again only while it is short.
func (f *frame) stale(r session.Row) bool {
	if f.kind != r.Kind {
		return true
	}
	return f.total != int64(r.Len) && f.total < firstWindow
}

// A cache is the frames that were looked at, the latest first.
type cache struct{ frames []*frame }

func (c *cache) get(row uint32) *frame {
	for _, f := range c.frames {
		if f.row == row {
			return f
		}
	}
	return nil
}

// put makes f the latest frame, and forgets the oldest ones.
func (c *cache) put(f *frame) {
	others := slices.DeleteFunc(c.frames, func(old *frame) bool { return old.row == f.row })
	used := int64(0)
	for i, old := range others {
		if used += old.memory(); i >= keptFrames || used > keptBytes {
			others = others[:i]
			break
		}
	}
	c.frames = append([]*frame{f}, others...)
}

// A load is a body that is being read. It belongs to the command that is under
// way, and goes from one to the next with the messages.
type load struct {
	row    uint32
	r      session.Row
	form   form
	ctx    context.Context
	cancel context.CancelFunc
	log    recorder.Log
	snap   *session.Snapshot // snap is for values over several lines.

	body  *recorder.BodyReader
	buf   []byte
	n     int64
	index *jsonview.Document // index is of what was read, nil where there is none yet.
	whole bool
}

// stop gives up what is being read.
func (p *Pane) stop() {
	if p.load != nil {
		p.load.cancel()
		p.load = nil
	}
}

// step returns the command that reads on.
func (p *Pane) step(l *load) tea.Cmd {
	return pane.Work(p, func() pane.Then {
		err := l.read()
		return func(c *pane.Context) tea.Cmd { return p.take(c, l, err) }
	})
}

// read reads the next piece; the first one, and all that was read at the end,
// with its index.
func (l *load) read() error {
	if l.whole {
		return l.makeIndex()
	}
	want := int64(firstWindow)
	if l.body == nil {
		l.body = recorder.NewBodyReader(l.log, l.snap, l.row, maxShown)
	} else {
		want = l.n + readStep
	}
	first := l.index == nil
	if err := l.body.Read(l.ctx, want); err != nil {
		return err
	}
	l.buf, l.n, l.whole = l.body.Bytes(), int64(len(l.body.Body())), l.body.Done()
	if first || l.whole {
		return l.makeIndex()
	}
	return nil
}

// makeIndex makes the index of what was read.
func (l *load) makeIndex() error {
	text := l.buf[:l.n:l.n]
	if l.form == exact {
		text = l.buf
	}
	more := !l.whole || l.n < int64(l.r.Len) && l.r.Flags&session.FlagJoined == 0 || l.r.Kind == session.RowGrowing
	d, err := jsonview.Index(l.ctx, text, jsonview.Options{Raw: l.form == exact, More: more})
	if err != nil {
		return err
	}
	l.index = d
	return nil
}

// take takes what a command has read, and reads on.
func (p *Pane) take(c *pane.Context, l *load, err error) tea.Cmd {
	if l != p.load {
		return nil
	}
	f := p.cache.get(l.row)
	if f == nil {
		f = &frame{row: l.row}
	}
	f.kind, f.total, f.err = l.r.Kind, int64(l.r.Len), err
	f.buf, f.n, f.whole = l.buf, l.n, l.whole || err != nil
	if err != nil {
		p.load = nil
		p.cache.put(f)
		return nil
	}
	fresh := f.views[l.form] == nil
	if d := l.index; d != nil {
		v := f.views[l.form]
		switch {
		case fresh:
			v = jsonview.New()
			v.Resize(p.bodySize())
			v.SetSearch(c.Search.Text)
			v.Show(d)
			v.SetWrap(p.wrap)
			f.views[l.form] = v
		case v.Document() != d:
			v.Grown(d)
		}
	}
	p.cache.put(f)
	if !l.whole {
		return p.step(l)
	}
	p.load = nil
	l.cancel()
	return tea.Batch(p.ensure(c), p.firstHit(c, f, l.form))
}

package http

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"wiretea/session"
)

// A wholeBody is a body of a response that was read whole and decided on.
type wholeBody struct {
	ruling   session.Ruling
	came     []byte // came is the body as it came.
	recorded bool   // recorded: it was held, and is in the record.
	mark     int64  // mark is that of came, where only that is in the record; 0 = it is not.
}

// decideWhole decides on the whole of a response before its head is sent. Event streams
// are decided on event by event.
func (d *download) decideWhole() error {
	f, res := d.f, d.res
	coded := res.Header.Get("Content-Encoding") != ""
	f.backOnStream()
	back := f.batch && len(f.ruling.Back) > 0
	if f.judge() == nil || isEvents(res.Header) && !coded {
		if f.judge() != nil {
			d.events = newEventJudge(d)
		}
		return nil
	}
	if res.ContentLength == 0 && !back || !f.hasBody() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxWhole+1))
	if err != nil {
		return err
	}
	var r session.Ruling
	if coded || len(text) > maxWhole {
		if r.By = f.judge().TooLong(); r.By == "" {
			res.Body = otherBody{io.MultiReader(bytes.NewReader(text), res.Body), res.Body}
			return nil
		}
		return fmt.Errorf("the response cannot be decided on (%s)", r.By)
	}
	recorded := false
	if len(bytes.TrimSpace(text)) > 0 {
		head := func() session.HTTPHead {
			return session.HTTPHead{Status: res.StatusCode, Fields: f.log().shown(res.Header)}
		}
		r = f.judge().Decide(session.Carried{Carrier: session.ByBody, Conn: f.conn, Stream: session.S2C, Text: text, Head: head})
		if recorded = r.Verb == session.Hold; recorded {
			r = d.holdWhole(r, text)
		}
		if recorded && r.Effect != nil && r.Effect.Silent {
			f.silence(r.By)
		}
	}
	mark, over := d.breakWhole(&r, text)
	if over {
		return errFault
	}
	if back {
		given := text
		if !r.Whole() {
			given = r.Text
		}
		r = session.Ruling{Verb: session.Alter, By: f.ruling.By, Text: f.back(given)}
		res.StatusCode = http.StatusOK
		res.Header.Set("Content-Type", "application/json")
	}
	d.whole = &wholeBody{ruling: r, came: text, recorded: recorded, mark: mark}
	if !r.Whole() {
		f.altered(r.By)
		text = bytes.Join(append([][]byte{r.Text}, r.More...), []byte{'\n'})
	}
	res.Body = otherBody{bytes.NewReader(text), res.Body}
	if f.by == "" {
		d.length = strconv.Itoa(len(text))
	}
	res.ContentLength = int64(len(text))
	return nil
}

// holdWhole waits until somebody has decided on the body of a response, whose head the record
// gets before it.
func (d *download) holdWhole(r session.Ruling, text []byte) session.Ruling {
	f, res := d.f, d.res
	f.trip.response(&session.HTTPEvent{Status: res.StatusCode, Proto: res.Proto}, res.Header)
	d.headed = true
	r, _ = f.await(session.S2C, r, text)
	d.edit(r.Head)
	return r
}

// record records a body that was decided on.
func (w *wholeBody) record(t *TripRecorder) {
	if w.recorded {
		return
	}
	switch {
	case w.mark != 0:
		t.went(session.S2C, &w.ruling, w.mark)
	case w.ruling.By == "":
		t.Received(w.came)
	default:
		t.ruled(session.S2C, &w.ruling, w.came)
	}
}

// An otherBody is a body whose text comes from elsewhere. Closing it closes the connection's.
type otherBody struct {
	io.Reader
	io.Closer
}

package checkup

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/text"
)

// Recorded adds the steps that are read from the recording, once it is complete: where
// messages were redirected to, and how often connections were used again. skip tells the
// connections that do not count.
func (d *Doctor) Recorded(log recorder.Log, skip func(conn int) bool) error {
	var w witness
	for rec, err := range recorder.NewReader(log, 0).Records() {
		if err != nil {
			return err
		}
		if rec.Kind == session.RecHTTP && !skip(rec.Conn) {
			w.see(rec)
		}
	}
	d.looks = append(d.looks, w.redirect())
	d.greets = append(d.greets, w.keptAlive())
	return nil
}

// A witness is what the records tell of the round trips.
type witness struct {
	at       map[int]request
	hops     []string
	took     time.Duration
	answered int
	conns    int // conns counts the connections of TCP that round trips were answered on.
	used     map[int]bool
}

type request struct {
	method, path string
	t            int64
}

// see takes a record of a round trip.
func (w *witness) see(rec *session.Record) {
	ev := rec.HTTP
	switch ev.Event {
	case "req":
		if w.at == nil {
			w.at, w.used = map[int]request{}, map[int]bool{}
		}
		path, _, _ := strings.Cut(ev.Target, "?")
		w.at[rec.Trip] = request{ev.Method, path, rec.T}
	case "conn":
		w.used[rec.Trip] = ev.Reused
	case "res":
		q, known := w.at[rec.Trip]
		if !known || ev.Status < 200 {
			return
		}
		delete(w.at, rec.Trip)
		w.answered++
		if !w.used[rec.Trip] {
			w.conns++
		}
		if ev.Status/100 == 3 && ev.Status != 304 {
			w.hop(q, ev, time.Duration(rec.T-q.t))
		}
	}
}

// hop takes a redirect.
func (w *witness) hop(q request, ev *session.HTTPEvent, took time.Duration) {
	to, _ := ev.Field("Location")
	w.took += took
	if len(w.hops) < mostHops {
		w.hops = append(w.hops, fmt.Sprintf("%d from %s to %s", ev.Status, q.path, place(to)))
	}
}

// mostHops is how many redirects are told.
const mostHops = 4

// place is a Location without what may be secret.
func place(to string) string {
	u, err := url.Parse(to)
	switch {
	case to == "":
		return "nowhere"
	case err != nil:
		return "a location that is not a URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

func (w *witness) redirect() verdict.Step {
	s := verdict.Step{Name: "redirect", State: verdict.Passed, Took: w.took, Text: "none"}
	switch {
	case w.answered == 0:
		s.State, s.Text = verdict.Skipped, "nothing was answered"
	case len(w.hops) > 0:
		s.State, s.Text, s.Rule = verdict.Failed, strings.Join(w.hops, ", "), "http-redirect"
	}
	return s
}

func (w *witness) keptAlive() verdict.Step {
	s := verdict.Step{Name: "keep-alive", State: verdict.Passed}
	switch {
	case w.answered < 2:
		s.State, s.Text = verdict.Skipped, "there were not two answers"
	case w.conns == w.answered:
		s.State, s.Text = verdict.Skipped, fmt.Sprintf("%s, each on a connection of its own: slower, and allowed", text.Plural(int64(w.answered), "answer"))
	default:
		s.Text = fmt.Sprintf("%s on %s", text.Plural(int64(w.answered), "answer"), text.Plural(int64(w.conns), "connection"))
	}
	return s
}

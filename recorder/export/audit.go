package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/lazy"
)

// A decision is one line of an audit: what was decided on a message, or what was switched on,
// changed or failed of what decides.
type decision struct {
	Time      time.Time `json:"time"`
	Session   string    `json:"session"`
	Server    string    `json:"server,omitempty"`
	Conn      int       `json:"connection"`
	N         uint64    `json:"record"`              // N is the record of the message as it came.
	Direction string    `json:"direction,omitempty"` // Direction is c2s or s2c.
	Kind      string    `json:"kind,omitempty"`      // Kind is request, notification, result, error …
	Method    string    `json:"method,omitempty"`
	Target    string    `json:"target,omitempty"` // Target is the tool, prompt or URI.
	Bytes     int64     `json:"bytes,omitempty"`
	Who       string    `json:"who"`                 // Who is policy, fault, person or wiretea.
	Rule      string    `json:"rule,omitempty"`      // Rule is the rule of the policy, or the kind of the fault.
	By        []string  `json:"by,omitempty"`        // By are all who decided, as the record has them.
	Outcome   string    `json:"outcome"`             // Outcome is allowed, altered, denied, answered or dropped; of what decides its event: on, changed, broken …; of the session itself session, and incomplete where decisions may be missing
	Replaced  []uint64  `json:"replaced,omitempty"`  // Replaced are the records of what went on in its place, or answers it.
	Waited    float64   `json:"waited_ms,omitempty"` // Waited is after which time that went on, in ms.
	Text      string    `json:"text,omitempty"`

	came            []byte // came is the message, until the outcome is known.
	onward, altered bool
	back, denied    bool
	waits           bool // waits: a rule asks a person or holds it, and nobody's decision is recorded as a message.
	stream          session.Stream
	at              int64
}

// Audit writes every decision on a message with a line each, in the order in which the
// messages came: JSON, or CEF where Recording.CEF says so. What was decided later than a
// message came is in its line.
func Audit(ctx context.Context, w io.Writer, r *Recording) error {
	all, err := r.audited(ctx)
	if err != nil {
		return err
	}
	return r.writeDecisions(w, all)
}

// audited are the decisions, and where some may be missing one that says so.
func (r *Recording) audited(ctx context.Context) ([]*decision, error) {
	all, err := r.decisions(ctx)
	if err != nil {
		return nil, err
	}
	if missing := r.missing(); missing != "" {
		d := r.stamp(&session.Record{T: r.Snap.Row(uint32(max(r.Snap.Len(), 1) - 1)).T, Conn: 1})
		d.Who, d.Outcome, d.Text = "wiretea", "incomplete", "missing: "+missing
		all = append(all, &d)
	}
	return all, nil
}

// writeDecisions writes decisions, which may be of several recordings.
func (r *Recording) writeDecisions(w io.Writer, all []*decision) (err error) {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, d := range all {
		if r.CEF {
			_, err = io.WriteString(out, d.cef(r.Tool)+"\n")
		} else {
			err = enc.Encode(d)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// decisions are those of the recording that its filter selects.
func (r *Recording) decisions(ctx context.Context) ([]*decision, error) {
	var all []*decision
	if h := r.Snap.Header(); h != nil {
		d := r.stamp(&session.Record{Conn: 1})
		d.Who, d.Outcome, d.Text = "wiretea", "session", strings.TrimSpace(h.Mode+" "+h.Trans+" "+strings.Join(h.Server(), " "))
		all = append(all, &d)
	}
	byN := map[uint64]*decision{}
	for rec, err := range recorder.NewReader(r.Log, 0).Records() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		switch {
		case rec.Again:
		case rec.Kind == session.RecPath:
			all = append(all, r.switched(rec))
		case rec.Kind != session.RecFrame && rec.Kind != session.RecRaw || rec.By == "":
		case rec.Way != session.WayOut:
			d := r.decided(rec)
			byN[rec.N] = d
			all = append(all, d)
		case byN[rec.Of] != nil:
			byN[rec.Of].went(rec)
		}
	}
	names, err := r.messages(ctx, byN)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(d *decision) bool {
		d.close()
		return r.Filter != nil && !names[d.N]
	}), nil
}

// stamp is what every line has.
func (r *Recording) stamp(rec *session.Record) decision {
	d := decision{Conn: rec.Conn, N: rec.N, at: rec.T, stream: rec.Stream}
	if h := r.Snap.Header(); h != nil {
		d.Time, d.Session, d.Server = h.T0.Add(time.Duration(rec.T)).UTC(), h.SID, recorder.ShortName(h)
	}
	return d
}

// switched is the line of an event of what decides.
func (r *Recording) switched(rec *session.Record) *decision {
	d := r.stamp(rec)
	d.Who, d.Rule, d.Outcome, d.Text = "wiretea", rec.Path.What, rec.Path.Event, rec.Path.Text
	return &d
}

// decided is the line of a message that was decided on.
func (r *Recording) decided(rec *session.Record) *decision {
	d := r.stamp(rec)
	by := strings.TrimSuffix(strings.TrimSuffix(rec.By, session.ByAsked), session.ByHeld)
	d.Direction, d.By, d.waits = rec.Stream.String(), strings.Split(by, "; "), by != rec.By
	d.Who, d.Rule = who(d.By)
	if rec.Way == session.Crossed {
		d.onward = true
	} else {
		d.came = bytes.Clone(rec.Body)
	}
	return &d
}

// who is who decided last of all, and the rule or the fault that did so first.
func who(by []string) (who, rule string) {
	who = "wiretea"
	for _, part := range by {
		word, text, named := strings.Cut(part, ": ")
		switch {
		case named && (word == "policy" || word == "fault"):
			who, rule = word, cmp.Or(rule, text)
		case named && word == "hold" || strings.Contains(part, " by "):
			who = "person"
		}
	}
	return who, rule
}

// went notes what went on in place of the message, or answers it.
func (d *decision) went(rec *session.Record) {
	if d.Replaced = append(d.Replaced, rec.N); len(d.Replaced) == 1 && rec.T > d.at {
		d.Waited = float64((rec.T-d.at)/1000) / 1000
	}
	if rec.By != strings.Join(d.By, "; ") {
		d.By = strings.Split(rec.By, "; ") // It was held, and decided on later.
		d.Who, d.Rule = who(d.By)
	}
	d.denied = d.denied || bytes.Contains(rec.Body, []byte(`"denied by `))
	if rec.Stream != d.stream {
		d.back = true
		return
	}
	d.altered = d.altered || d.onward || !bytes.Equal(rec.Body, d.came)
	d.onward = true
}

// close says what came of it.
func (d *decision) close() {
	d.came = nil
	switch {
	case d.Outcome != "":
	case d.denied, d.Who == "policy" && !d.onward && !d.back && !d.waits:
		d.Outcome = "denied"
	case d.back:
		d.Outcome = "answered"
	case d.altered:
		d.Outcome = "altered"
	case d.onward:
		d.Outcome = "allowed"
	default:
		d.Outcome = "dropped"
	}
}

// messages fills in what the rows say of the messages, and returns those that the filter
// selects.
func (r *Recording) messages(ctx context.Context, byN map[uint64]*decision) (map[uint64]bool, error) {
	selected := map[uint64]bool{}
	if len(byN) == 0 {
		return selected, nil
	}
	err := r.rows(ctx, func(i uint32, row session.Row) error {
		d := byN[uint64(row.N)]
		if d == nil {
			return nil
		}
		selected[d.N] = true
		d.Kind, d.Method, d.Target, d.Bytes = row.Kind.String(), r.Snap.Name(row.Method), r.Snap.Name(row.Target), int64(row.Len)
		return nil
	})
	return selected, err
}

// severities are those of CEF, from 0 to 10, by the outcome.
var severities = lazy.Value[map[string]int]{New: func() map[string]int {
	return map[string]int{"denied": 6, "broken": 8, "dropped": 5, "altered": 4, "answered": 4}
}}

// cef is a line in the Common Event Format.
func (d *decision) cef(tool string) string {
	_, version, _ := strings.Cut(tool, "/")
	head := func(text string) string {
		return strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r", " ", "\n", " ").Replace(text)
	}
	name := strings.TrimSpace(d.Outcome + " " + cmp.Or(d.Method, d.Rule))
	severity, known := severities.Get()[d.Outcome]
	if !known {
		severity = 2
	}
	line := fmt.Sprintf("CEF:0|wiretea|wiretea|%s|%s|%s|%d|", head(version), head(d.Who+":"+cmp.Or(d.Rule, d.Outcome)), head(name), severity)
	var fields []string
	add := func(key, value string) {
		if value != "" {
			fields = append(fields, key+"="+strings.NewReplacer(`\`, `\\`, "=", `\=`, "\r", `\r`, "\n", `\n`).Replace(value))
		}
	}
	add("rt", strconv.FormatInt(d.Time.UnixMilli(), 10))
	add("act", d.Outcome)
	add("externalId", strconv.FormatUint(d.N, 10))
	add("dvchost", d.Server)
	add("requestMethod", d.Method)
	add("request", d.Target)
	if d.Direction != "" {
		add("deviceDirection", map[string]string{"c2s": "1", "s2c": "0"}[d.Direction])
		add("in", strconv.FormatInt(d.Bytes, 10))
	}
	add("msg", cmp.Or(d.Text, strings.Join(d.By, "; ")))
	for i, label := range [][2]string{{"session", d.Session}, {"who", d.Who}, {"rule", d.Rule}, {"kind", d.Kind}} {
		if label[1] != "" {
			add(fmt.Sprintf("cs%dLabel", i+1), label[0])
			add(fmt.Sprintf("cs%d", i+1), label[1])
		}
	}
	return line + strings.Join(fields, " ")
}

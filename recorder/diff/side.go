package diff

import (
	"cmp"
	"context"
	"time"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/json/diff"
)

// Options say what counts. The zero value is good.
type Options struct {
	// Ignore are values in messages that do not count, as .result.content[*].text;
	// paths begin at the message, also for what is in lists.
	Ignore []diff.Path

	// Strict makes texts count that are a time in both.
	Strict bool

	// Skip are parts that are not compared.
	Skip map[Part]bool

	// Slower makes it a difference that a method is slower in the second
	// recording by this factor, where the test is sure of it; 0 = never.
	Slower float64
}

// A Side is one recording, as far as it is compared.
type Side struct {
	opt  Options
	log  recorder.Log
	snap *session.Snapshot

	calls []*call
	peers *recorder.Handshake
	notes map[note]int64

	// Damage is what of the recording could not be read, and Torn how many bytes stand
	// behind its last whole record.
	Damage recorder.Damage
	Torn   int64
}

// Read reads a recording to its present end.
func Read(ctx context.Context, log recorder.Log, opt Options) (*Side, error) {
	s := &Side{opt: opt, log: log, notes: map[note]int64{}}
	w := &collector{side: s, open: map[openKey]*call{}, busy: map[openKey]*call{}, task: map[string]int{}, names: map[string]string{}}
	analyzer := session.NewAnalyzer(session.Config{Checkers: append(check.New(), w)})
	follower := recorder.Follower{Log: log, Analyzer: analyzer}
	if err := follower.Run(ctx); err != nil {
		return nil, err
	}
	s.Damage, s.Torn = follower.Damage, follower.Torn
	s.snap = analyzer.Snapshot()
	s.peers = recorder.ReadHandshake(log, s.snap, s.snap.Len())
	return s, w.finish()
}

// Empty reports whether there was no session at all.
func (s *Side) Empty() bool { return s.snap.Header() == nil }

// A Summary says which recording a side is.
type Summary struct {
	Server   string        `json:"server"` // Server is its name and version, or a guess from its command.
	Client   string        `json:"client"`
	Era      string        `json:"era"`
	Version  string        `json:"protocolVersion"`
	Start    time.Time     `json:"start"`
	Duration time.Duration `json:"duration"` // Duration in nanoseconds.
	Frames   int64         `json:"frames"`
	Calls    int           `json:"calls"`
	Lost     int64         `json:"lost,omitempty"`         // Lost is how many bytes could not be recorded.
	Damaged  int64         `json:"damagedLines,omitempty"` // Damaged counts the lines that are not records.
	Torn     int64         `json:"tornBytes,omitempty"`    // Torn is how many bytes of a record that was never finished it ends with.
	CutOff   bool          `json:"cutOff,omitempty"`       // CutOff: it has no end.
	Unjudged int           `json:"unjudged,omitempty"`     // Unjudged counts the answers that were compared by their length alone.
}

// Summary returns the summary of a side.
func (s *Side) Summary() Summary {
	t := s.snap.Totals()
	sum := Summary{
		Server: s.peers.Server.String(), Client: s.peers.Client.String(), Duration: time.Duration(s.snap.Clock()),
		Frames: t.Frames[0] + t.Frames[1] + t.Frames[2], Calls: len(s.calls), Lost: t.Gap, Damaged: t.Damaged, Torn: t.Torn, CutOff: s.snap.End() == nil,
	}
	if h := s.snap.Header(); h != nil {
		sum.Start = h.T0
		sum.Server = cmp.Or(sum.Server, recorder.ShortName(h))
	}
	for _, c := range s.calls {
		if c.opaque {
			sum.Unjudged++
		}
	}
	if c := s.spoken(); c != nil {
		sum.Era, sum.Version = c.Era.String(), c.VersionText
	}
	return sum
}

// spoken returns the last connection on which the two agreed on a protocol, nil
// where there is none.
func (s *Side) spoken() *session.Conn {
	conns := s.snap.Conns()
	for i := len(conns) - 1; i >= 0; i-- {
		if conns[i].VersionText != "" {
			return &conns[i]
		}
	}
	return nil
}

package diff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
)

// A differ compares two sides.
type differ struct {
	a, b   *Side
	opt    Options
	out    Report
	eras   bool           // eras: the two speak different eras.
	listed map[*call]bool // listed are the calls whose answers were compared as lists.
}

// Compare returns what differs between two recordings, which must have been read
// with the same options. It reads the bodies that differ.
func Compare(a, b *Side) (*Report, error) {
	d := &differ{a: a, b: b, opt: a.opt, listed: map[*call]bool{}}
	d.out.A, d.out.B = a.Summary(), b.Summary()
	d.eras = d.out.A.Era != "" && d.out.B.Era != "" && d.out.A.Era != d.out.B.Era
	if d.wants(Peers) {
		d.out.Peers = d.comparePeers()
	}
	if d.wants(Capabilities) {
		d.out.Capabilities = d.compareCapabilities()
	}
	for i := range catalogues {
		items, err := d.compareLists(&catalogues[i])
		if err != nil {
			return nil, err
		}
		if d.wants(catalogues[i].part) {
			d.out.Lists = append(d.out.Lists, items...)
		}
	}
	if d.wants(Calls) {
		if err := d.compareCalls(); err != nil {
			return nil, err
		}
	}
	if d.wants(Notifications) {
		d.out.Notifications = d.compareNotes()
	}
	if d.wants(Findings) {
		d.out.Findings = compareFindings(a.snap.Findings(), b.snap.Findings())
	}
	if d.wants(Process) {
		d.out.Process = fields(Field{Name: "server process", A: a.ended(), B: b.ended()})
	}
	if d.wants(Latencies) {
		d.out.Latencies = d.compareLatencies()
	}
	d.out.count()
	return &d.out, nil
}

func (d *differ) wants(p Part) bool { return !d.opt.Skip[p] }

// count says how many differences there are that count.
func (r *Report) count() {
	n := len(r.Peers) + len(r.Capabilities) + len(r.Lists) + r.MoreCalls + len(r.Notifications) + len(r.Findings) + len(r.Process)
	for _, c := range r.Calls {
		n += c.Count
	}
	for _, l := range r.Latencies {
		if l.Counts {
			n++
		}
	}
	r.Differences, r.Same = n, n == 0
}

// fields returns those of a list that differ.
func fields(list ...Field) []Field {
	return slices.DeleteFunc(list, func(f Field) bool { return f.A == f.B })
}

func (d *differ) comparePeers() []Field {
	a, b := d.a, d.b
	eraA, versionA := spokenWords(a.spoken())
	eraB, versionB := spokenWords(b.spoken())
	return fields(
		Field{Name: "server", A: a.peers.Server.Name, B: b.peers.Server.Name},
		Field{Name: "server title", A: a.peers.Server.Title, B: b.peers.Server.Title},
		Field{Name: "server version", A: a.peers.Server.Version, B: b.peers.Server.Version},
		Field{Name: "client", A: a.peers.Client.Name, B: b.peers.Client.Name},
		Field{Name: "client version", A: a.peers.Client.Version, B: b.peers.Client.Version},
		Field{Name: "era", A: eraA, B: eraB},
		Field{Name: "protocol version", A: versionA, B: versionB},
		Field{Name: "supported versions", A: strings.Join(a.peers.Versions, ", "), B: strings.Join(b.peers.Versions, ", ")},
		Field{Name: "instructions", A: a.peers.Instructions, B: b.peers.Instructions, Prose: true},
	)
}

func spokenWords(c *session.Conn) (era, version string) {
	if c == nil {
		return "", ""
	}
	return c.Era.String(), c.VersionText
}

func (d *differ) compareCapabilities() []CapabilityChange {
	var out []CapabilityChange
	for _, side := range []struct {
		name, path string
		a, b       json.RawMessage
	}{
		{"server", ".result.capabilities", d.a.peers.Server.Capabilities, d.b.peers.Server.Capabilities},
		{"client", ".params.capabilities", d.a.peers.Client.Capabilities, d.b.peers.Client.Capabilities},
	} {
		for _, c := range d.values(wrap(side.a, side.path), wrap(side.b, side.path), side.path, d.opt.Ignore) {
			out = append(out, CapabilityChange{side.name, c})
		}
	}
	return out
}

// compareNotes compares how often there were which notifications. The number of
// progress notifications is chance; that there are any is not.
func (d *differ) compareNotes() []Count {
	var out []Count
	for n := range d.a.notes {
		out = append(out, Count{n.sender.Sender().String(), n.method, d.a.notes[n], d.b.notes[n]})
	}
	for n := range d.b.notes {
		if d.a.notes[n] == 0 {
			out = append(out, Count{n.sender.Sender().String(), n.method, 0, d.b.notes[n]})
		}
	}
	out = slices.DeleteFunc(out, func(c Count) bool {
		return c.A == c.B || c.Method == "notifications/progress" && c.A > 0 && c.B > 0 ||
			c.Method == "notifications/initialized" && d.eras
	})
	slices.SortFunc(out, func(x, y Count) int {
		return cmp.Or(cmp.Compare(x.Sender, y.Sender), cmp.Compare(x.Method, y.Method))
	})
	return out
}

// ended says how the server's last process ended, as far as it is its own doing:
// one that was ended by its client has ended well. Empty = not known.
func (s *Side) ended() string {
	conns := s.snap.Conns()
	for i := len(conns) - 1; i >= 0; i-- {
		c := &conns[i]
		switch {
		case !c.Exited:
			continue
		case c.ExitSig == "" && c.ExitCode == 0, c.ExitSig != "" && slices.ContainsFunc(c.Signals, func(p session.Proc) bool { return p.By != "other" }):
			return "ended well"
		case c.ExitSig != "":
			return "ended by " + c.ExitSig
		}
		return "exit code " + strconv.Itoa(c.ExitCode)
	}
	return ""
}

// A fault names a kind of finding.
type fault struct {
	rule string
	by   session.Fault
	what string
}

// compareFindings returns the findings that only one recording has. What is in
// both is told by its rule, who is at fault and what it is about: how often, and
// with which ids, times and sizes, is chance.
func compareFindings(a, b []session.Finding) []Finding {
	return append(onlyIn(a, b, Removed), onlyIn(b, a, Added)...)
}

// onlyIn returns those of list that others has nothing like, each kind once.
func onlyIn(list, others []session.Finding, kind Kind) []Finding {
	known := map[fault]bool{}
	for _, f := range others {
		known[byMessage(f)] = true
		if f.Key != "" {
			known[byKey(f)] = true
		}
	}
	var out []Finding
	for _, f := range list {
		if known[byMessage(f)] || f.Key != "" && known[byKey(f)] {
			continue
		}
		known[byMessage(f)] = true
		out = append(out, Finding{kind, f.Rule, f.Severity.String(), f.Fault.String(), f.N, f.Message, f.Hint})
	}
	return out
}

func byKey(f session.Finding) fault { return fault{f.Rule, f.Fault, "key " + f.Key} }

func byMessage(f session.Finding) fault {
	return fault{f.Rule, f.Fault, figures.Get().ReplaceAllString(f.Message, "#")}
}

// figures are what differs from session to session in messages: numbers with their
// units, and ids of ours.
var figures = lazy.Regexp{Text: `wiretea-[0-9a-zA-Z]+-\d+|\d[\d.,]*( ?(ns|µs|ms|s|B|kB|MB|GB)\b|m\d\ds|h\d\dm)?`}

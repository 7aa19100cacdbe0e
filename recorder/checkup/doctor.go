package checkup

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"wiretea/recorder/verdict"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/session/client/http"
	"wiretea/session/mcp"
)

// stepWait is how long a step waits for an answer at most.
const stepWait = 5 * time.Second

// A Doctor examines one server. It is used by one goroutine.
type Doctor struct {
	remote *http.Remote
	reach  *http.Reach
	looks  []verdict.Step // looks are the steps of Look,
	greets []verdict.Step // greets those of the handshakes, and
	probes []verdict.Step // probes those of Probe and Refused.
	found  []session.Finding
	ours   map[int]bool // ours are the connections that Probe and Refused have used.
}

// New returns a Doctor for a server.
func NewDoctor(remote *http.Remote) *Doctor { return &Doctor{remote: remote, ours: map[int]bool{}} }

// Steps returns what was done, in the order of the way.
func (d *Doctor) Steps() []verdict.Step { return slices.Concat(d.looks, d.greets, d.probes) }

// Found returns the findings of the steps.
func (d *Doctor) Found() []session.Finding { return d.found }

// Probed reports whether a connection, by its number, was used to probe the server.
func (d *Doctor) Probed(conn int) bool { return d.ours[conn] }

// find adds a finding of a rule. conn is 0 for none.
func (d *Doctor) find(id string, v mcp.Version, conn int, message string) *session.Finding {
	r := verdict.RuleOf(id)
	f := verdict.Found(r, message)
	f.Conn, f.Ref = conn, r.Ref(v)
	d.found = append(d.found, f)
	return &d.found[len(d.found)-1]
}

// Look looks at what lies below HTTP: the name, the connection, TLS.
func (d *Doctor) Look(ctx context.Context) {
	at := d.remote.Reach(ctx, stepWait)
	d.reach = at
	dns, tcp, secure := verdict.Step{Name: "dns"}, verdict.Step{Name: "tcp"}, verdict.Step{Name: "tls"}
	switch {
	case at.Proxy != "":
		dns.Text = "left to the HTTP proxy " + at.Proxy
		tcp.Text, secure.Text = dns.Text, dns.Text
		if !at.Secure {
			secure.Text = "the URL begins with http://"
		}
	default:
		dns = lookedUp(at)
		tcp = connected(at)
		secure = d.secured(at)
	}
	d.looks = []verdict.Step{dns, tcp, secure}
}

func lookedUp(at *http.Reach) verdict.Step {
	s := verdict.Step{Name: "dns", State: verdict.Passed, Took: at.DNS.Took}
	switch {
	case at.Literal:
		s.State, s.Text = verdict.Skipped, at.Host+" is an address"
	case at.DNS.Err != nil:
		why, _ := http.Explain(at.DNS.Err)
		s.State, s.Text = verdict.Failed, at.Host+": "+why
	default:
		s.Text = at.Host + " is " + strings.Join(at.Addrs, ", ")
	}
	return s
}

func connected(at *http.Reach) verdict.Step {
	s := verdict.Step{Name: "tcp", State: verdict.Passed, Took: at.Dial.Took}
	switch {
	case at.DNS.Err != nil:
		s.State, s.Text = verdict.Skipped, "there is no address"
	case at.Dial.Err != nil:
		why, _ := http.Explain(at.Dial.Err)
		s.State, s.Text = verdict.Failed, strings.Join(at.Refused, ", ")+": "+why
	default:
		if s.Text = "connected to " + at.Addr; len(at.Refused) > 0 {
			s.Text += ", not to " + strings.Join(at.Refused, ", ")
		}
	}
	return s
}

// secured is the step of TLS.
func (d *Doctor) secured(at *http.Reach) verdict.Step {
	s := verdict.Step{Name: "tls", State: verdict.Passed, Took: at.Shake.Took}
	switch {
	case !at.Secure:
		s.State, s.Text = verdict.Skipped, "the URL begins with http://"
	case at.Addr == "":
		s.State, s.Text = verdict.Skipped, "there is no connection"
	case at.Shake.Err != nil:
		why, _ := http.Explain(at.Shake.Err)
		s.State, s.Text = verdict.Failed, why
	default:
		s.Text = d.certified(&s, at)
	}
	return s
}

// Scheme says that the URL begins with http:// for a port that speaks TLS, or the other way
// round, and what to do; empty where nothing speaks for it. failed is why there is no
// handshake of MCP.
func (d *Doctor) Scheme(ctx context.Context, failed error) (why, hint string) {
	refused, _ := errors.AsType[*client.HTTPError](failed)
	switch {
	case d.reach.Secure && errors.Is(d.reach.Shake.Err, context.DeadlineExceeded):
		return "the TLS handshake was not answered", "the server may not speak TLS at that port: use http://, or another port"
	case !d.reach.Secure && d.reach.Addr != "" && refused != nil && refused.Status == 0 && d.remote.SpeaksTLS(ctx, stepWait):
		return "the server speaks TLS there", "use https://"
	}
	return "", ""
}

// certified says what was agreed on by TLS, and judges the certificate.
func (d *Doctor) certified(s *verdict.Step, at *http.Reach) string {
	parts := []string{tls.VersionName(at.TLS.Version)}
	if at.TLS.NegotiatedProtocol != "" {
		parts = append(parts, at.TLS.NegotiatedProtocol)
	}
	if len(at.TLS.PeerCertificates) > 0 {
		c := at.TLS.PeerCertificates[0]
		left := time.Until(c.NotAfter)
		days := fmt.Sprintf("certificate valid for %d more days", int(math.Floor(left.Hours()/24)))
		if left <= 0 {
			days = "certificate expired on " + c.NotAfter.UTC().Format(time.DateOnly)
		}
		parts = append(parts, days)
		if at.Trust == nil && left > 0 && left < c.NotAfter.Sub(c.NotBefore)/expiring {
			s.State, s.Rule = verdict.Failed, verdict.CertificateExpires.ID
			d.find(s.Rule, mcp.NoVersion, 0, fmt.Sprintf("the server's certificate expires on %s", c.NotAfter.UTC().Format("2006-01-02 15:04 MST")))
		}
	}
	if at.Trust != nil {
		why, _ := http.Explain(at.Trust)
		s.State = verdict.Failed
		parts = append(parts, why)
	}
	return strings.Join(parts, ", ")
}

// expiring is the part of a certificate's life, as a divisor, that is its end: those who
// renew certificates by themselves do so before the last third.
const expiring = 10

// local reports whether the server was reached on the loopback of this machine.
func (d *Doctor) local() bool {
	host, _, err := net.SplitHostPort(d.reach.Addr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// Greeted notes a handshake: of that era, with that version; failed says why there is
// none.
func (d *Doctor) Greeted(server *client.Server, took time.Duration, failed error) {
	s := verdict.Step{Name: "handshake", State: verdict.Passed, Took: took}
	if failed != nil {
		s.State, s.Text = verdict.Failed, failed.Error()
	} else {
		s.Text = server.Era.String() + " " + server.Version
	}
	d.greets = append(d.greets, s)
}

// Unspoken notes that the latest handshake failed because the server does not speak that
// era, which it need not.
func (d *Doctor) Unspoken(era client.EraChoice) {
	last := &d.greets[len(d.greets)-1]
	last.State, last.Text = verdict.Skipped, fmt.Sprintf("%s: not spoken", era)
}

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder"
	"wiretea/recorder/drill"
	"wiretea/ui/format"
)

// A Drilled is a drill as it is reported.
type Drilled struct {
	Server string `json:"server"` // Server is the server's command or URL, as it may be shown.
	Client string `json:"client"` // Client is the client program's command line; empty = wiretea.
	Seed   uint64 `json:"seed"`
	Faults int    `json:"faults"` // Faults is how many there are; fewer trials than that were cut short.
	drill.Report
	Ended string `json:"ended,omitempty"` // Ended says why there are fewer trials; empty = there are not, or Plain says it.
}

// DrillFormats are the formats of a drill's report.
var DrillFormats = []string{"text", "json", "junit"}

// Write writes the report in one of DrillFormats, of which text may have colours.
func (d *Drilled) Write(w io.Writer, format string, colour bool) error {
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(d)
	case "junit":
		return d.junit(w)
	}
	return d.text(w, colour)
}

// Texts replaces every text of a peer, as hide does.
func (d *Drilled) Texts(hide func(string) string) {
	d.Server, d.Client, d.Ended = hide(d.Server), hide(d.Client), hide(d.Ended)
	for _, t := range d.all() {
		t.Client.Said, t.Server.Said = hide(t.Client.Said), hide(t.Server.Said)
	}
}

// all are the trials, the one without a fault first.
func (d *Drilled) all() []*drill.Trial {
	all := []*drill.Trial{&d.Plain}
	for i := range d.Trials {
		all = append(all, &d.Trials[i])
	}
	return all
}

// text writes the trials, and what came of them all.
func (d *Drilled) text(w io.Writer, colour bool) error {
	var b strings.Builder
	client := cmp.Or(d.Client, "wiretea")
	fmt.Fprintf(&b, "client: %s\nserver: %s\nseed:   %d\n\n", drillText(client), drillText(d.Server), d.Seed)
	for _, t := range d.all() {
		sign, paint := "✔", "32"
		switch {
		case !t.Fine():
			sign, paint = "✖", "31"
		case t.Fault != "" && !t.Applied:
			sign, paint = "·", "2"
		}
		if colour {
			sign = "\x1b[" + paint + "m" + sign + "\x1b[m"
		}
		fmt.Fprintf(&b, "%s %s  %s\n", sign, drillText(faultName(t)), format.Duration(int64(t.Seconds*1e9)))
		for _, line := range drillLines(t) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", d.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// faultName is the fault of a trial.
func faultName(t *drill.Trial) string {
	return cmp.Or(t.Fault, "without a fault")
}

// drillLines say what both sides did, one a line, safe to print.
func drillLines(t *drill.Trial) []string {
	if t.Fault != "" && !t.Applied && t.Fine() {
		return []string{"not applied: no message matched"}
	}
	client := "client " + string(t.Client.Verdict)
	switch {
	case t.Client.Verdict == drill.Told:
		client = "client failed and told its user"
	case t.Fault == "" && t.Client.Verdict == drill.Recovered:
		client = "client fine"
	}
	if t.Retries > 0 {
		client += ", retried " + times(t.Retries)
		switch t.Duplicates {
		case 0:
			client += " without a duplicate side effect"
		default:
			client += ", " + format.Plural(int64(t.Duplicates), "duplicate side effect")
		}
	}
	if t.Restarts > 0 {
		client += ", started its server again " + times(t.Restarts)
	}
	if t.Client.Said != "" {
		client += ": " + drillText(t.Client.Said)
	}
	server := "server " + string(t.Server.Verdict)
	if t.Server.Verdict == drill.Ended {
		server = "server ended by the fault"
	}
	if t.Server.Said != "" {
		server += ": " + drillText(t.Server.Said)
	}
	return []string{client, server}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return format.Plural(int64(n), "time")
}

// drillText makes a text of a peer visible, on one line.
func drillText(text string) string { return format.Visible([]byte(text), 300) }

// summary counts the verdicts.
func (d *Drilled) summary() string {
	counts, duplicates, unmet := map[string]int{}, 0, 0
	for i := range d.Trials {
		t := &d.Trials[i]
		if !t.Applied {
			unmet++
		}
		counts["client "+string(t.Client.Verdict)]++
		counts["server "+string(t.Server.Verdict)]++
		duplicates += t.Duplicates
	}
	words := []string{fmt.Sprintf("%d of %s", len(d.Trials), format.Plural(int64(d.Faults), "fault"))}
	for _, who := range []string{"client recovered", "client told", "client failed", "client hung", "client crashed", "server hung", "server crashed"} {
		if n := counts[who]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", strings.Replace(who, "told", "told its user", 1), n))
		}
	}
	if duplicates > 0 {
		words = append(words, format.Plural(int64(duplicates), "duplicate side effect"))
	}
	if unmet > 0 {
		words = append(words, fmt.Sprintf("not applied %d", unmet))
	}
	if d.Ended != "" {
		words = append(words, drillText(d.Ended))
	}
	return strings.Join(words, " · ")
}

// junit writes a case for each trial. What hung or crashed has failed.
func (d *Drilled) junit(w io.Writer) error {
	suite := junitSuite{Name: inAttribute(d.Server), Properties: []junitProperty{{"client", inAttribute(d.Client)}, {"seed", fmt.Sprint(d.Seed)}}, Out: xmlText(d.summary())}
	took := 0.0
	for _, t := range d.all() {
		c := junitCase{Class: "wiretea.drill", Name: inAttribute(faultName(t)), Time: fmt.Sprintf("%.3f", t.Seconds)}
		text := xmlText(strings.Join(drillLines(t), "\n"))
		if t.Fine() {
			c.Out = text
		} else {
			c.Failure = &junitFailure{Message: inAttribute(strings.Join(drillLines(t), "; ")), Type: "drill", Text: text}
			suite.Failures++
		}
		took += t.Seconds
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests, suite.Time = len(suite.Cases), fmt.Sprintf("%.3f", took)
	all := JUnit{Name: recorder.ToolName, Tests: suite.Tests, Failures: suite.Failures, Time: suite.Time, Suites: []junitSuite{suite}}
	return all.write(w)
}

package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder/verdict/account"
	"wiretea/session/client"
	"wiretea/session/text"
	"wiretea/ui/cli/term"
)

// measure makes the request over and over and prints the latencies.
func (c *caller) measure(ctx context.Context, peer *client.Client) error {
	if c.req.kind == callMessage || c.req.kind == callGreeting || client.IsNotification(c.req.method) {
		return &account.Unmatched{What: c.req.title(), Faults: []string{"--repeat does not apply to notifications, whole messages and the handshake"}}
	}
	r := client.Repeat{Method: c.req.method, Params: c.req.params, Count: c.o.repeat, Parallel: c.o.parallel, Moved: func(n int) {
		c.wait.Progress(float64(n), float64(c.o.repeat), "")
	}}
	m, trouble := r.Run(ctx, peer)
	m.Request = c.req.title()
	c.wait.Stop()
	if m.Errors > 0 {
		c.code = max(c.code, term.ExitFound)
	}
	if m.Requests == 0 {
		return trouble
	}
	return errors.Join(ofOutput(writeLatencies(c.out, m, c.o.json)), trouble)
}

func writeLatencies(w io.Writer, m *client.Latencies, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(m)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s, %d at once", term.Visible(m.Request), text.Plural(int64(m.Requests), "answer"), m.Parallel)
	if m.Missing > 0 {
		fmt.Fprintf(&b, " · %s not made or not answered", text.Count(int64(m.Missing)))
	}
	b.WriteByte('\n')
	ms := func(v float64) string { return text.Duration(int64(v * 1e6)) }
	table := text.Table{Indent: "  ", Right: []int{0, 1, 2, 3, 4, 5, 6}}
	table.Add("min", "p50", "p95", "p99", "max", "rate", "errors")
	table.Add(ms(m.Min), ms(m.P50), ms(m.P95), ms(m.P99), ms(m.Max), rateWord(m.Rate), text.Count(int64(m.Errors)))
	b.WriteString(table.String())
	_, err := io.WriteString(w, b.String())
	return err
}

// rateWord is a rate in whole numbers where those say enough.
func rateWord(rate float64) string {
	if rate >= 10 {
		return text.Count(int64(rate)) + "/s"
	}
	return fmt.Sprintf("%.1f/s", rate)
}

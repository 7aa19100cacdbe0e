package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"wiretea/session/client"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// Latencies are what --repeat measured.
type Latencies struct {
	Request  string  `json:"request"`
	Requests int     `json:"requests"` // Requests counts those that were answered.
	Parallel int     `json:"parallel"`
	Errors   int     `json:"errors"` // Errors counts error answers and tools that report an error.
	Missing  int     `json:"missing,omitempty"`
	Seconds  float64 `json:"seconds"`
	Rate     float64 `json:"rate"` // Rate is answers a second.
	Min      float64 `json:"minMs"`
	P50      float64 `json:"p50Ms"`
	P95      float64 `json:"p95Ms"`
	P99      float64 `json:"p99Ms"`
	Max      float64 `json:"maxMs"`

	all []time.Duration
}

// measure makes the request over and over and prints the latencies. It ends early
// when the connection does, or a request is not answered in time.
func (c *caller) measure(ctx context.Context, peer *client.Client) error {
	if c.req.kind == callMessage || c.req.kind == callGreeting || client.IsNotification(c.req.method) {
		return &unmatched{c.req.title(), []string{"--repeat does not apply to notifications, whole messages and the handshake"}}
	}
	m := &Latencies{Request: c.req.title(), Parallel: min(c.o.parallel, c.o.repeat)}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	turns := make(chan struct{}, c.o.repeat)
	for range c.o.repeat {
		turns <- struct{}{}
	}
	close(turns)
	var mu sync.Mutex
	var work sync.WaitGroup
	var trouble error
	begun := time.Now()
	for range m.Parallel {
		work.Go(func() {
			for range turns {
				if ctx.Err() != nil {
					return
				}
				reply, err := peer.Do(ctx, c.req.method, c.req.params, client.Options{})
				mu.Lock()
				if fatal := m.take(reply, err); fatal != nil && trouble == nil {
					trouble = fatal
					stop()
				} else if n := len(m.all); n%64 == 0 {
					c.wait.Progress(float64(n), float64(c.o.repeat), "")
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	m.sum(time.Since(begun), c.o.repeat)
	c.wait.Stop()
	if m.Errors > 0 {
		c.code = max(c.code, term.ExitFound)
	}
	if m.Requests == 0 {
		return trouble
	}
	return errors.Join(m.write(c.out, c.o.json), trouble)
}

// take counts one outcome, and returns an error after which no more make sense.
func (m *Latencies) take(reply *client.Reply, err error) error {
	var answer *client.RPCError
	if err != nil && !errors.As(err, &answer) && !errors.Is(err, client.ErrTooLong) {
		return err
	}
	if reply == nil {
		return nil
	}
	m.all = append(m.all, reply.Received.Sub(reply.Sent))
	if err != nil || client.ToolFailed(reply.Result) {
		m.Errors++
	}
	return nil
}

func (m *Latencies) sum(took time.Duration, wanted int) {
	m.Requests, m.Missing = len(m.all), wanted-len(m.all)
	if m.Requests == 0 {
		return
	}
	slices.Sort(m.all)
	at := func(q float64) float64 {
		return float64(m.all[min(m.Requests-1, int(q*float64(m.Requests)))]) / 1e6
	}
	m.Min, m.P50, m.P95, m.P99, m.Max = at(0), at(.5), at(.95), at(.99), at(1)
	m.Seconds = took.Seconds()
	m.Rate = float64(m.Requests) / m.Seconds
}

func (m *Latencies) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(m)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s · %s, %d at once", term.Visible(m.Request), format.Plural(int64(m.Requests), "answer"), m.Parallel)
	if m.Missing > 0 {
		fmt.Fprintf(&b, " · %s not made or not answered", format.Count(int64(m.Missing)))
	}
	b.WriteByte('\n')
	ms := func(v float64) string { return format.Duration(int64(v * 1e6)) }
	table := format.Table{Indent: "  ", Right: []int{0, 1, 2, 3, 4, 5, 6}}
	table.Add("min", "p50", "p95", "p99", "max", "rate", "errors")
	table.Add(ms(m.Min), ms(m.P50), ms(m.P95), ms(m.P99), ms(m.Max), rateWord(m.Rate), format.Count(int64(m.Errors)))
	b.WriteString(table.String())
	_, err := io.WriteString(w, b.String())
	return err
}

// rateWord is a rate in whole numbers where those say enough.
func rateWord(rate float64) string {
	if rate >= 10 {
		return format.Count(int64(rate)) + "/s"
	}
	return fmt.Sprintf("%.1f/s", rate)
}

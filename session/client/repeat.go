package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// A Repeat makes one request over and over, and measures the latencies.
type Repeat struct {
	Method   string
	Params   json.RawMessage
	Count    int            // Count is how often, at least 1.
	Parallel int            // Parallel is how many wait for their answers at once, at least 1.
	Moved    func(done int) // Moved is told now and then how many were answered, by one goroutine at a time; nil is not told.
}

// Latencies are what a Repeat measured. Times are in milliseconds, and 0 where nothing was
// answered.
type Latencies struct {
	Request  string  `json:"request"`  // Request is for the caller to fill in.
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

// Run makes the requests. It ends early when the connection or ctx does, or when one is
// not answered in time: the error says so, and the Latencies hold what was measured until
// then. An error answer is an answer.
func (r *Repeat) Run(ctx context.Context, c *Client) (*Latencies, error) {
	m := &Latencies{Parallel: min(r.Parallel, r.Count)}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	turns := make(chan struct{}, r.Count)
	for range r.Count {
		turns <- struct{}{}
	}
	close(turns)
	var mu sync.Mutex
	var work sync.WaitGroup
	var first error
	begun := time.Now()
	for range m.Parallel {
		work.Go(func() {
			for range turns {
				if ctx.Err() != nil {
					return
				}
				reply, err := c.Do(ctx, r.Method, r.Params, Options{})
				mu.Lock()
				if fatal := m.take(reply, err); fatal != nil && first == nil {
					first = fatal
					stop()
				} else if n := len(m.all); n%64 == 0 && r.Moved != nil {
					r.Moved(n)
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	m.sum(time.Since(begun), r.Count)
	return m, first
}

// take counts one outcome, and returns an error after which no more make sense.
func (m *Latencies) take(reply *Reply, err error) error {
	var answer *RPCError
	if err != nil && !errors.As(err, &answer) && !errors.Is(err, ErrTooLong) {
		return err
	}
	if reply == nil {
		return nil
	}
	m.all = append(m.all, reply.Received.Sub(reply.Sent))
	if err != nil || ToolFailed(reply.Result) {
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

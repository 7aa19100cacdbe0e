package export

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/lazy"
	"wiretea/ui/format"
)

var (
	//go:embed fixture/fixture.go.txt
	fixtureText string

	fixture = lazy.Value[*template.Template]{New: func() *template.Template { return template.Must(template.New("fixture").Parse(fixtureText)) }}
)

// fixturePackage is the package of a fixture.
const fixturePackage = "recorded"

// Go writes a Go file with the recorded server as a transport for a client of the Go
// SDK, for tests of what a client does with it.
func Go(ctx context.Context, w io.Writer, r *Recording) error {
	out := bufio.NewWriter(w)
	r.writeMissing(out, "// ")
	if err := fixture.Get().Execute(out, map[string]string{"Package": fixturePackage, "Name": format.Visible([]byte(r.Name), 60)}); err != nil {
		return fmt.Errorf("writing the fixture: %w", err)
	}
	all, err := r.fixtureExchanges(ctx)
	if err != nil {
		return err
	}
	for _, x := range all {
		fmt.Fprintf(out, "\t{\n\t\tMethod: %s,\n", strconv.Quote(x.method))
		if x.params != "" {
			fmt.Fprintf(out, "\t\tParams: %s,\n", literal(x.params))
		}
		if len(x.before) > 0 {
			fmt.Fprint(out, "\t\tBefore: []string{\n")
			for _, b := range x.before {
				fmt.Fprintf(out, "\t\t\t%s,\n", literal(b))
			}
			fmt.Fprint(out, "\t\t},\n")
		}
		if x.answer != "" {
			fmt.Fprintf(out, "\t\tAnswer: %s,\n", literal(x.answer))
		}
		fmt.Fprint(out, "\t},\n")
	}
	fmt.Fprint(out, "}\n")
	return out.Flush()
}

// A fixtureExchange is a request of the client's as a fixture has it.
type fixtureExchange struct {
	method, params, answer string
	before                 []string
}

// fixtureExchanges are the requests of the client that the filter selects, each with
// what came since the answer before its own.
func (r *Recording) fixtureExchanges(ctx context.Context) ([]*fixtureExchange, error) {
	var all []*fixtureExchange
	index := map[uint32]*fixtureExchange{}
	var before []string
	whole := *r
	whole.Filter = nil
	err := whole.rows(ctx, func(i uint32, row session.Row) error {
		switch {
		case row.Kind == session.RowRequest && row.Stream == session.C2S:
			selected, err := r.selects(i)
			if err != nil || !selected {
				return err
			}
			x := &fixtureExchange{method: r.Snap.Name(row.Method)}
			req, err := recorder.ReadRequest(r.Log, r.Snap, i)
			if err != nil && !errors.Is(err, recorder.ErrNoRequest) {
				return fmt.Errorf("exporting: %w", err)
			}
			x.params = text(req.Params)
			all, index[i] = append(all, x), x
			return nil
		case row.Stream != session.S2C || row.Kind != session.RowNotification && row.Kind != session.RowResult && row.Kind != session.RowError:
			return nil
		}
		body, err := r.body(i, mostBody)
		if err != nil || !json.Valid(body) {
			return err
		}
		if row.Kind == session.RowNotification {
			before = append(before, text(body))
			return nil
		}
		if x := index[row.Pair]; x != nil && x.answer == "" {
			x.answer, x.before = text(body), before
		}
		before = nil
		return nil
	})
	return all, err
}

// literal is a string in Go's syntax, between backquotes where possible.
func literal(s string) string {
	if strconv.CanBackquote(s) && !strings.Contains(s, "\n") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

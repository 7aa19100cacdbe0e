package export

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/ui/format"
)

// CSV writes a line an exchange: request and response, latency, sizes, outcome.
func CSV(ctx context.Context, w io.Writer, r *Recording) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"n", "connection", "sender", "id", "method", "target", "start_s", "latency_ms", "state", "error_code", "request_bytes", "response_bytes", "response_n", "worst_finding"}); err != nil {
		return err
	}
	if err := r.exchanges(ctx, false, func(x exchange) error {
		line := []string{
			strconv.FormatUint(uint64(x.row.N), 10), strconv.Itoa(int(x.row.Conn)), x.row.Stream.Sender().String(), cell(r.Snap.ID(x.row)),
			cell(r.Snap.Name(x.row.Method)), cell(r.Snap.Name(x.row.Target)), strconv.FormatFloat(float64(x.row.T)/1e9, 'f', 6, 64),
			"", x.state(), "", strconv.FormatUint(uint64(x.row.Len), 10), "", "", max(x.row.Sev, x.answer.Sev).String(),
		}
		if x.resp != session.NoRow {
			line[7] = strconv.FormatFloat(float64(x.latency)/1e6, 'f', 3, 64)
			line[11], line[12] = strconv.FormatUint(uint64(x.answer.Len), 10), strconv.FormatUint(uint64(x.answer.N), 10)
		}
		if x.answer.Kind == session.RowError {
			code, _, err := r.errorOf(x.resp)
			if err != nil {
				return err
			}
			line[9] = strconv.FormatInt(code, 10)
		}
		return out.Write(line)
	}); err != nil {
		return err
	}
	if missing := r.missing(); missing != "" {
		line := make([]string, 14)
		line[8] = "missing: " + missing
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell is a peer's text as it may be in a table: a spreadsheet takes what begins
// like a formula for one.
func cell(s string) string {
	s = format.Visible([]byte(s), 0)
	if strings.HasPrefix(s, "-") {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return s // An id.
		}
	}
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

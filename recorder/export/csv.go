package export

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"wiretea/session"
	"wiretea/session/text"
)

// CSV writes a line an exchange: request and response, latency, sizes, outcome. Of several
// sessions, the first column is the letter.
func CSV(ctx context.Context, w io.Writer, r *Recording) error {
	out := csv.NewWriter(w)
	add := func(letter string, line []string) error {
		if r.merged() {
			line = append([]string{letter}, line...)
		}
		return out.Write(line)
	}
	if err := add("session", csvColumns); err != nil {
		return err
	}
	if err := r.exchanges(ctx, false, func(x exchange) error {
		line, err := r.csvLine(x)
		if err != nil {
			return err
		}
		return add(r.letterOf(x.row), line)
	}); err != nil {
		return err
	}
	if line := r.csvMissing(); line != nil {
		_ = add("", line) // A csv.Writer keeps its error.
	}
	out.Flush()
	return out.Error()
}

// csvColumns are the heads of CSV.
var csvColumns = []string{"n", "connection", "sender", "id", "method", "target", "start_s", "latency_ms", "state", "error_code", "request_bytes", "response_bytes", "response_n", "worst_finding"}

// csvLine is the line of an exchange.
func (r *Recording) csvLine(x exchange) ([]string, error) {
	line := []string{
		strconv.FormatUint(uint64(x.row.N), 10), strconv.Itoa(r.Snap.Own(int(x.row.Conn))), x.row.Stream.Sender().String(), cell(r.Snap.ID(x.row)),
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
			return nil, err
		}
		line[9] = strconv.FormatInt(code, 10)
	}
	return line, nil
}

// csvMissing is the line that says what the recording lacks; nil where that is nothing.
func (r *Recording) csvMissing() []string {
	missing := r.missing()
	if missing == "" {
		return nil
	}
	line := make([]string, len(csvColumns))
	line[8] = "missing: " + missing
	return line
}

// cell is a peer's text as it may be in a table: a spreadsheet takes what begins
// like a formula for one.
func cell(s string) string {
	s = text.Visible([]byte(s), 0)
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

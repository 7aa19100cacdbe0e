package call

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/client"
	"wiretea/ui/cli/term"
	"wiretea/ui/format"
)

// printResult prints a result as the flags want it.
func (c *caller) printResult(result json.RawMessage) error {
	if client.ToolFailed(result) {
		c.complain(term.ExitFound, c.req.title()+": the tool reports an error (isError)", "")
	}
	if c.o.text {
		return c.printTexts(result)
	}
	if c.req.kind == callMethod && c.morePages(result) {
		fmt.Fprintf(c.errw, "wiretea: this is the first page; wiretea call %s -- CMD lists all\n", listWord(c.req.method))
	}
	return c.printJSON(result)
}

// printJSON prints a value as it came, or indented.
func (c *caller) printJSON(value []byte) error {
	if c.o.pretty {
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") == nil {
			value = b.Bytes()
		}
	}
	return c.printLine(value)
}

// printLine prints bytes of the server and a line feed.
func (c *caller) printLine(text []byte) error {
	if _, err := c.out.Write(text); err != nil { // Its end goes out by itself: a text may be as long as memory allows.
		return err
	}
	_, err := io.WriteString(c.out, "\n")
	return err
}

// morePages reports whether a result names a next page.
func (c *caller) morePages(result json.RawMessage) bool {
	var page struct {
		Cursor *string `json:"nextCursor"`
	}
	return listWord(c.req.method) != "" && json.Unmarshal(result, &page) == nil && page.Cursor != nil && *page.Cursor != ""
}

// listWord is the short form that lists all pages of a method, empty where there
// is none.
func listWord(method string) string {
	for _, form := range shortForms {
		if form.kind == callList && form.method == method {
			return form.word
		}
	}
	return ""
}

// printTexts prints the texts of a result, each ended by a line feed, and says
// what is not text.
func (c *caller) printTexts(result json.RawMessage) error {
	texts, other := client.Texts(result)
	for _, text := range texts {
		if err := c.printLine([]byte(strings.TrimSuffix(text, "\n"))); err != nil {
			return err
		}
	}
	if len(other) > 0 {
		words := make([]string, len(other))
		for i, part := range other {
			words[i] = contentWords(part)
		}
		fmt.Fprintf(c.errw, "wiretea: not text, and left out: %s\n", term.Visible(strings.Join(words, ", ")))
	} else if len(texts) == 0 {
		fmt.Fprintln(c.errw, "wiretea: the result has no text; without --text it is printed whole")
	}
	return nil
}

// printRecorded prints the answer from the record: exactly as it came, however
// long.
func (c *caller) printRecorded(s *session.Snapshot) error {
	row := c.answerRow(s)
	if row == session.NoRow {
		return &term.Failure{Code: term.ExitFound, Err: errors.New("the answer is not in the record")}
	}
	if c.o.raw || s.Row(row).Len > longAnswer {
		return c.copyRecorded(s, row)
	}
	response, err := recorder.ReadValue(c.run.Log(), s, row, longAnswer)
	if err != nil {
		return &term.Failure{Code: term.ExitFound, Err: err}
	}
	result, failed := resultOf(response)
	if failed || result == nil {
		return c.printLine(response)
	}
	return c.printResult(result)
}

// longAnswer is from where on an answer is not read into memory, in bytes.
const longAnswer = 32 << 20

// copyRecorded copies the answer from the record as it came: whole if it is an error or
// asked for, else its result.
func (c *caller) copyRecorded(s *session.Snapshot, row uint32) error {
	copied := recorder.CopyBody
	if !c.o.raw {
		copied = recorder.CopyResult
		if r := s.Row(row); r.Failed() {
			c.complain(term.ExitFound, c.req.title()+": the answer reports an error", "")
		}
		if c.o.text {
			c.complain(0, "the answer is longer than 32 MiB: its result is printed as JSON, as it came", "")
		}
	}
	if err := copied(c.out, c.run.Log(), s, row); err != nil {
		if term.ReaderGone(err) {
			return err
		}
		return &term.Failure{Code: term.ExitFound, Err: err}
	}
	_, err := io.WriteString(c.out, "\n")
	return err
}

// answerRow finds the row of the answer to the request that was made, the latest
// leg's.
func (c *caller) answerRow(s *session.Snapshot) uint32 {
	for i := s.Len() - 1; i >= 0; i-- {
		row := s.Row(uint32(i))
		if row.Kind != session.RowRequest || row.Stream != session.C2S || row.Pair == session.NoRow {
			continue
		}
		if c.id != "" && s.ID(row) == c.id || c.id == "" && s.Name(row.Method) == c.req.method {
			return row.Pair
		}
	}
	return session.NoRow
}

// contentWords names a part that is not text: its type, MIME type and URI.
func contentWords(p client.Content) string {
	what := cmp.Or(p.Type, "blob")
	for _, more := range []string{p.MimeType, p.URI} {
		if more != "" {
			what += " " + more
		}
	}
	for _, data := range []*string{p.Data, p.Blob} {
		if data != nil {
			what += " of " + format.Size(int64(len(*data))/4*3)
		}
	}
	return what
}

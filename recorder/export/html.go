package export

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"wiretea/session"
	"wiretea/session/lazy"
)

var (
	//go:embed page/page.html
	pageText string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string

	page = lazy.Value[*template.Template]{New: func() *template.Template { return template.Must(template.New("page").Parse(pageText)) }}
)

const (
	pageChunk    = 1000      // pageChunk is how many bodies lie in one piece of the page's data.
	mostPageBody = 256 << 10 // mostPageBody is how much of a body the page has, in bytes.
)

// How much a page has in all. They are variables for tests.
var (
	mostPageRows   = 200_000
	mostPageBodies = int64(64 << 20) // mostPageBodies is in bytes.
)

// HTML writes a page that needs nothing but itself: no script, style, font or
// picture from elsewhere, and its policy forbids any. Long lists are drawn
// only where they are visible, so that 100,000 frames stay usable. There are 200,000 rows
// and 64 MiB of bodies at most, the first ones and those with the worst findings, and the
// page says what it lacks. Without script, and on paper, there are the findings, the
// latencies, and the beginning of the rest.
func HTML(ctx context.Context, w io.Writer, r *Recording) error {
	var list []uint32
	if err := r.rows(ctx, func(i uint32, _ session.Row) error { list = append(list, i); return nil }); err != nil {
		return err
	}
	static, err := r.newPage(ctx, list)
	if err != nil {
		return err
	}
	all := len(list)
	list = pageRows(list, static)
	static.Rows, static.LeftRows = len(list), all-len(list)
	bodies := r.pageBodies(list, static)
	out := bufio.NewWriterSize(w, 256<<10)
	if err := page.Get().Execute(out, static); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	cut, err := r.writeBodies(ctx, out, list, bodies)
	if err != nil {
		return err
	}
	if err := writeData(out, "data", r.pageData(list, cut, static.look)); err != nil {
		return err
	}
	fmt.Fprintf(out, "<script>%s</script>\n</body>\n</html>\n", pageScript)
	return out.Flush()
}

// pageRows is what the page has of a list: the first rows, and those of the findings that
// it has.
func pageRows(list []uint32, v *pageView) []uint32 {
	if len(list) <= mostPageRows {
		return list
	}
	worst := map[uint32]bool{v.look: true}
	for _, f := range v.Findings {
		worst[f.row] = true
	}
	kept := slices.Clone(list[:mostPageRows])
	for _, i := range list[mostPageRows:] {
		if worst[i] {
			kept = append(kept, i)
		}
	}
	return kept
}

// pageBodies is how much of each row's body the page has, in bytes, and says how many it
// does not have.
func (r *Recording) pageBodies(list []uint32, v *pageView) []int64 {
	most, left := make([]int64, len(list)), mostPageBodies
	for j, i := range list {
		most[j] = min(int64(r.Snap.Row(i).Len), mostPageBody)
		if most[j] > left {
			most[j] = 0
			v.LeftBodies++
		}
		left -= most[j]
	}
	return most
}

// hashOf is what a policy calls an inline script or style.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// writeData writes a piece of data, which is not a script. The encoder escapes <, > and
// &, so that no text of a peer can end it.
func writeData(w io.Writer, id string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err = fmt.Fprintf(w, "<script type=\"application/json\" id=\"%s\">%s</script>\n", id, text)
	return err
}

// writeBodies writes the bodies, as much of each as most says, in pieces that the page
// reads when it needs them. It returns how much of which bodies was cut off.
func (r *Recording) writeBodies(ctx context.Context, w io.Writer, list []uint32, most []int64) (map[int]int64, error) {
	cut, moved := map[int]int64{}, r.Moved
	for from := 0; from < len(list); from += pageChunk {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if moved != nil {
			moved(from, len(list))
		}
		part := list[from:min(len(list), from+pageChunk)]
		bodies := make([]string, len(part))
		for j, i := range part {
			row := r.Snap.Row(i)
			if more := int64(row.Len) - most[from+j]; more > 0 {
				cut[from+j] = more
			}
			if most[from+j] == 0 && row.Len > 0 {
				continue
			}
			body, err := r.body(i, mostPageBody)
			if err != nil {
				return nil, err
			}
			bodies[j] = textOf(body)
		}
		if err := writeData(w, fmt.Sprintf("b%d", from/pageChunk), bodies); err != nil {
			return nil, err
		}
	}
	return cut, nil
}

// pageData is what the page's script draws from. A row is a list, in the order of
// the constants at the script's beginning.
func (r *Recording) pageData(list []uint32, cut map[int]int64, look uint32) any {
	at := make(map[uint32]int, len(list))
	for j, i := range list {
		at[i] = j
	}
	names, index := []string{""}, map[string]int{"": 0}
	nameOf := func(text string) int {
		if _, known := index[text]; !known {
			index[text] = len(names)
			names = append(names, text)
		}
		return index[text]
	}
	rows := make([][14]any, len(list))
	for j, i := range list {
		row := r.Snap.Row(i)
		pair, latency, state := -1, int64(-1), ""
		if p, known := at[row.Pair]; known && isFrame(row.Kind) {
			pair = p
		}
		if ns, ok := r.Snap.Latency(i); ok {
			latency = ns / 1e3
		}
		if row.Kind == session.RowRequest {
			x := r.exchangeOf(i)
			state = x.state()
		}
		if row.Kind == session.RowError && !row.Failed() {
			state = "legacy server"
		}
		if row.Flags&session.FlagToolError != 0 && row.Failed() {
			state = "tool error"
		}
		method, target := r.Snap.Name(row.Method), r.Snap.Name(row.Target)
		switch row.Kind {
		case session.RowProc, session.RowIO, session.RowGap:
			method, target = r.event(row), ""
		}
		rows[j] = [14]any{row.N, row.T / 1e3, row.Stream.String(), row.Kind.String(), nameOf(method), nameOf(target), r.Snap.ID(row), latency, row.Len, pair, row.Sev, row.Op, state, r.letterOf(row)}
	}
	type finding struct {
		Rule     string `json:"rule"`
		Severity string `json:"severity"`
		Message  string `json:"message"`
		Hint     string `json:"hint,omitempty"`
	}
	findings := map[int][]finding{}
	for _, f := range r.findings() {
		if j, known := at[f.Row]; known && f.Row != session.NoRow {
			findings[j] = append(findings[j], finding{f.Rule, f.Severity.String(), f.Message, f.Hint})
		}
	}
	return map[string]any{"names": names, "rows": rows, "findings": findings, "cut": cut, "chunk": pageChunk, "look": at[look]}
}

// sentences are the texts, those that there are, as sentences.
func sentences(texts ...string) (list []string) {
	for _, s := range texts {
		if s != "" {
			list = append(list, strings.ToUpper(s[:1])+s[1:]+".")
		}
	}
	return list
}

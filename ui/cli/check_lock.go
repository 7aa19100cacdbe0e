package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/ui/cli/term"
)

// lockFormat names the format of a file of --tools-lock.
const lockFormat = "wiretea-tools-lock/1"

// A toolsLock holds the definitions of tools as somebody approved them.
type toolsLock struct {
	Format string            `json:"format"`
	Tools  []json.RawMessage `json:"tools"` // Tools are sorted by name, each as the server wrote it.
}

// maxListing is how long an answer to tools/list may be to be looked at, in
// bytes.
const maxListing = 32 << 20

// A toolsListing is all pages of one list of tools.
type toolsListing struct {
	tools map[string]json.RawMessage
	row   uint32 // row is the answer with the last page.
}

// lastListing puts together the last list of tools that a session has, of a
// connection for which skip does not hold; nil where there is none.
func lastListing(s *session.Snapshot, log recorder.Log, skip func(conn int) bool) *toolsListing {
	var last *toolsListing
	for i := range uint32(s.Len()) {
		row := s.Row(i)
		if row.Kind != session.RowResult || row.Stream != session.S2C || s.Name(row.Method) != "tools/list" || row.Pair == session.NoRow || skip(int(row.Conn)) {
			continue
		}
		var asked struct {
			Params struct {
				Cursor *string `json:"cursor"`
			} `json:"params"`
		}
		var page struct {
			Result struct {
				Tools []json.RawMessage `json:"tools"`
			} `json:"result"`
		}
		if readMessage(log, s.Row(row.Pair), &asked) != nil || readMessage(log, row, &page) != nil {
			continue
		}
		if last == nil || asked.Params.Cursor == nil {
			last = &toolsListing{tools: map[string]json.RawMessage{}}
		}
		last.row = i
		for _, tool := range page.Result.Tools {
			last.tools[nameOfTool(tool)] = tool
		}
	}
	return last
}

func readMessage(log recorder.Log, row session.Row, into any) error {
	if row.Len > maxListing {
		return errors.New("too long")
	}
	body, err := recorder.ReadFrame(log, row, 0, maxListing)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func nameOfTool(tool json.RawMessage) string {
	var t struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(tool, &t) // what has no name has the empty one
	return t.Name
}

// held compares the tools of a session with the file, and returns what differs.
// The file is written where it does not exist, or on demand; said takes that.
func (w *policyWords) held(s *session.Snapshot, log recorder.Log, skip func(conn int) bool, said io.Writer) ([]session.Finding, error) {
	if w.lock == "" {
		return nil, nil
	}
	now := lastListing(s, log, skip)
	approved, err := readLock(w.lock)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return nil, err
	case now == nil:
		// That they could not be listed is another finding.
		if missing || w.updateLock {
			fmt.Fprintf(said, "wiretea: the server listed no tools: %s was not written\n", w.lock)
		}
		return nil, nil
	case missing || w.updateLock:
		if err := now.write(w.lock); err != nil {
			return nil, term.Usage("--tools-lock FILE chooses another file", "--tools-lock: %w", err)
		}
		fmt.Fprintf(said, "tools approved: %s\n", w.lock)
		return nil, nil
	}
	var found []session.Finding
	for _, change := range now.drift(approved) {
		found = append(found, at(foundBy(toolsDrift, change), s, now.row))
	}
	return found, nil
}

func readLock(file string) (map[string]json.RawMessage, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lock toolsLock
	if err := json.Unmarshal(text, &lock); err != nil || lock.Format != lockFormat {
		if err == nil {
			err = fmt.Errorf("its format is %q, not %q", lock.Format, lockFormat)
		}
		return nil, term.Usage("remove it, or write it anew with --update-tools-lock", "--tools-lock: %s: %w", file, err)
	}
	tools := map[string]json.RawMessage{}
	for _, tool := range lock.Tools {
		tools[nameOfTool(tool)] = tool
	}
	return tools, nil
}

// write writes the tools as approved.
func (l *toolsListing) write(file string) error {
	lock := toolsLock{Format: lockFormat, Tools: []json.RawMessage{}}
	for _, name := range slices.Sorted(maps.Keys(l.tools)) {
		lock.Tools = append(lock.Tools, l.tools[name])
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(lock); err != nil {
		return fmt.Errorf("writing the definitions: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".wiretea-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text.Bytes())
	if err = errors.Join(err, temp.Chmod(0o644), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// drift says, one line each, how the tools differ from what was approved.
func (l *toolsListing) drift(approved map[string]json.RawMessage) (changes []string) {
	names := slices.Concat(slices.Collect(maps.Keys(l.tools)), slices.Collect(maps.Keys(approved)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		now, there := l.tools[name]
		before, known := approved[name]
		switch {
		case !known:
			changes = append(changes, fmt.Sprintf("tool %q was not approved", name))
		case !there:
			changes = append(changes, fmt.Sprintf("tool %q was approved and is gone", name))
		default:
			if places := differences(before, now); len(places) > 0 {
				changes = append(changes, fmt.Sprintf("tool %q has changed since it was approved: %s", name, strings.Join(places, ", ")))
			}
		}
	}
	return changes
}

// maxPlaces is how many places of a tool are named.
const maxPlaces = 4

// differences names the places in which two JSON values differ, as
// inputSchema.properties.a; the order of members does not count.
func differences(before, now json.RawMessage) []string {
	var a, b any
	if decodeExactly(before, &a) != nil || decodeExactly(now, &b) != nil {
		return []string{"it cannot be read"}
	}
	var places []string
	compare("", a, b, &places)
	if more := len(places) - maxPlaces; more > 0 {
		places = append(places[:maxPlaces], fmt.Sprintf("and %d more", more))
	}
	return places
}

func decodeExactly(text json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return dec.Decode(into)
}

func compare(place string, a, b any, places *[]string) {
	x, isX := a.(map[string]any)
	y, isY := b.(map[string]any)
	if !isX || !isY {
		one, errA := json.Marshal(a)
		other, errB := json.Marshal(b)
		if errA != nil || errB != nil || !bytes.Equal(one, other) {
			*places = append(*places, strings.TrimPrefix(place, "."))
		}
		return
	}
	names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		here, inX := x[name]
		there, inY := y[name]
		if inX && inY {
			compare(place+"."+name, here, there, places)
			continue
		}
		*places = append(*places, strings.TrimPrefix(place+"."+name, "."))
	}
}

package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"wiretea/recorder"
	"wiretea/session"
	"wiretea/session/atomicfile"
	"wiretea/session/mcp"
)

// lockFormat names the format of a file of --tools-lock.
const lockFormat = "wiretea-tools-lock/1"

// A toolsLock holds the definitions of tools as somebody approved them.
type toolsLock struct {
	Format string            `json:"format"`
	Tools  []json.RawMessage `json:"tools"` // Tools are sorted by name, each as the server wrote it.
}

// A toolsListing is all pages of one list of tools.
type toolsListing struct {
	tools map[string]json.RawMessage
	row   uint32 // row is the answer with the last page.
}

// lastListing puts together the last list of tools that a session has, of a
// connection for which skip does not hold; nil where there is none.
func lastListing(s *session.Snapshot, log recorder.Log, skip func(conn int) bool) *toolsListing {
	last := recorder.LastListing(log, s, mcp.ToolsList, "tools", skip)
	if last == nil {
		return nil
	}
	tools := make(map[string]json.RawMessage, len(last.Items))
	for _, tool := range last.Items {
		tools[ToolName(tool)] = tool
	}
	return &toolsListing{tools, last.Row}
}

// ToolName is the name in a tool's definition; empty where it has none.
func ToolName(tool json.RawMessage) string {
	var t struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(tool, &t) // what has no name has the empty one
	return t.Name
}

// A Lock is a file with the definitions of a server's tools as somebody approved them.
type Lock struct {
	File   string
	Update bool // Update approves the tools as they are now.
}

// A LockOutcome says what Compare has done.
type LockOutcome uint8

const (
	LockCompared     LockOutcome = iota // LockCompared: the tools were compared with the file.
	LockWritten                         // LockWritten: the file was written.
	LockWithoutTools                    // LockWithoutTools: the file was to be written, and the server listed no tools.
)

// ErrLockFile is returned for a file that is not a lock.
var ErrLockFile = errors.New("not a tools lock")

// Compare returns a finding for each tool that differs from what was approved. It
// writes the file where it does not exist, or where Update is set. Connections for
// which skip holds do not count.
func (l *Lock) Compare(s *session.Snapshot, log recorder.Log, skip func(conn int) bool) ([]session.Finding, LockOutcome, error) {
	now := lastListing(s, log, skip)
	approved, err := readLock(l.File)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return nil, LockCompared, err
	case now == nil:
		// That they could not be listed is another finding.
		if missing || l.Update {
			return nil, LockWithoutTools, nil
		}
		return nil, LockCompared, nil
	case missing || l.Update:
		return nil, LockWritten, now.write(l.File)
	}
	var found []session.Finding
	for _, change := range now.drift(approved) {
		found = append(found, at(Found(toolsDrift, change), s, now.row))
	}
	return found, LockCompared, nil
}

// longest is the longest lock or baseline that is read, in bytes.
const longest = 64 << 20

func readLock(file string) (map[string]json.RawMessage, error) {
	text, err := atomicfile.Read(file, longest)
	if err != nil {
		return nil, err
	}
	var lock toolsLock
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLockFile, file, err)
	}
	if lock.Format != lockFormat {
		return nil, fmt.Errorf("%w: %s: its format is %q, not %q", ErrLockFile, file, lock.Format, lockFormat)
	}
	tools := map[string]json.RawMessage{}
	for _, tool := range lock.Tools {
		tools[ToolName(tool)] = tool
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
	return recorder.NoFolder(file, atomicfile.WriteBytes(file, atomicfile.Options{Mode: 0o644}, text.Bytes()))
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
			changes = append(changes, fmt.Sprintf("tool %q was approved and no longer exists", name))
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

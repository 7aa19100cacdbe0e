package composer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/session/atomicfile"
	"wiretea/session/json/lex"
	"wiretea/session/json/tree"
	"wiretea/session/secrets"
)

const (
	MaxEntries   = 300       // MaxEntries is how many entries a file keeps, the latest ones.
	MaxTemplates = 200       // MaxTemplates is how many templates it keeps.
	MaxEntry     = 128 << 10 // MaxEntry is the longest entry that is kept, in bytes.
	maxFile      = 4 << 20   // bytes that are read and written
)

// ErrTooLong is returned for an entry that is longer than MaxEntry.
var ErrTooLong = errors.New("it is too long to be kept")

// A Store is a folder with a file for each server.
type Store struct {
	Dir string // Dir is made when it is needed, for its owner alone.
}

// Key names the file of a server: by its name, or where it has none by its
// command.
func StoreKey(name string, command []string) string {
	h := sha256.New()
	if name != "" {
		fmt.Fprintf(h, "name\x00%s", name)
	} else {
		fmt.Fprintf(h, "command\x00%q", command)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

func (s Store) path(key string) string { return filepath.Join(s.Dir, key+".jsonl") }

// Load returns the entries of a server, the latest first, templates among them.
// A missing file is not an error; lines that cannot be read are left out.
func (s Store) Load(key string) ([]Entry, error) {
	f, err := atomicfile.Open(s.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the history: %w", err)
	}
	defer f.Close()
	var list []Entry
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 2*MaxEntry)
	for read := 0; scan.Scan() && read < maxFile; read += len(scan.Bytes()) {
		var e Entry
		if json.Unmarshal(scan.Bytes(), &e) == nil {
			list = append(list, e)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// Add keeps an entry as the latest one, and returns what it keeps of it: secrets
// are taken out. One that says the same as an older one takes its place, and so
// does a template of the same name. Errors besides those of the disk: ErrSecret,
// ErrTooLong.
func (s Store) Add(key string, e Entry) (Entry, error) {
	if e.size() > MaxEntry {
		return Entry{}, ErrTooLong
	}
	e, err := clean(e)
	if err != nil {
		return Entry{}, err
	}
	return e, s.change(key, func(list []Entry) []Entry {
		list = slices.DeleteFunc(list, func(old Entry) bool {
			return old.same(&e) || e.Template != "" && old.Template == e.Template
		})
		return append([]Entry{e}, list...)
	})
}

// Remove removes an entry.
func (s Store) Remove(key string, e Entry) error {
	return s.change(key, func(list []Entry) []Entry {
		return slices.DeleteFunc(list, func(old Entry) bool { return old.same(&e) })
	})
}

func (s Store) change(key string, how func([]Entry) []Entry) error {
	list, err := s.Load(key)
	if err != nil {
		return err
	}
	if err := s.save(key, bounded(how(list))); err != nil {
		return fmt.Errorf("keeping the history: %w", err)
	}
	return nil
}

// bounded keeps the latest entries, and the latest templates.
func bounded(list []Entry) []Entry {
	sent, named, size := 0, 0, 0
	return slices.DeleteFunc(list, func(e Entry) bool {
		n, most := &sent, MaxEntries
		if e.Template != "" {
			n, most = &named, MaxTemplates
		}
		*n++
		size += e.size()
		return *n > most || size > maxFile/2
	})
}

// save replaces a server's file.
func (s Store) save(key string, list []Entry) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range slices.Backward(list) {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(s.path(key), atomicfile.Options{}, b.Bytes())
}

// An Entry is a message that was composed.
type Entry struct {
	At     time.Time       `json:"at"`
	Method string          `json:"method,omitempty"`
	Name   string          `json:"name,omitempty"`   // Name is the tool's, the prompt's, the resource's or the template's.
	Params json.RawMessage `json:"params,omitempty"` // Params are its parameters; nil = none.

	// URI is the URI template of a resource that Params are the variables of;
	// empty = they are the parameters.
	URI string `json:"uriTemplate,omitempty"`

	// Text is what was typed where that was not a request: a whole message of its
	// own, or in Bytes the notation of any bytes.
	Text  string `json:"text,omitempty"`
	Bytes bool   `json:"bytes,omitempty"`

	// Template is the name of a template; empty for a message that was sent.
	Template string `json:"template,omitempty"`

	// Removed are the paths of the values that were secret and are not here:
	// "arguments.password".
	Removed []string `json:"removed,omitempty"`
}

// same reports whether two entries say the same, whenever it was.
func (e *Entry) same(o *Entry) bool {
	return e.Method == o.Method && e.Name == o.Name && e.URI == o.URI && e.Text == o.Text && e.Bytes == o.Bytes &&
		e.Template == o.Template && bytes.Equal(e.Params, o.Params) && slices.Equal(e.Removed, o.Removed)
}

// size is about how long the entry is in the file, in bytes.
func (e *Entry) size() int { return len(e.Params) + len(e.Text) + len(e.Name) + len(e.URI) + 200 }

// ErrSecret is returned for an entry that holds a secret which cannot be taken
// out.
var ErrSecret = errors.New("it holds a secret and is not kept")

// clean returns the entry without the values that look secret.
func clean(e Entry) (Entry, error) {
	var finder secrets.Finder
	if len(e.Params) > 0 {
		e.Params, e.Removed = withoutSecrets(e.Params, finder.Find(e.Params))
		e.Params = lex.AppendCompact(nil, e.Params)
	}
	for _, text := range []string{string(e.Params), e.Text, e.Method, e.Name, e.URI, e.Template} {
		if len(finder.Find([]byte(text))) > 0 {
			return Entry{}, ErrSecret
		}
	}
	return e, nil
}

// withoutSecrets replaces the values in which there is a secret by empty strings,
// and returns their paths. What is not within a value stays.
func withoutSecrets(text []byte, found []secrets.Span) (out []byte, removed []string) {
	if len(found) == 0 || !json.Valid(text) {
		return text, nil
	}
	at := 0
	scalars(tree.Read(text), "", func(n *tree.Node, path string) {
		from, to := n.Off, n.Off+len(n.Raw)
		if slices.ContainsFunc(found, func(s secrets.Span) bool { return s.From < to && s.To > from }) {
			out = append(append(out, text[at:from]...), `""`...)
			at = to
			removed = append(removed, strings.TrimPrefix(path, "."))
		}
	})
	return append(out, text[at:]...), removed
}

// scalars calls f for each string and number in a value, with its path.
func scalars(n *tree.Node, path string, f func(n *tree.Node, path string)) {
	if n.Is(tree.String) || n.Is(tree.Number) {
		f(n, path)
	}
	for _, m := range n.Members {
		scalars(m.Val, path+"."+m.Key, f)
	}
	for i, item := range n.Items {
		scalars(item, path+"."+strconv.Itoa(i), f)
	}
}

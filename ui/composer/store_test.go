package composer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/ui/composer"
)

func entry(method, params string) composer.Entry {
	e := composer.Entry{Method: method, At: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	if params != "" {
		e.Params = json.RawMessage(params)
	}
	return e
}

func load(t *testing.T, s composer.Store, key string) []composer.Entry {
	t.Helper()
	list, err := s.Load(key)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func add(t *testing.T, s composer.Store, key string, e composer.Entry) composer.Entry {
	t.Helper()
	kept, err := s.Add(key, e)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// TestKeeps holds that what was sent comes back, the latest first, for the same
// server and no other, in a file for its owner alone.
func TestKeeps(t *testing.T) {
	s := composer.Store{Dir: filepath.Join(t.TempDir(), "history")}
	key := composer.StoreKey("", []string{"node", "server.js"})
	if got := load(t, s, key); got != nil {
		t.Errorf("before anything: %v", got)
	}
	first, second := entry("tools/list", ""), entry("tools/call", `{"name":"echo","arguments":{"message":"<é>","n":1.0,"x":1e400}}`)
	for _, e := range []composer.Entry{first, second, first} {
		add(t, s, key, e)
	}
	if diff := cmp.Diff([]composer.Entry{first, second}, load(t, s, key)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := load(t, s, composer.StoreKey("", []string{"node", "other.js"})); got != nil {
		t.Errorf("another server has %v", got)
	}
	for _, path := range []string{s.Dir, filepath.Join(s.Dir, key+".jsonl")} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v, %v", path, info.Mode(), err)
		}
	}
	if err := s.Remove(key, first); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]composer.Entry{second}, load(t, s, key)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoSecrets holds that no secret reaches the disk, and that it is told which
// values are missing.
func TestNoSecrets(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	s := composer.Store{Dir: t.TempDir()}
	for _, c := range []struct {
		name, params, kept string
		removed            []string
	}{
		{"a member's name", `{"name":"login","arguments":{"user":"ann","password":"tea pot \"4\""}}`, `{"name":"login","arguments":{"user":"ann","password":""}}`, []string{"arguments.password"}},
		{"a known format", `{"a":[1,"` + token + `"],"b":2}`, `{"a":[1,""],"b":2}`, []string{"a.1"}},
		{"a number", `{"password": 123456789, "n": 5}`, `{"password":"","n":5}`, []string{"password"}},
		{"none", `{"message":"hello","n":1}`, `{"message":"hello","n":1}`, nil},
		{"within a text", `{"cmd":"curl -H 'Authorization: Bearer ` + token + `' x"}`, `{"cmd":""}`, []string{"cmd"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := add(t, s, "k", entry("tools/call", c.params))
			if string(kept.Params) != c.kept {
				t.Errorf("kept %s, want %s", kept.Params, c.kept)
			}
			if diff := cmp.Diff(c.removed, kept.Removed); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, e := range []composer.Entry{
		{Text: `{"jsonrpc":"2.0","method":"x","params":{"t":"` + token + `"}}`},
		{Text: token + `\r\n`, Bytes: true},
		{Method: "tools/call", Params: json.RawMessage(`{"` + token + `":1}`)},
		{Method: "x", Template: token},
	} {
		if _, err := s.Add("k", e); !errors.Is(err, composer.ErrSecret) {
			t.Errorf("%+v: %v", e, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, "k.jsonl"))
	if err != nil || strings.Contains(string(text), token) || strings.Contains(string(text), "tea pot") || strings.Contains(string(text), "123456789") {
		t.Errorf("the file holds a secret, or nothing: %v\n%s", err, text)
	}
}

// TestTemplates holds that a template stays while entries come and go, and that
// its name is its own.
func TestTemplates(t *testing.T) {
	s := composer.Store{Dir: t.TempDir()}
	named := entry("ping", "")
	named.Template = "are you there"
	add(t, s, "k", named)
	for i := range composer.MaxEntries + 50 {
		add(t, s, "k", entry("tools/call", fmt.Sprintf(`{"n":%d}`, i)))
	}
	again := entry("tools/list", "")
	again.Template = named.Template
	add(t, s, "k", again)
	list := load(t, s, "k")
	if len(list) != composer.MaxEntries+1 {
		t.Errorf("%d entries are kept", len(list))
	}
	if list[0].Template != named.Template || list[0].Method != "tools/list" || string(list[1].Params) != fmt.Sprintf(`{"n":%d}`, composer.MaxEntries+49) {
		t.Errorf("the latest are %+v", list[:2])
	}
}

// TestBounds holds that what is too long is refused, and that a damaged line
// costs that line only.
func TestBounds(t *testing.T) {
	s := composer.Store{Dir: t.TempDir()}
	if _, err := s.Add("k", entry("x", `"`+strings.Repeat("tea ", composer.MaxEntry/4)+`"`)); !errors.Is(err, composer.ErrTooLong) {
		t.Errorf("%v", err)
	}
	add(t, s, "k", entry("ping", ""))
	path := filepath.Join(s.Dir, "k.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append([]byte("{torn\n"), whole...), 0o600); err != nil {
		t.Fatal(err)
	}
	add(t, s, "k", entry("tools/list", ""))
	if got := load(t, s, "k"); len(got) != 2 || got[0].Method != "tools/list" {
		t.Errorf("%+v", got)
	}
}

func TestKey(t *testing.T) {
	keys := map[string]bool{}
	for _, k := range []string{composer.StoreKey("", nil), composer.StoreKey("a", nil), composer.StoreKey("", []string{"a"}), composer.StoreKey("", []string{"a", "b"}), composer.StoreKey("", []string{"a b"})} {
		keys[k] = true
	}
	if len(keys) != 5 || composer.StoreKey("a", []string{"x"}) != composer.StoreKey("a", []string{"y"}) {
		t.Errorf("%v", keys)
	}
}

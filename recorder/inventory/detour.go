package inventory

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiretea/recorder/capture"
	"wiretea/session/atomicfile"
	"wiretea/session/clientconfig"
)

// A Detour is a wrapped entry with a URL: what the local proxy has to serve.
type Detour struct {
	clientconfig.Detour
	Entry  string // Entry is the server's name in the file.
	Client string // Client is the client's name: "Claude Desktop".
	File   string // File is the path of the client's file.
	Server string // Server is the server's own URL. It may hold a secret.
}

// Detours returns the wrapped entries with a URL: those of the clients' files in a
// place, and those of the files of other projects that WrapPlan has changed. Files that
// cannot be read have none.
func Detours(place clientconfig.Place) ([]Detour, error) {
	if _, err := readProxyState(place); err != nil {
		return nil, err
	}
	var all []Detour
	for _, f := range Find(place) {
		client, _ := clientconfig.Lookup(f.Client)
		for _, s := range f.Servers {
			if s.Detour != nil {
				all = append(all, Detour{*s.Detour, s.Name, client.Title, f.Path, s.URL})
			}
		}
	}
	return all, nil
}

// A ProxyPlan is what a proxy for the wrapped entries serves.
type ProxyPlan struct {
	Port    int // Port is that of the clients' files.
	Servers []capture.ProxyServer
	Apart   []Detour // Apart are wrapped entries that it does not serve, because their URL has another port.
}

// PlanProxy returns what a proxy for the wrapped entries of a place serves. Entries of the
// same name are labelled with their client too.
func PlanProxy(place clientconfig.Place) (plan ProxyPlan, err error) {
	all, err := Detours(place)
	if err != nil || len(all) == 0 {
		return plan, err
	}
	if plan.Port, err = proxyPort(place); err != nil {
		return plan, err
	}
	if !slices.ContainsFunc(all, func(d Detour) bool { return d.Port == plan.Port }) {
		plan.Port = all[0].Port
	}
	named, served := map[string]int{}, map[string]bool{}
	for _, d := range all {
		named[d.Entry]++
	}
	for _, d := range all {
		u, err := d.upstream()
		switch {
		case err != nil:
			return plan, err
		case d.Port != plan.Port:
			plan.Apart = append(plan.Apart, d)
		case !served[d.Name]:
			served[d.Name] = true
			label := d.Entry
			if named[d.Entry] > 1 {
				label += "-" + strings.ToLower(strings.ReplaceAll(d.Client, " ", "-"))
			}
			plan.Servers = append(plan.Servers, capture.ProxyServer{Name: d.Name, Label: label, URL: u})
		}
	}
	return plan, nil
}

// upstream is the server's own URL, or its origin where that cannot be read.
func (d Detour) upstream() (*url.URL, error) {
	if u, err := url.Parse(d.Server); err == nil && u.Host != "" && u.User == nil {
		return u, nil
	}
	return url.Parse(d.Origin)
}

// proxyPort is the port of the local proxy, which clients' files name; 0 before the
// first entry with a URL is wrapped.
func proxyPort(place clientconfig.Place) (int, error) {
	state, err := readProxyState(place)
	return state.Port, err
}

// unserved says that nothing serves a wrapped entry with a URL at the proxy's port;
// empty = something does, or the port is 0.
func unserved(port int) string {
	if port == 0 {
		return ""
	}
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		c.Close()
		return ""
	}
	return "wrapped, but nothing listens at " + addr + ": wiretea proxy serves it"
}

// WrapPlan returns the change that puts wiretea in front of a server, and what makes
// it.
func WrapPlan(place clientconfig.Place, f clientconfig.File, s clientconfig.Server) (c clientconfig.Change, apply func() error, err error) {
	if s.Command != "" || s.URL == "" {
		binary, err := ownPath()
		if err == nil {
			c, err = f.Wrap(s, binary)
		}
		return c, func() error {
			if err := remember(place, f); err != nil {
				return err
			}
			return c.Apply()
		}, err
	}
	state, err := readProxyState(place)
	if err != nil {
		return c, nil, err
	}
	if state.Port == 0 {
		if state.Port, err = freePort(); err != nil {
			return c, nil, err
		}
	}
	c, err = f.WrapURL(s, state.Port)
	return c, func() error {
		if err := state.add(place, f); err != nil {
			return err
		}
		return c.Apply()
	}, err
}

// freePort returns a port on which nothing listens, below those that systems give to
// outgoing connections.
func freePort() (int, error) {
	var last error
	for range 50 {
		port := 20000 + rand.IntN(10000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, l.Close()
		}
		last = err
	}
	return 0, fmt.Errorf("finding a port for the proxy: %w", last)
}

// A proxyState is what is kept of the local proxy. It has no secrets.
type proxyState struct {
	Port  int         `json:"port"`
	Files []proxyFile `json:"files"` // Files are those in which entries were wrapped.
}

type proxyFile struct {
	Client  string `json:"client"`
	Path    string `json:"path"`
	Project string `json:"project,omitempty"` // Project is the folder of a project's file.
}

func proxyStatePath(place clientconfig.Place) string {
	return filepath.Join(place.Home, ".local", "state", "wiretea", "proxy.json")
}

func readProxyState(place clientconfig.Place) (s proxyState, err error) {
	data, err := atomicfile.Read(proxyStatePath(place), 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err == nil:
		err = json.Unmarshal(data, &s)
	}
	if err == nil && (s.Port < 0 || s.Port > 1<<16-1) {
		err = fmt.Errorf("%d is not a port", s.Port)
	}
	if err != nil {
		err = fmt.Errorf("reading the proxy's port from %s: %w", proxyStatePath(place), err)
	}
	return s, err
}

// remember adds a file in which an entry was wrapped to those that Find reads, unless it
// is one of the user's that Find reads anyway.
func remember(place clientconfig.Place, f clientconfig.File) error {
	if f.Level == clientconfig.User && slices.ContainsFunc(clientconfig.Find(place), func(known clientconfig.File) bool { return SamePath(known.Path, f.Path) }) {
		return nil
	}
	state, err := readProxyState(place)
	if err != nil {
		return err
	}
	return state.add(place, f)
}

// Find returns the files of clientconfig.Find, and those elsewhere in which entries are
// still wrapped. What is elsewhere is judged as what is a project's.
func Find(place clientconfig.Place) []clientconfig.File {
	files := clientconfig.Find(place)
	state, err := readProxyState(place)
	if err != nil {
		return files // Who needs the state says that it cannot be read.
	}
	for _, other := range state.Files {
		if slices.ContainsFunc(files, func(f clientconfig.File) bool { return f.Path == other.Path }) {
			continue
		}
		f := clientconfig.Read(other.Client, other.Path).InProject(cmp.Or(other.Project, filepath.Dir(other.Path)))
		if slices.ContainsFunc(f.Servers, func(s clientconfig.Server) bool { return s.Wrapped }) {
			files = append(files, f)
		}
	}
	return files
}

// add notes a file and writes the state, if it was not noted.
func (s proxyState) add(place clientconfig.Place, f clientconfig.File) error {
	if old, err := readProxyState(place); err == nil {
		s.Files = old.Files
	}
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return err
	}
	file := proxyFile{Client: f.Client, Path: path}
	if f.Level == clientconfig.Project {
		file.Project = place.Project
	}
	if slices.Contains(s.Files, file) {
		return nil
	}
	s.Files = append(slices.DeleteFunc(s.Files, func(old proxyFile) bool { return old.Path == path }), file)
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	to := proxyStatePath(place)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteBytes(to, atomicfile.Options{Mode: 0o600}, data)
}

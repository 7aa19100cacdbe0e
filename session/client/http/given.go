package http

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// AddField adds a field that a user gives. The error does not have the value.
func AddField(h http.Header, name, value string) error {
	if !isToken(name) {
		return errors.New("not the name of a header field")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("the value of %s has control characters", name)
	}
	h.Add(name, value)
	return nil
}

// tokenLimit is how long a command may take to print a token.
const tokenLimit = time.Minute

// CommandToken returns an Options.Token that runs a command of the shell: the token is the
// first line that it prints.
func CommandToken(command string) func(ctx context.Context, refused string) (string, error) {
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	return func(ctx context.Context, _ string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, tokenLimit)
		defer cancel()
		out, err := exec.CommandContext(ctx, shell[0], shell[1], command).Output()
		if err != nil {
			return "", fmt.Errorf("its command: %w", err)
		}
		line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
		return string(line), nil
	}
}

// maxAuthorities is how much of a file of certificates is read, in bytes.
const maxAuthorities = 16 << 20

// Trusting returns a configuration that trusts the authorities in a file of PEM, besides
// the system's; none is verified where anybody is set. An empty file adds
// none.
func Trusting(file string, anybody bool) (*tls.Config, error) {
	cfg := &tls.Config{InsecureSkipVerify: anybody}
	if file == "" {
		return cfg, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAuthorities))
	if err != nil {
		return nil, err
	}
	if cfg.RootCAs, err = x509.SystemCertPool(); err != nil {
		cfg.RootCAs = x509.NewCertPool()
	}
	if !cfg.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("no certificate in %s", file)
	}
	return cfg, nil
}

// A token is the bearer token of a Remote.
type token struct {
	get func(ctx context.Context, refused string) (string, error)

	mu    sync.Mutex // mu is held while it is fetched.
	value string
	have  bool
}

// bearer returns the token; empty if there is none. refused is the one that was refused
// by 401, where it is not empty: another one is fetched in its place, unless that was
// done.
func (t *token) bearer(ctx context.Context, refused string) (string, error) {
	if t.get == nil {
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.have && (refused == "" || t.value != refused) {
		return t.value, nil
	}
	value, err := t.get(ctx, refused)
	if err != nil {
		return "", fmt.Errorf("getting the token: %w", err)
	}
	value = strings.TrimSpace(value)
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("getting the token: it is empty, or has characters that no token has")
	}
	t.value, t.have = value, true
	return value, nil
}

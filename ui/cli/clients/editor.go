package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"wiretea/recorder/capture"
	"wiretea/recorder/inventory"
	"wiretea/session/clientconfig"
	"wiretea/ui/cli/term"
)

// An editor knows the entries of the clients' files, for home.
type Editor struct{ Place clientconfig.Place }

// entry reads an entry anew: its file may have changed since it was listed.
func (e *Editor) entry(s inventory.Server) (found, error) {
	for _, f := range clientconfig.Find(e.Place) {
		for _, server := range f.Servers {
			if inventory.ID(f, server) == s.ID {
				return found{f, server}, nil
			}
		}
	}
	return found{}, fmt.Errorf("%s is not in %s any more", term.Visible(s.Name), s.File)
}

// Command implements home.Editor.
func (e *Editor) Command(_ context.Context, s inventory.Server) (inventory.Command, error) {
	hit, err := e.entry(s)
	if err != nil {
		return inventory.Command{}, err
	}
	l, err := hit.file.Launch(hit.server, e.Place)
	var loader *clientconfig.LoaderError
	switch {
	case errors.As(err, &loader):
		return inventory.Command{}, fmt.Errorf("%w; if you want it, set %s yourself: wiretea run --env NAME=VALUE -- CMD", err, loader.Variables[0].Name)
	case err != nil:
		return inventory.Command{}, err
	}
	c := inventory.Command{
		Server: s, Argv: l.Argv, Env: l.Env, Cwd: l.Cwd, Shown: l.Shown, Sets: capture.EnvNames(l.Env), Reads: l.Read,
		Notes: inventory.Notes(hit.server), Foreign: hit.server.Level == clientconfig.Project,
	}
	c.Program = programFile(l)
	if l.Left != "" {
		c.Notes = append(c.Notes, l.Left)
	}
	if info, err := os.Stat(l.Cwd); err != nil || !info.IsDir() {
		c.Notes = append(c.Notes, "the folder is not there: the server cannot be started in it")
	}
	return c, nil
}

// programFile is the file that a command starts; empty = none is found.
func programFile(l clientconfig.Launch) string {
	path := l.Argv[0]
	if strings.ContainsRune(path, filepath.Separator) && !filepath.IsAbs(path) {
		path = filepath.Join(l.Cwd, path)
	}
	found, err := exec.LookPath(path)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return ""
	}
	return found
}

// Plan implements home.Editor.
func (e *Editor) Plan(_ context.Context, s inventory.Server, wrap bool) (inventory.Change, error) {
	hit, err := e.entry(s)
	if err != nil {
		return inventory.Change{}, err
	}
	client, _ := clientconfig.Lookup(hit.file.Client)
	doing, done := "unwrap", "unwrapped"
	var change clientconfig.Change
	if wrap {
		doing, done = "wrap", "wrapped"
		var binary string
		if binary, err = ownPath(); err == nil {
			change, err = hit.file.Wrap(hit.server, binary)
		}
	} else {
		change, err = hit.file.Unwrap(hit.server)
	}
	if err != nil {
		return inventory.Change{}, term.WithHint(editFailure(doing+"ping", hit.file.Path, err))
	}
	out := inventory.Change{Title: fmt.Sprintf("%s %s in %s?", doing, term.Visible(s.Name), client.Title), Diff: change.Diff()}
	if wrap {
		path, now := change.Keeps()
		when := "is now"
		if !now {
			when = "was before its first wrapping"
		}
		out.Notes = append(out.Notes, "The file as it "+when+" stays beside it, as "+inventory.UnderHome(path, e.Place.Home)+", until it is unwrapped.")
	}
	if hit.server.Level == clientconfig.Project {
		out.Notes = append(out.Notes, "Note: "+projectWords+".")
	}
	for _, note := range inventory.Notes(hit.server) {
		out.Notes = append(out.Notes, "⚠ "+note)
	}
	if hit.server.Off {
		out.Notes = append(out.Notes, "⚠ "+inventory.OffNote)
	}
	out.Notes = append(out.Notes, "Then: "+client.Restart+".")
	out.Apply = func(context.Context) (string, error) {
		if err := change.Apply(); err != nil {
			return "", term.WithHint(editFailure(doing+"ping", hit.file.Path, err))
		}
		return fmt.Sprintf("%s %s · next: %s", done, term.Visible(s.Name), client.Restart), nil
	}
	return out, nil
}

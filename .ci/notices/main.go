package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A module is a part of the build list, as go list prints it.
type module struct {
	Path, Version, Dir string
	Main               bool
}

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "fail if the file is not what would be written")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: notices [-check] FILE")
	}
	text, err := notices()
	if err != nil {
		log.Fatal(err)
	}
	if !*check {
		err = os.WriteFile(flag.Arg(0), text, 0o644)
	} else if have, readErr := os.ReadFile(flag.Arg(0)); readErr != nil || !bytes.Equal(have, text) {
		err = errors.Join(readErr, fmt.Errorf("%s is out of date: go run ./.ci/notices %[1]s", flag.Arg(0)))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// notices is the whole text.
func notices() ([]byte, error) {
	all := map[string]module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		if err := linked(system, all); err != nil {
			return nil, err
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	all["go"] = module{Path: "The Go library", Dir: strings.TrimSpace(string(root))}
	var b bytes.Buffer
	b.WriteString("wiretea contains these programs of others, under the licences below.\n")
	for _, m := range slices.SortedFunc(maps.Values(all), func(a, b module) int { return strings.Compare(a.Path, b.Path) }) {
		if err := m.write(&b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// linked adds the modules that the binary for a system has packages of.
func linked(system string, all map[string]module) error {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", ".")
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list for %s: %w", system, err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg struct{ Module *module }
		if err := dec.Decode(&pkg); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list for %s: %w", system, err)
		}
		if m := pkg.Module; m != nil && !m.Main {
			all[m.Path] = *m
		}
	}
}

// write appends the module's name and its licences.
func (m *module) write(b *bytes.Buffer) error {
	var files []string
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*", "PATENTS*"} {
		found, err := filepath.Glob(filepath.Join(m.Dir, pattern))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no licence in %s", m.Path, m.Dir)
	}
	fmt.Fprintf(b, "\n%s\n%s\n\n", strings.Repeat("=", 80), strings.TrimSpace(m.Path+" "+m.Version))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
		}
	}
	return nil
}

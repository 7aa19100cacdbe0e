package client

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"wiretea/session/json/lex"
)

// RootsAnswer is the answer to roots/list: paths, made absolute, or file://
// URIs. It fails for what cannot be a root.
func RootsAnswer(roots []string) (Answer, error) {
	b := []byte(`{"roots":[`)
	for i, root := range roots {
		uri, name, err := rootURI(root)
		if err != nil {
			return Answer{}, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"uri":%s,"name":%s}`, lex.Quote(uri), lex.Quote(name))
	}
	return Answer{Result: append(b, "]}"...)}, nil
}

// rootURI returns a root as a file:// URI with a name to show. A root must be
// one: [Vn] client/roots.
func rootURI(root string) (uri, name string, err error) {
	if strings.HasPrefix(root, "file://") {
		u, err := url.Parse(root)
		if err != nil {
			return "", "", fmt.Errorf("reading root: %w", err)
		}
		return root, lastElement(u.Path), nil
	}
	if strings.Contains(root, "://") {
		return "", "", fmt.Errorf("reading root %q: a root is a folder or a file:// URI", root)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", "", fmt.Errorf("reading root %q: %w", root, err)
	}
	path := filepath.ToSlash(abs)
	if runtime.GOOS == "windows" && !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x is file:///C:/x
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), lastElement(path), nil
}

func lastElement(path string) string {
	path = strings.TrimRight(path, "/")
	return cmp.Or(path[strings.LastIndexByte(path, '/')+1:], "/")
}

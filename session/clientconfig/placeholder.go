package clientconfig

import (
	"path/filepath"
	"slices"
	"strings"
)

// editor is the syntax of VS Code, which Cursor and Windsurf have a part of:
// ${workspaceFolder}, ${env:NAME}. What VS Code does not know it leaves.
//
// https://code.visualstudio.com/docs/reference/variables-reference
func (f *filler) editor(text string) (n int, value string, secret bool, err error) {
	inside, ok := braces(text)
	if !ok {
		return 1, "$", false, nil
	}
	n = len(inside) + len("${}")
	kind, name, _ := strings.Cut(inside, ":")
	if kind == "env" {
		return n, f.variable(name), true, nil // an unset one is empty there
	}
	if f.client != "windsurf" {
		switch inside {
		case "workspaceFolder", "workspaceRoot":
			return n, f.place.Project, false, f.needsProject(text[:n])
		case "workspaceFolderBasename", "workspaceRootFolderName":
			return n, filepath.Base(f.place.Project), false, f.needsProject(text[:n])
		case "userHome":
			return n, f.place.Home, false, nil
		case "pathSeparator", "/":
			return n, string(filepath.Separator), false, nil
		}
	}
	if why := f.onlyClient(kind, inside); why != "" {
		return 0, "", false, &PlaceholderError{text[:n], why}
	}
	return n, text[:n], false, nil
}

// onlyClient says why a placeholder is the client's alone to fill in; empty = it
// is none.
func (f *filler) onlyClient(kind, inside string) string {
	switch {
	case kind == "file" && f.client == "windsurf":
		return "it is the content of a file, which would appear in the command line"
	case f.client == "windsurf":
		return ""
	case kind == "input":
		return "the client asks its user for it"
	case kind == "command" || kind == "config":
		return "only the editor can tell"
	case kind == "workspaceFolder" || kind == "workspaceFolderBasename":
		return "only the editor knows its folders by name"
	}
	editing := []string{"file", "fileWorkspaceFolder", "relativeFile", "relativeFileDirname", "fileBasename", "fileBasenameNoExtension",
		"fileDirname", "fileExtname", "lineNumber", "columnNumber", "selectedText", "execPath", "defaultBuildTask", "extensionInstallFolder", "cwd"}
	if slices.Contains(editing, inside) {
		return "it depends on what the editor shows at this moment"
	}
	return ""
}

func (f *filler) needsProject(text string) error {
	if f.place.Project == "" {
		return &PlaceholderError{text, "no project in this folder"}
	}
	return nil
}

// claudeCode is ${NAME} and ${NAME:-default}. Claude Code does not start a server
// whose variable is neither set nor has a default.
//
// https://code.claude.com/docs/en/mcp#environment-variable-expansion-in-mcp-json
func (f *filler) claudeCode(text string) (n int, value string, secret bool, err error) {
	inside, ok := braces(text)
	if !ok {
		return 1, "$", false, nil
	}
	n = len(inside) + len("${}")
	name, fallback, has := strings.Cut(inside, ":-")
	if !isVariable(name) {
		return n, text[:n], false, nil
	}
	value = f.variable(name)
	switch {
	case value != "":
		return n, value, true, nil
	case has:
		return n, fallback, false, nil
	}
	return 0, "", false, &PlaceholderError{text[:n], name + " is not set, and Claude Code does not start the server then"}
}

// gemini is $NAME and ${NAME}. What is not set stays as it is written.
//
// https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md
func (f *filler) gemini(text string) (n int, value string, secret bool, err error) {
	name, ok := braces(text)
	n = len(name) + len("${}")
	if !ok {
		for n = 1; n < len(text) && isNameByte(text[n]); n++ {
		}
		name = text[1:n]
	}
	value = f.variable(name)
	if value == "" {
		return n, text[:n], false, nil
	}
	return n, value, true, nil
}

// variable is a variable of our environment, which stands for the client's.
func (f *filler) variable(name string) string {
	value := f.place.env(name)
	if value != "" && !slices.Contains(f.read, name) {
		f.read = append(f.read, name)
	}
	return value
}

func isVariable(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

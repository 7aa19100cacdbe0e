package clientconfig_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wiretea/session/clientconfig"
)

// placeOf is a place with a home, a project and two variables.
func placeOf(t *testing.T) clientconfig.Place {
	t.Helper()
	dir := t.TempDir()
	home, project := filepath.Join(dir, "home"), filepath.Join(dir, "home", "shop")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	return clientconfig.Place{Home: home, Project: project, OS: "linux", Getenv: func(name string) string {
		return map[string]string{"TOKEN": "s3cret", "WHERE": "/srv"}[name]
	}}
}

// only writes a client's file and returns it with its only server.
func only(t *testing.T, p clientconfig.Place, client, path, text string) (clientconfig.File, clientconfig.Server) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range clientconfig.Find(p) {
		if f.Client == client && f.Path == path {
			if f.Err != nil || len(f.Servers) != 1 {
				t.Fatalf("%s: %v, %d servers", path, f.Err, len(f.Servers))
			}
			return f, f.Servers[0]
		}
	}
	t.Fatalf("%s does not look at %s", client, path)
	return clientconfig.File{}, clientconfig.Server{}
}

// filesOf are the files of clients below a place, with how their servers begin.
func filesOf(p clientconfig.Place) map[string][2]string {
	return map[string][2]string{
		"claude-code":         {filepath.Join(p.Project, ".mcp.json"), "mcpServers"},
		"claude-code at home": {filepath.Join(p.Home, ".claude.json"), "mcpServers"},
		"claude-desktop":      {filepath.Join(p.Home, ".config", "Claude", "claude_desktop_config.json"), "mcpServers"},
		"cursor":              {filepath.Join(p.Project, ".cursor", "mcp.json"), "mcpServers"},
		"vscode":              {filepath.Join(p.Project, ".vscode", "mcp.json"), "servers"},
		"windsurf":            {filepath.Join(p.Home, ".codeium", "windsurf", "mcp_config.json"), "mcpServers"},
		"kiro":                {filepath.Join(p.Home, ".kiro", "settings", "mcp.json"), "mcpServers"},
		"opencode":            {filepath.Join(p.Project, "opencode.json"), "mcp"},
		"gemini":              {filepath.Join(p.Project, ".gemini", "settings.json"), "mcpServers"},
	}
}

func TestLaunch(t *testing.T) {
	for _, c := range []struct {
		name, client, entry string
		argv, shown         string // PROJECT and HOME stand for the folders.
		env, cwd, fails     string
	}{
		{name: "plain", client: "claude-desktop", entry: `{"command":"npx","args":["-y","a b"],"env":{"A":"1"}}`, argv: "npx|-y|a b", env: "A=1", cwd: "PROJECT"},
		{name: "no placeholders", client: "claude-desktop", entry: `{"command":"x","args":["${env:TOKEN}","$WHERE"]}`, argv: "x|${env:TOKEN}|$WHERE", cwd: "PROJECT"},
		{name: "wrapped", client: "claude-desktop", entry: `{"command":"/opt/wiretea","args":["tee","--name","--","--","npx","-y"]}`, argv: "npx|-y", cwd: "PROJECT"},
		{name: "wrapped twice", client: "claude-desktop", entry: `{"command":"/opt/wiretea","args":["tee","--","/bin/wiretea","tee","--name","n","--","npx"]}`, argv: "npx", cwd: "PROJECT"},
		{name: "tee without a command", client: "claude-desktop", entry: `{"command":"/opt/wiretea","args":["tee"]}`, fails: "without a command"},
		{name: "url", client: "claude-desktop", entry: `{"url":"https://example.com/mcp"}`, fails: "at a URL"},
		{name: "relative folder", client: "vscode", entry: `{"command":"x","cwd":"sub/../tools"}`, argv: "x", cwd: "PROJECT/tools"},
		{name: "folder at home", client: "cursor", entry: `{"command":"x","cwd":"~/tools"}`, argv: "x", cwd: "HOME/tools"},
		{
			name: "vscode", client: "vscode", argv: "PROJECT/run|shop|HOME|/|s3cret|${VAR}|$x|", shown: "PROJECT/run|shop|HOME|/|${env:TOKEN}|${VAR}|$x|${env:NONE}",
			entry: `{"command":"${workspaceFolder}/run","args":["${workspaceFolderBasename}","${userHome}","${/}","${env:TOKEN}","${VAR}","$x","${env:NONE}"],"env":{"K":"k-${env:TOKEN}"}}`,
			env:   "K=k-s3cret", cwd: "PROJECT",
		},
		{name: "vscode input", client: "vscode", entry: `{"command":"x","env":{"K":"${input:key}"}}`, fails: "${input:key} cannot be filled in: the client asks its user"},
		{name: "vscode file", client: "vscode", entry: `{"command":"x","args":["${file}"]}`, fails: "at this moment"},
		{name: "vscode command", client: "vscode", entry: `{"command":"${command:python.interpreterPath}"}`, fails: "only the editor"},
		{name: "cursor", client: "cursor", entry: `{"command":"${userHome}/x","args":["${env:WHERE}"]}`, argv: "HOME/x|/srv", shown: "HOME/x|${env:WHERE}", cwd: "PROJECT"},
		{name: "windsurf", client: "windsurf", entry: `{"command":"x","args":["${env:WHERE}","${workspaceFolder}"]}`, argv: "x|/srv|${workspaceFolder}", shown: "x|${env:WHERE}|${workspaceFolder}", cwd: "PROJECT"},
		{name: "kiro", client: "kiro", entry: `{"command":"x","args":["${TOKEN}"]}`, fails: "${TOKEN} cannot be filled in"},
		{name: "opencode", client: "opencode", entry: `{"command":["x","$y","a"]}`, argv: "x|$y|a", cwd: "PROJECT"},
		{name: "opencode variable", client: "opencode", entry: `{"command":["x","{env:TOKEN}"]}`, fails: "{env:TOKEN} cannot be filled in"},
		{name: "windsurf file", client: "windsurf", entry: `{"command":"x","args":["${file:/etc/passwd}"]}`, fails: "content of a file"},
		{
			name: "claude code", client: "claude-code", entry: `{"command":"x","args":["${TOKEN}","${NONE:-some}","${WHERE:-other}","$TOKEN","${not a name}"]}`,
			argv: "x|s3cret|some|/srv|$TOKEN|${not a name}", shown: "x|${TOKEN}|some|${WHERE:-other}|$TOKEN|${not a name}", cwd: "PROJECT",
		},
		{name: "claude code without", client: "claude-code", entry: `{"command":"x","args":["${NONE}"]}`, fails: "NONE is not set"},
		{name: "claude code at home", client: "claude-code at home", entry: `{"command":"x","args":["${WHERE}"]}`, argv: "x|/srv", shown: "x|${WHERE}", cwd: "PROJECT"},
		{name: "gemini", client: "gemini", entry: `{"command":"x","args":["$TOKEN/a","${WHERE}","$NONE","$","a$"]}`, argv: "x|s3cret/a|/srv|$NONE|$|a$", shown: "x|$TOKEN/a|${WHERE}|$NONE|$|a$", cwd: "PROJECT"},
		{name: "open brace", client: "vscode", entry: `{"command":"x","args":["${env:TOKEN"]}`, argv: "x|${env:TOKEN", cwd: "PROJECT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := placeOf(t)
			at := filesOf(p)[c.client]
			id, _, _ := strings.Cut(c.client, " ")
			f, s := only(t, p, id, at[0], `{"`+at[1]+`":{"it":`+c.entry+`}}`)
			l, err := f.Launch(s, p)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("Launch = %+v, %v; want an error with %q", l, err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			whole := strings.NewReplacer("PROJECT", p.Project, "HOME", p.Home)
			if c.shown == "" {
				c.shown = c.argv
			}
			for what, pair := range map[string][2]string{
				"argv": {strings.Join(l.Argv, "|"), c.argv}, "shown": {strings.Join(l.Shown, "|"), c.shown},
				"env": {strings.Join(l.Env, "|"), c.env}, "cwd": {l.Cwd, c.cwd},
			} {
				if want := whole.Replace(pair[1]); pair[0] != want {
					t.Errorf("%s is %q, want %q", what, pair[0], want)
				}
			}
		})
	}
}

// TestLaunchRead holds that the variables of the environment that were used are
// named, and that a file of variables is not passed over silently.
func TestLaunchRead(t *testing.T) {
	p := placeOf(t)
	f, s := only(t, p, "vscode", filepath.Join(p.Project, ".vscode", "mcp.json"),
		`{"servers":{"it":{"command":"x","args":["${env:TOKEN}","${env:TOKEN}${env:WHERE}${env:NONE}"],"envFile":".env"}}}`)
	l, err := f.Launch(s, p)
	if err != nil || !slices.Equal(l.Read, []string{"TOKEN", "WHERE"}) || !strings.Contains(l.Left, "envFile") {
		t.Errorf("Read = %q, Left = %q, %v", l.Read, l.Left, err)
	}
}

// TestLoaders holds which variables are refused, and which a person must see in a
// project's file: all but a few.
func TestLoaders(t *testing.T) {
	refused := []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "GCONV_PATH"}
	unfamiliar := []string{"NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "ENV", "PERL5OPT", "RUBYOPT", "JAVA_TOOL_OPTIONS", "GIT_SSH_COMMAND",
		"GIT_CONFIG_COUNT", "npm_config_registry", "NPM_CONFIG_script_shell", "PATH", "BASH_FUNC_ls%%", "DOTNET_STARTUP_HOOKS", "UV_INDEX_URL",
		"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "OPENSSL_CONF", "OPENSSL_MODULES", "MAVEN_OPTS", "TS_NODE_PROJECT", "R_PROFILE_USER", "JULIA_LOAD_PATH", "ERL_AFLAGS",
		"PYTHONPYCACHEPREFIX", "PYTHONPLATLIBDIR", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CC", "CXX", "ESBUILD_BINARY_PATH", "AWS_CONFIG_FILE", "KUBECONFIG",
		"HTTPS_PROXY", "https_proxy", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED", "SSL_CERT_FILE", "SSLKEYLOGFILE", "MAKEFILES", "TAR_OPTIONS", "RIPGREP_CONFIG_PATH",
		"DOCKER_HOST", "DATABASE_URL", "LANG", "TERM", "", "api_key", "_TOKEN"}
	known := []string{"API_KEY", "GITHUB_TOKEN", "BRAVE_API_KEY", "AWS_SECRET_ACCESS_KEY", "LOG_LEVEL", "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONIOENCODING"}
	var got []string
	for _, l := range clientconfig.Loaders(slices.Concat(refused, unfamiliar, known)) {
		got = append(got, l.Name)
	}
	if !slices.Equal(got, refused) {
		t.Errorf("refused are %q", got)
	}
	p := placeOf(t)
	env := map[string]string{}
	for _, name := range slices.Concat(unfamiliar, known) {
		env[name] = "v=" + name
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"it": map[string]any{"command": "x", "env": env}}})
	if err != nil {
		t.Fatal(err)
	}
	for client, want := range map[string][]string{"claude-code": unfamiliar, "claude-code at home": nil} {
		id, _, _ := strings.Cut(client, " ")
		_, s := only(t, p, id, filesOf(p)[client][0], string(text))
		var pairs []string
		for _, name := range want {
			pairs = append(pairs, name+"=v="+name)
		}
		got := s.Unfamiliar()
		slices.Sort(got)
		slices.Sort(pairs)
		if !slices.Equal(got, pairs) {
			t.Errorf("%s: unfamiliar are %q, want %q", client, got, pairs)
		}
	}
}

func TestLaunchRefused(t *testing.T) {
	p := placeOf(t)
	entry := `{"mcpServers":{"it":{"command":"npx","env":{"NODE_OPTIONS":"--require ./x.js","LD_PRELOAD":"./x.so"}}}}`
	f, s := only(t, p, "claude-code", filepath.Join(p.Project, ".mcp.json"), entry)
	l, err := f.Launch(s, p)
	var loader *clientconfig.LoaderError
	if !errors.As(err, &loader) || len(loader.Variables) != 1 || len(l.Argv) > 0 {
		t.Fatalf("Launch = %+v, %v", l, err)
	}
	for _, part := range []string{"LD_PRELOAD", "puts a library into every program"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "x.so") {
		t.Errorf("%q gives a value away", err)
	}
	mine, s := only(t, p, "claude-desktop", filesOf(p)["claude-desktop"][0], `{"mcpServers":{"it":{"command":"npx","env":{"NODE_OPTIONS":"--max-old-space-size=4096"}}}}`)
	if l, err := mine.Launch(s, p); err != nil || !slices.Equal(l.Env, []string{"NODE_OPTIONS=--max-old-space-size=4096"}) {
		t.Errorf("in the user's own file: %+v, %v", l, err)
	}
}

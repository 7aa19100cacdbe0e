//go:build realpeers

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/ui/cli/term"
)

// A pathServer is a server with the tool echo, and another one that is denied.
type pathServer struct {
	stdio  sdkPeer
	http   httpPeer
	denied string
}

// pathServers are a server of the legacy era and one of the modern era.
func pathServers() []pathServer {
	return []pathServer{
		{peerNamed(sdkServers, "everything"), httpServers[0], "get-env"},
		{peerNamed(sdkServers, "ts2"), httpNamed("ts2"), "fail"},
	}
}

func httpNamed(name string) httpPeer {
	for _, p := range httpServers {
		if p.name == name {
			return p
		}
	}
	panic(name)
}

// What the policies of the tests in the path say, and what the client calls echo with.
const (
	secret  = "the environment is secret"
	quiet   = "quiet, please"
	enough  = "enough for today"
	longTea = 2000 // longTea is how often "é☕" is repeated.
)

// pathPolicy denies a tool, holds a call that says CAME, and denies echo for a reason, if any.
func pathPolicy(t *testing.T, file, tool, reason string) {
	t.Helper()
	text := fmt.Sprintf(`[[rule]]
id = "no-env"
filter = "m:tools/call t~^%s$"
action = "deny"
reason = %q
[[rule]]
id = "look"
filter = "m:tools/call t~^echo$ b:CAME is:request"
action = "hold"
timeout = "10m"
`, tool, secret)
	if reason != "" {
		text += fmt.Sprintf("[[rule]]\nid = \"no-echo\"\nfilter = \"m:tools/call t~^echo$\"\naction = \"deny\"\nreason = %q\n", reason)
	}
	replace(t, file, text)
}

// pathPlan lists the tools, calls the denied one, makes a call that is held, and calls until
// the policy that the test puts in place says so, twice.
func pathPlan(tool, era string) peerPlan {
	meanwhile := "ping"
	if era == "modern" {
		meanwhile = "tools"
	}
	long, _ := json.Marshal(map[string]string{"message": strings.Repeat("é☕", longTea)})
	return newPeerPlan(
		peerStep{Do: "tools"},
		peerStep{Do: "call", Name: tool},
		peerStep{Do: "held", Name: "echo", Args: json.RawMessage(`{"message":"CAME"}`), Meanwhile: meanwhile},
		peerStep{Do: "repeat", Name: "echo", Args: long, Has: quiet},
		peerStep{Do: "repeat", Name: "echo", Args: long, Has: enough},
	)
}

// TestRealPeerPath lets the clients of the official SDKs talk to servers over stdio and over
// HTTP while a policy decides: a call is held, edited and released while pings pass, a denied
// call shows its reason in the client, a changed policy takes effect in mid-session without a
// lost byte, and a broken one does not. Nobody is blamed.
func TestRealPeerPath(t *testing.T) {
	for _, server := range pathServers() {
		for _, client := range sdkClients {
			if client.modern != server.stdio.modern {
				continue
			}
			t.Run(server.stdio.name+"/"+client.name, func(t *testing.T) {
				t.Parallel()
				t.Run("stdio", func(t *testing.T) { server.overStdio(t, client) })
				t.Run("HTTP", func(t *testing.T) { server.overHTTP(t, client) })
			})
		}
	}
}

// overStdio has witnesses at both ends of a tee.
func (s pathServer) overStdio(t *testing.T, client sdkPeer) {
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.toml")
	pathPolicy(t, policy, s.denied, "")
	ends := map[string]string{}
	for _, name := range []string{"client", "server"} {
		if ends[name] = filepath.Join(dir, name); os.Mkdir(ends[name], 0o700) != nil {
			t.Fatal("no folder for the witness")
		}
	}
	tee := append([]string{"witness", ends["client"], "wiretea", "tee", "--policy", policy, "--record", filepath.Join(dir, "session.mcpcap.jsonl"), "--", "witness", ends["server"]}, s.stdio.argv(t)...)
	s.decide(t, client, tee, dir, policy)
	for i, file := range recordings(t, dir) {
		n := fmt.Sprint(i + 1)
		for _, end := range []struct{ name, stream, file, not string }{
			{"client", "c2s", "in", "out"}, {"server", "c2s", "in", "in"}, {"server", "s2c", "out", "out"}, {"client", "s2c", "out", "in"},
		} {
			if got, want := wayOf(t, file, end.stream, end.not), readFile(t, filepath.Join(ends[end.name], n), end.file); got != want {
				t.Errorf("%s at the %s's end: %d bytes are recorded, %d bytes passed", end.stream, end.name, len(got), len(want))
			}
		}
	}
}

// wayOf are the recorded bytes of a stream without those of a way.
func wayOf(t *testing.T, file, stream, not string) string {
	t.Helper()
	var all strings.Builder
	eachRecord(t, file, func(r *session.Record) {
		if (r.Kind == session.RecFrame || r.Kind == session.RecRaw) && r.Stream.String() == stream && r.Way.String() != not {
			all.Write(r.Body)
			all.Write(r.Term)
		}
	})
	return all.String()
}

// overHTTP has a proxy between the two.
func (s pathServer) overHTTP(t *testing.T, client sdkPeer) {
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.toml")
	pathPolicy(t, policy, s.denied, "")
	at, end := startProxy(t, s.http.serve(t), filepath.Join(dir, "session.mcpcap.jsonl"), "--policy", policy)
	s.decide(t, client, []string{at}, dir, policy)
	end()
}

// decide lets the client do the plan, decides on what is held, and changes the policy.
func (s pathServer) decide(t *testing.T, client sdkPeer, server []string, dir, policy string) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	plan := pathPlan(s.denied, client.era(s.stdio)).write(t)
	played := make(chan sdkAnswers, 1)
	go func() {
		defer cancel() // Nothing more comes of it.
		defer close(played)
		played <- client.play(t, plan, server)
	}()
	// The file is the one of the latest server: a client that probes starts one before.
	says := func(word string) (n int) {
		for _, file := range sessionFiles(dir) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Error(err)
			}
			n += strings.Count(string(text), word)
		}
		return n
	}
	file := ""
	until(t, ctx, func() bool {
		for _, name := range sessionFiles(dir) {
			if text, _ := os.ReadFile(name); strings.Contains(string(text), `"by":"policy: look`) {
				file = name
			}
		}
		return file != ""
	})
	s.release(t, ctx, client, file, says)
	const calls = `"y":"q"`
	before := says(calls)
	until(t, ctx, func() bool { return says(calls) >= before+5 })
	pathPolicy(t, policy, s.denied, quiet)
	until(t, ctx, func() bool { return says(quiet) >= 2 })
	replace(t, policy, "[[rule")
	until(t, ctx, func() bool { return says(`"ev":"broken"`) > 0 })
	before = says(quiet)
	until(t, ctx, func() bool { return says(quiet) >= before+3 })
	pathPolicy(t, policy, s.denied, enough)
	got, ok := <-played
	if !ok {
		t.FailNow()
	}
	s.wantDecided(t, got)
	for _, word := range []string{`"by":"policy: look; edited and released by screen"`, `"by":"policy: no-env"`, `"by":"policy: no-echo"`, `"ev":"changed","what":"policy"`} {
		if says(word) == 0 {
			t.Errorf("the record does not say %s", word)
		}
	}
	if check := inProcess(t.Context(), "check", file); complains(check) || check.code != term.ExitFine {
		t.Errorf("check: %v", check)
	}
}

// sessionFiles are the session files of a folder; none yet is none.
func sessionFiles(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.mcpcap.jsonl"))
	return files
}

// release waits until other messages pass the held one, and releases it with other bytes.
func (s pathServer) release(t *testing.T, ctx context.Context, client sdkPeer, file string, says func(string) int) {
	t.Helper()
	place := screenAt(t, ctx, file)
	defer place.Close()
	until(t, ctx, func() bool { return len(place.State().Held) == 1 })
	meanwhile := `"m":"ping"`
	if client.era(s.stdio) == "modern" {
		meanwhile = `"m":"tools/list"`
	}
	before := says(meanwhile)
	until(t, ctx, func() bool { return says(meanwhile) >= before+3 })
	releaseEdited(t, ctx, place, "CAME", "WENT ☕")
}

// toolAnswer is what a client has of a call.
type toolAnswer struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

// says is the text of an answer, and whether it is an error.
func (a toolAnswer) says() (text string, failed bool) {
	if len(a.Content) != 1 {
		return fmt.Sprint(a), a.IsError
	}
	return a.Content[0].Text, a.IsError
}

// wantDecided looks at what the client has got.
func (s pathServer) wantDecided(t *testing.T, got sdkAnswers) {
	t.Helper()
	var all struct {
		Answers []struct {
			Answer json.RawMessage `json:"answer"`
		} `json:"answers"`
		Errors []string `json:"errors"`
	}
	read := func(text []byte, into any) {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	read(got.Answers, &all)
	if len(all.Answers) != 6 || len(all.Errors) > 0 {
		t.Fatalf("%d answers, errors %q", len(all.Answers), all.Errors)
	}
	if tools := string(all.Answers[1].Answer); !strings.Contains(tools, `"echo"`) {
		t.Errorf("the tools: %s", tools)
	}
	var denied toolAnswer
	read(all.Answers[2].Answer, &denied)
	if text, failed := denied.says(); text != "denied by policy, rule no-env: "+secret || !failed {
		t.Errorf("denied: %s", all.Answers[2].Answer)
	}
	var held struct {
		Answer toolAnswer `json:"answer"`
		Passed bool       `json:"passed"`
	}
	read(all.Answers[3].Answer, &held)
	if text, failed := held.Answer.says(); !strings.HasSuffix(text, "WENT ☕") || failed || !held.Passed {
		t.Errorf("held: %s", all.Answers[3].Answer)
	}
	for i, want := range [][]string{{strings.Repeat("é☕", longTea), quiet}, {quiet, enough}} {
		var answers []toolAnswer
		read(all.Answers[4+i].Answer, &answers)
		ok := len(answers) == len(want)
		for k := range answers {
			text, failed := answers[k].says()
			ok = ok && strings.HasSuffix(text, want[k]) && failed == (want[k] == quiet || want[k] == enough)
		}
		if !ok {
			t.Errorf("while the policy changed: %.2000s", all.Answers[4+i].Answer)
		}
	}
}

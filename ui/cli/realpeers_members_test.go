//go:build realpeers

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wiretea/session"
	"wiretea/session/check"
	"wiretea/session/check/compat"
	"wiretea/session/mcp"
	"wiretea/session/mcp/shape"
	"wiretea/session/mcp/shape/shapetest"
)

var updateMembers = flag.Bool("update-members", false, "write the table of members anew")

// A memberCase is a text that differs from a sample in one place, for a client to take
// or to refuse.
type memberCase struct {
	Era    string `json:"era"`
	Method string `json:"method"`
	Kind   string `json:"kind"` // Kind is result, notification or request.
	Text   string `json:"text"`

	sample shapetest.Sample
	v      mcp.Version
	whole  bool // whole: it is the sample itself.
	path   string
	how    string
}

// memberWork is what the clients are given.
type memberWork struct {
	Healthy map[string]map[string]string `json:"healthy"`
	Cases   []memberCase                 `json:"cases"`
}

// memberCases are the samples of both eras, each followed by its mutations.
func memberCases() memberWork {
	work := memberWork{Healthy: map[string]map[string]string{}}
	for _, v := range []mcp.Version{mcp.V4, mcp.V5} {
		samples := shapetest.Legacy()
		if v == mcp.V5 {
			samples = shapetest.Modern()
		}
		era := v.Era().String()
		work.Healthy[era] = map[string]string{"done": `{"resultType":"complete","content":[]}`}
		for _, s := range append(samples, shapetest.Foreign(v)...) {
			c := memberCase{Era: era, Method: s.Method, Kind: "result", Text: s.Text, sample: s, v: v, whole: true}
			if m, _ := mcp.Lookup(s.Method); s.Params && m.Notification {
				c.Kind = "notification"
			} else if s.Params {
				c.Kind = "request"
			} else if work.Healthy[era][s.Method] == "" {
				work.Healthy[era][s.Method] = s.Text
			}
			work.Cases = append(work.Cases, c)
			for _, m := range shapetest.Mutations(s.Text) {
				c.Text, c.path, c.how, c.whole = string(m.Text), m.Path, m.How, false
				work.Cases = append(work.Cases, c)
			}
		}
		work.Healthy[era][mcp.ToolsList] = `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	}
	return work
}

// faults are what the table says of the case.
func (c *memberCase) faults() []shape.Fault {
	is := shape.Result(c.Method, c.v)
	switch {
	case c.sample.Params:
		is = shape.Params(c.Method, c.v)
	case c.sample.Type() != "":
		is = shape.Named(c.sample.Type(), c.v)
	}
	var j shape.Judge
	return j.Faults(is, []byte(c.Text))
}

// findings are what the checks say of the case.
func (c *memberCase) findings() []string {
	a := session.NewAnalyzer(session.Config{Checkers: check.New()})
	a.Add(&session.Record{Kind: session.RecProc, N: 1, Conn: 1, T: 1_000_000, Proc: session.Proc{Event: "start", PID: 4711, FDs: []string{"pipe", "pipe", "pipe"}}})
	for i, line := range shapetest.Conversation(c.sample, c.v, c.Text) {
		stream, _ := session.ParseStream(line.Stream)
		t := int64(i+1) * 10_000_000
		a.Add(&session.Record{Kind: session.RecRaw, N: uint64(i + 2), Conn: 1, T: t, T1: t, Stream: stream, Body: []byte(line.Text + "\n")})
	}
	a.Close()
	var said []string
	for _, f := range a.Snapshot().Findings() {
		if f.Severity > session.Info {
			said = append(said, f.Rule+" "+f.Message)
		}
	}
	return said
}

// memberVerdicts are the reactions of the measured clients to the cases: "1" refuses,
// "0" takes, "-" unknown, one character for each client in the order of compat.
func memberVerdicts(t *testing.T, work memberWork) []string {
	text, err := json.Marshal(work)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var reasons [compat.RMCP][]*string
	var all sync.WaitGroup
	for client, names := range map[compat.Client][]string{
		compat.TypeScript1: {"node", "members_ts1.mjs"}, compat.TypeScript2: {"node", "members_ts2.mjs"},
		compat.Python1: {"py1", "members.py"}, compat.Python2: {"py2", "members.py"},
	} {
		all.Go(func() { reasons[client] = memberScript(t, append(script(names...)(t), file)) })
	}
	all.Go(func() { reasons[compat.Go] = memberGo(t, work) })
	all.Wait()
	verdicts := make([]string, len(work.Cases))
	known := [compat.RMCP]bool{}
	for i := range work.Cases {
		for c := range compat.RMCP {
			if len(reasons[c]) != len(work.Cases) {
				t.Fatalf("%v measured %d of %d cases", c, len(reasons[c]), len(work.Cases))
			}
			if work.Cases[i].whole {
				known[c] = reasons[c][i] == nil
			}
			switch {
			case !known[c]:
				verdicts[i] += "-"
			case reasons[c][i] == nil:
				verdicts[i] += "0"
			default:
				verdicts[i] += "1"
			}
		}
	}
	return verdicts
}

func memberScript(t *testing.T, argv []string) []*string {
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	var reasons []*string
	if err := cmd.Run(); err != nil {
		t.Errorf("%q: %v\n%.2000s", argv, err, &errw)
	} else if err := json.Unmarshal(out.Bytes(), &reasons); err != nil {
		t.Errorf("%q: %v\n%.2000s", argv, err, &out)
	}
	return reasons
}

// beyondShapes are faults that break a client and do not concern types: what the
// value names does not exist for the peer.
var beyondShapes = map[string]bool{
	"supportedVersions[0]":   true, // No revision in common.
	"inputRequests.r.params": true, // The schema allows roots/list without params; the Go SDK does not.
	"inputRequests":          true, // The client retries a request with requestState alone, in a loop.
}

// TestRealPeerMembers measures the table of members of session/check/compat with the
// clients of the official SDKs. What one of them refuses is not passed in silence, and
// what all of them and the schema take is not reported.
func TestRealPeerMembers(t *testing.T) {
	t.Parallel()
	work := memberCases()
	verdicts := memberVerdicts(t, work)
	var healthy []string
	silent, accused := 0, 0
	for i := range work.Cases {
		c := &work.Cases[i]
		said := c.findings()
		if c.whole {
			healthy = said
			continue
		}
		said = slices.DeleteFunc(said, func(s string) bool { return slices.Contains(healthy, s) })
		breaks := strings.Contains(verdicts[i], "1")
		if breaks && len(said) == 0 && !beyondShapes[c.path] {
			silent++
			t.Errorf("%s %s: %s is %s, which breaks %s, in silence", c.Era, c.Method, c.path, c.how, verdicts[i])
		}
		faults := c.faults()
		typed := slices.ContainsFunc(said, func(s string) bool {
			return strings.HasPrefix(s, "null-member") || strings.HasPrefix(s, "invalid-member") || strings.HasPrefix(s, "list-invalid")
		})
		if !breaks && len(faults) == 0 && typed {
			accused++
			t.Errorf("%s %s: %s is %s, which breaks nothing, is reported: %q", c.Era, c.Method, c.path, c.how, said)
		}
	}
	t.Logf("%d texts: %d in silence, %d falsely accused", len(work.Cases), silent, accused)
	table := memberTable(work, verdicts)
	file := filepath.Join("..", "..", "session", "check", "compat", "members.txt")
	if *updateMembers {
		if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written := readFile(t, filepath.Dir(file), filepath.Base(file)); written != table {
		t.Errorf("%s is not what was measured; run this test with -update-members", file)
	}
}

// A memberKey is a line of the table of members, and a kind of fault in it.
type memberKey struct{ era, method, place, kind string }

// coarser are the lines that count where the key has none, the nearest first.
func (k memberKey) coarser() []memberKey {
	keys := []memberKey{{k.era, "*", k.place, k.kind}, {k.era, "*", "_meta/*", k.kind}, {k.era, "*", "*", k.kind}}
	if !strings.HasPrefix(k.place, "_meta/") {
		return slices.Delete(keys, 1, 2)
	}
	return keys
}

// memberTable is the table of members that the verdicts make: the usual reaction to
// each kind of fault, and the places and methods whose reaction differs.
func memberTable(work memberWork, verdicts []string) string {
	measured := map[memberKey]string{}
	unknown := map[memberKey]bool{} // unknown: methods that no client takes.
	for i := range work.Cases {
		c := &work.Cases[i]
		if c.whole {
			method := memberKey{c.Era, c.Method, "*", "*"}
			before, met := unknown[method]
			unknown[method] = (before || !met) && strings.Trim(verdicts[i], "-") == ""
		}
		if faults := c.faults(); len(faults) == 1 {
			place, kind := compat.MemberFault(&faults[0])
			key := memberKey{c.Era, c.Method, place, kind}
			measured[key] = agreed(measured[key], verdicts[i])
		}
	}
	table := map[memberKey]string{}
	for method, is := range unknown {
		if is {
			table[method] = strings.Repeat("-", int(compat.RMCP))
			maps.DeleteFunc(measured, func(k memberKey, _ string) bool { return k.era == method.era && k.method == method.method })
		}
	}
	for key, verdict := range measured {
		measured[key] = strings.ReplaceAll(verdict, "?", "-")
	}
	for _, place := range []func(memberKey) bool{
		func(k memberKey) bool { return k.place == "*" },
		func(k memberKey) bool { return k.place == "_meta/*" },
		func(k memberKey) bool { return k.place != "*" && k.place != "_meta/*" },
	} {
		maps.Copy(table, usually(measured, table, place))
	}
	for key, verdict := range measured {
		if expected(table, key.coarser()) != verdict {
			table[key] = verdict
		}
	}
	return memberLines(table)
}

// usually are the lines for every method whose most frequent reaction is not the one
// that the table has.
func usually(measured, table map[memberKey]string, wanted func(memberKey) bool) map[memberKey]string {
	counts := map[memberKey]map[string]int{}
	for key, verdict := range measured {
		for _, k := range key.coarser() {
			if wanted(k) {
				if counts[k] == nil {
					counts[k] = map[string]int{}
				}
				counts[k][verdict]++
			}
		}
	}
	most := map[memberKey]string{}
	for key, verdicts := range counts {
		best := slices.MaxFunc(slices.Sorted(maps.Keys(verdicts)), func(a, b string) int { return verdicts[a] - verdicts[b] })
		if verdicts[best] > 1 && expected(table, key.coarser()) != best {
			most[key] = best
		}
	}
	return most
}

// expected is the reaction of the first line that the table has.
func expected(table map[memberKey]string, keys []memberKey) string {
	for _, k := range keys {
		if verdict, ok := table[k]; ok {
			return verdict
		}
	}
	return ""
}

// memberLines are the lines of the table, sorted.
func memberLines(table map[memberKey]string) string {
	rows := map[string]map[string][]string{} // by era, method and place: the kinds of each reaction
	for k, verdict := range table {
		row := k.era + " " + k.method + " " + k.place
		if rows[row] == nil {
			rows[row] = map[string][]string{}
		}
		rows[row][verdict] = append(rows[row][verdict], k.kind)
	}
	var out strings.Builder
	out.WriteString("# Measured by TestRealPeerMembers of ui/cli, which writes it with -update-members; see members.go.\n")
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		out.WriteString(row)
		for _, verdict := range slices.Sorted(maps.Keys(rows[row])) {
			fmt.Fprintf(&out, " %s=%s", strings.Join(slices.Sorted(slices.Values(rows[row][verdict])), ","), verdict)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// agreed is what two verdicts of the same fault say together: "?" where they differ.
func agreed(a, b string) string {
	if a == "" {
		return b
	}
	both := []byte(a)
	for i := range both {
		switch {
		case both[i] == '-':
			both[i] = b[i]
		case b[i] != '-' && b[i] != both[i]:
			both[i] = '?'
		}
	}
	return string(both)
}

//go:build realpeers

package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"

	"wiretea/session/check/compat"
	"wiretea/session/check/compat/compattest"
)

func init() { programs["faultserver"] = func() { os.Exit(faultServer(os.Args[1])) } }

// faultServer is a server of the legacy era that has one fault of session/check/compat: in
// the answer to the method that it is in, else just after the handshake. It answers
// a ping after the list or the call that it is asked for, whichever came first: a
// client that has the one has had its chance to take the other. Behind a message
// without line feed it writes nothing more.
func faultServer(name string) int {
	all := make([]compat.Fault, compat.NumFaults)
	for f := range compat.NumFaults {
		all[f] = f
	}
	i := slices.IndexFunc(all, func(f compat.Fault) bool { return f.String() == name })
	if i < 0 {
		return 2
	}
	fault := all[i]
	in := bufio.NewReader(os.Stdin)
	var pinged []byte // pinged is the answer to a ping that came too early.
	answered := false
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(line, &m) != nil || m.Method == "" {
			continue
		}
		var out []byte
		switch {
		case m.Method == "server/discover" && fault == compat.ProbeExit:
			return 1
		case m.Method == "server/discover" && fault == compat.ProbeSilent:
		case m.Method == "notifications/initialized" && fault.In() == "":
			out = compattest.Example(fault, "")
		case m.ID == nil:
		case m.Method == "server/discover":
			out = []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
		case m.Method == fault.In():
			out = compattest.Example(fault, string(m.ID))
		case m.Method == "ping" && (fault == compat.NoNewline || fault == compat.FinalLine):
		case m.Method == "ping" && !answered:
			pinged = append(compattest.Healthy(m.Method, string(m.ID)), '\n')
		default:
			out = append(compattest.Healthy(m.Method, string(m.ID)), '\n')
		}
		if m.Method == "tools/list" || m.Method == "tools/call" {
			answered = true
			out = append(out, pinged...)
		}
		if _, err := os.Stdout.Write(out); err != nil || fault == compat.FinalLine && answered {
			return 0
		}
	}
}

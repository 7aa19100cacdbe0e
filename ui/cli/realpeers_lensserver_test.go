//go:build realpeers

package cli

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"

	"wiretea/session/lens"
)

func init() { programs["faultserver"] = func() { os.Exit(faultServer(os.Args[1])) } }

// faultServer is a server of the legacy era that has one fault of session/lens: in
// the answer to the method that it is in, else just after the handshake.
func faultServer(name string) int {
	all := make([]lens.Fault, lens.NumFaults)
	for f := range lens.NumFaults {
		all[f] = f
	}
	i := slices.IndexFunc(all, func(f lens.Fault) bool { return f.String() == name })
	if i < 0 {
		return 2
	}
	fault := all[i]
	in := bufio.NewReader(os.Stdin)
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
		case m.Method == "server/discover" && fault == lens.ProbeExit:
			return 1
		case m.Method == "server/discover" && fault == lens.ProbeSilent:
		case m.Method == "notifications/initialized" && fault.In() == "":
			out = fault.Example("")
		case m.ID == nil:
		case m.Method == "server/discover":
			out = []byte(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
		case m.Method == fault.In():
			out = fault.Example(string(m.ID))
		default:
			out = append(lens.Healthy(m.Method, string(m.ID)), '\n')
		}
		if _, err := os.Stdout.Write(out); err != nil {
			return 0
		}
	}
}

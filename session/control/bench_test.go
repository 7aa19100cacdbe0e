package control

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
	"wiretea/session/decide/policy"
)

// BenchmarkJudge measures what deciding on a request and its response of 200 bytes costs: with
// a policy of 200 rules, and with a place whose filter matches nothing.
func BenchmarkJudge(b *testing.B) {
	var rules strings.Builder
	for n := range 200 {
		fmt.Fprintf(&rules, "[[rule]]\nfilter = 'm:tools/call t~^tool-%d$'\naction = '%s'\n", n, []string{"deny", "ask", "hold", "log"}[n%4])
	}
	p, err := policy.Parse([]byte(rules.String()), nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, cfg := range map[string]InterceptConfig{"200 rules": {Policy: p}, "place": {}} {
		b.Run(name, func(b *testing.B) {
			i := NewInterceptor(cfg)
			defer i.Close()
			if name == "place" {
				place, err := i.Open("test")
				if err == nil {
					err = place.Intercept(b.Context(), session.Interception{Filter: "m:tools/call t:nothing"})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			pad := strings.Repeat("x", 100)
			request, response := []byte(asks(1, "tools/call", `"name":"echo","arguments":{"message":"`+pad+`"}`)+"\n"), []byte(answers(1, `"text":"`+pad+`"`)+"\n")
			j := lineJudge{i}
			b.ReportAllocs()
			for b.Loop() {
				j.Line(1, session.C2S, request)
				j.Line(1, session.S2C, response)
			}
		})
	}
}

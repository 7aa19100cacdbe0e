package path

import (
	"fmt"
	"strings"
	"testing"

	"wiretea/session"
)

// BenchmarkJudge measures what deciding on a request and its response of 200 bytes costs: with
// a policy of 200 rules that look at names, at the arguments, or at the text, none of which
// matches, and with a place whose filter matches nothing.
func BenchmarkJudge(b *testing.B) {
	rules := func(format string) *Policy {
		var text strings.Builder
		for n := range 200 {
			fmt.Fprintf(&text, "[[rule]]\n"+format+"\naction = '%[2]s'\n", n, []string{"deny", "ask", "hold", "log"}[n%4])
		}
		p, err := ParsePolicy([]byte(text.String()))
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	for name, cfg := range map[string]InterceptConfig{
		"200 rules": {Policy: rules("filter = 'm:tools/call t~^tool-%[1]d$'")}, "place": {},
		"200 members": {Policy: rules("filter = 'm:tools/call j:.params.arguments.message=no-%[1]d'")},
		"200 texts":   {Policy: rules("filter = 'm:tools/call b:secret-%[1]d'")},
	} {
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
			request, response := []byte(asks(1, "tools/call", `"name":"echo","arguments":{"message":"`+pad+`"}`)), []byte(answers(1, `"text":"`+pad+`"`))
			b.ReportAllocs()
			for b.Loop() {
				i.Decide(session.Carried{Conn: 1, Stream: session.C2S, Text: request})
				i.Decide(session.Carried{Conn: 1, Stream: session.S2C, Text: response})
			}
		})
	}
}

package session

import "testing"

// TestTargets holds what requests are shown to act on.
// TestNoTarget checks that a method that acts on nothing has no target, whatever its
// params are.
func TestNoTarget(t *testing.T) {
	a, _ := play(t, Config{}, client(1, request("1", "ping", `{"name":"a","uri":"b","ref":{"name":"c"},"taskId":"d","requestId":"e","level":"f","cursor":"g"}`)))
	s := a.Snapshot()
	if got := s.Name(s.Row(0).Target); got != "" {
		t.Errorf("ping acts on %q", got)
	}
}

func TestTargets(t *testing.T) {
	for params, want := range map[string]string{
		`{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"a"}}`:         "greet",
		`{"argument":{"name":"path","value":"a"},"ref":{"type":"ref/resource","uri":"file:///{p}"}}`: "file:///{p}",
		`{"ref":"greet"}`:                    "",
		`{"argument":{"ref":{"name":"no"}}}`: "",
		`{"ref":{"name":"first"},"ref":{}}`:  "",
	} {
		a, _ := play(t, Config{}, client(1, request("1", "completion/complete", params)), server(2, result("1", `{}`)))
		s := a.Snapshot()
		for row := range uint32(2) {
			if got := s.Name(s.Row(row).Target); got != want {
				t.Errorf("%s: row %d acts on %q, want %q", params, row, got, want)
			}
		}
	}
}

package cli

import (
	"strings"
	"testing"

	"wiretea/recorder/redact/redacttest"
	"wiretea/recorder/verdict/report"
)

// TestCheckShowsNoSecret holds that no format shows a secret that a finding quotes: one
// that its text gives away, one that the session does elsewhere, and one that is cut.
func TestCheckShowsNoSecret(t *testing.T) {
	token := "ghp_" + redacttest.Letters(36)
	file := newTape().
		frame("c2s", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"password":"opensesame-please"}}}`).
		frame("s2c", "logging in with opensesame-please").
		frame("s2c", "token is "+token).
		frame("s2c", strings.Repeat("x ", 36)+token).
		frame("s2c", `{"jsonrpc":"2.0","id":"`+token+`","result":{}}`).
		tools("echo:Echoes").
		record(`"k":"f"`, `"d":"err","len":41,"s":"fatal: cannot log in as opensesame-please"`).exit(3).save(t, "x.mcpcap.jsonl")
	for _, format := range report.Formats() {
		out := wiretea(t, "", "check", "--format", format, file)
		text := out.out + out.err
		if !strings.Contains(text, "redacted-password") {
			t.Errorf("%s: nothing quotes the password, so this test says nothing:\n%s", format, text)
		}
		for _, secret := range []string{"opensesame", token, token[:8]} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s shows %q: %s", format, secret, text[max(0, i-120):min(len(text), i+60)])
			}
		}
	}
	// What was found before is known, whichever way it was written then.
	baseline := strings.TrimSuffix(file, ".mcpcap.jsonl") + ".json"
	writeFile(t, baseline, wiretea(t, "", "check", "--format", "json", file).out)
	if out := wiretea(t, "", "check", "--baseline", baseline, file); out.code != 0 {
		t.Errorf("%v", out)
	}
}

package secrets

import (
	"strings"
	"testing"
	"time"
)

// TestLinear holds that a text costs what its length says, whatever it is made of: the
// same piece over and over takes no longer a byte where there are many.
func TestLinear(t *testing.T) {
	const few, many = 4 << 10, 256 << 10
	f := Finder{Personal: true}
	for _, piece := range []string{
		`"token":{`, "\"token\":{\n", `"token":`, `"token":"`, `-----BEGIN X`, "-----BEGIN PRIVATE KEY-----\n", `-----END `, `a://`, `a://b:`, `Cookie: a=`, `<password>`, `<key>password</key><`, `{"a":[`, `\\`, `\"`, `"`, `'`, `password '`,
		`login x password `, `a@`, `a@b.`, `IDENTIFIED BY '`, `--token `, ` -p`, `curl -u `, `"name":"token",`, `"value":"x",`, `authorization: a `, `recovery codes: `, `eyJa.`, `x is `, `a=`, `secret:`, `"password":'`, `%41`,
		`token=>`, `password: '`, `:5432:`, `_mmk`, `1`, `1 `, `+1-`, `(1`, `DE12`, `a1B`, `a/1B`, `"schema":{"type":`, `"password":{"type":"`, `"password":{"default":[`, `token=a,`, `x"token":`, `value=`, `name: token value: `, `set('token', '`,
		`passphrase: a `, "\u00e9", `ghp_`, `sk-`, `redacted-`, `H4sIAAAA`, `eyJhbGciOi`, `"kty":"d":"`, `token = "$`, `{{`, `Password (a`, `"--password=`, "\x0e", "\x0e:", `--password-stdin `,
		"\x1b[", "\x1b[0m", "\x1b[3", "&", "&#", "&quot;", "&amp;amp;", "password,x\n", "a|password\n-|-\n", "password|", "password\t", "a\tpassword\n", `"columns":["a","password"],[`, `[["a","password"],`, `["password",`, `"columns":[`,
		"password: |\n ", "password: |\n", `tokens = ["`, `password=Some(`, `string(1`, "password：", "密码", "：", "\xef", "$", "$6$", "$6$a", "WIFI:", ";P:", `WIFI:P:\\`, `/s/`, `/s/a1`, `oracle://`, `oracle://a/`, `api.telegram.org/bot`, "::", ":: ", "token:: ",
	} {
		spent := func(size int) time.Duration {
			text := []byte(strings.Repeat(piece, size/len(piece)))
			from := time.Now()
			f.Find(text)
			return time.Since(from)
		}
		// What is quadratic takes 64 times longer a byte. The machine may be busy.
		var a, b time.Duration
		for range 5 {
			a, b = max(a, spent(few)), spent(many)
			if b < 10*a*many/few || b < 100*time.Millisecond {
				break
			}
			if b > 10*time.Second {
				t.Fatalf("%q: %v for %d bytes", piece, b, many)
			}
		}
		if b >= 10*a*many/few && b >= 100*time.Millisecond {
			t.Errorf("%q: %v for %d bytes, %v for %d", piece, a, few, b, many)
		}
	}
}

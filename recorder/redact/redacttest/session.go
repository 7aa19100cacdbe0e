package redacttest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// Session returns a session file, and the secrets in it: what none of its copies
// may hold.
func Session() (file []byte, secrets []string) {
	p := &planter{}
	p.line(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"8f14e45fceea167a5a36dedd4bea2543","tool":"wiretea/0.1.0","t0":"2026-11-20T10:00:00.000000000Z","mode":"tee","tr":"stdio",` +
		`"cmd":["node","/home/` + p.hide("aurelia") + `/srv/server.js","--api-key","` + p.hide("cmd-line-key-77") + `","--dsn=postgres://app:` + p.hide("dbPassw0rd") + `@db/x"],"cwd":"/home/aurelia/srv","envk":["PATH","API_KEY"],` +
		`"sock":"/home/aurelia/.local/x.sock","lim":{"timeout":60000000000,"maxline":10485760}}`)
	p.line(`{"k":"proc","n":%d,"t":%d,"ev":"start","pid":4711,"fds":["pipe","pipe","pipe"]}`)
	p.handshake()
	for i, s := range p.kinds() {
		p.exchange(i+10, s)
	}
	p.odd()
	p.line(`{"k":"proc","n":%d,"t":%d,"ev":"exit","code":0}`)
	p.line(`{"k":"end","n":%d,"t":%d,"frames":` + fmt.Sprint(p.frames) + `,"bytes":` + fmt.Sprint(p.bytes) + `,"lost":0,"why":"exit"}`)
	return []byte(p.out.String()), p.secrets
}

type planter struct {
	out           strings.Builder
	secrets       []string
	n             int
	frames, bytes int
}

// hide takes note of a secret.
func (p *planter) hide(secret string) string {
	p.secrets = append(p.secrets, secret)
	return secret
}

// line writes a record; its %d are number and time.
func (p *planter) line(text string) {
	if strings.Contains(text, `"n":%d,"t":%d`) {
		p.n++
		text = strings.Replace(strings.Replace(text, "%d", fmt.Sprint(p.n), 1), "%d", fmt.Sprint(p.n*1000000), 1)
	}
	p.out.WriteString(text + "\n")
}

// frame writes a frame: verbatim where it is JSON on one line.
func (p *planter) frame(dir, hints, body string) {
	form := `"b":` + body
	if !json.Valid([]byte(body)) || strings.Contains(body, "\n") {
		text, _ := json.Marshal(body)
		form = `"s":` + string(text)
	}
	p.frames++
	p.bytes += len(body) + 1
	p.line(`{"k":"f","n":%d,"t":%d,"d":"` + dir + `"` + hints + `,"len":` + fmt.Sprint(len(body)) + `,` + form + `}`)
}

func (p *planter) raw(dir, text string) {
	quoted, _ := json.Marshal(text)
	p.bytes += len(text)
	p.line(`{"k":"raw","n":%d,"t":%d,"d":"` + dir + `","len":` + fmt.Sprint(len(text)) + `,"s":` + string(quoted) + `}`)
}

func (p *planter) handshake() {
	p.frame("c2s", `,"y":"q","id":"1","m":"initialize"`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	p.frame("s2c", `,"y":"r","id":"1"`, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"2"}}}`)
	p.frame("c2s", `,"y":"n","m":"notifications/initialized"`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.frame("c2s", `,"y":"q","id":"2","m":"tools/list"`, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"`+Letters(40)+`"}}`)
	p.frame("s2c", `,"y":"r","id":"2"`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"use","inputSchema":{"type":"object","properties":{"password":{"type":"string","description":"Your password"},"token":{"type":"string"}}}}]}}`)
}

// exchange has a secret in a call and the same again in its answer.
func (p *planter) exchange(id int, arguments string) {
	p.frame("c2s", fmt.Sprintf(`,"y":"q","id":"%d","m":"tools/call","o":"use"`, id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"use","arguments":%s}}`, id, arguments))
	text, _ := json.Marshal("used " + arguments)
	p.frame("s2c", fmt.Sprintf(`,"y":"r","id":"%d"`, id), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, id, text))
}

// kinds are the arguments of calls, each with a secret of another kind.
func (p *planter) kinds() (all []string) {
	for i, name := range []string{"password", "userPassword", "db_password", "x-api-key", "API_KEY", "client_secret", "accessToken", "refresh_token", "passphrase", "private-key",
		"Authorization", "Set-Cookie", "secretAccessKey", "signingKey", "connection_string", "jwt", "sessionId", "webhookUrl", "otp", "bearer_token"} {
		all = append(all, fmt.Sprintf(`{%q:%q}`, name, p.hide(fmt.Sprintf("plain secret %d of %s", i, strings.ToLower(name)))))
	}
	for _, prefix := range []string{"ghp_", "github_pat_", "glpat-", "xoxb-", "AKIA", "AIza", "ya29.", "sk-ant-", "sk-proj-", "sk_live_", "rk_test_", "whsec_", "npm_", "pypi-", "dckr_pat_", "hf_", "gsk_", "SG.", "lin_api_",
		"ATATT3", "hvs.", "NRAK-", "glsa_", "figd_", "rubygems_", "GOCSPX-"} {
		body := Letters(44)
		if prefix == "AKIA" || prefix == "NRAK-" {
			body = strings.Repeat("Q7ZKXM2WPL9RTVB4", 3)[:20]
		}
		if prefix == "sk-ant-" || prefix == "AKIA" {
			all = append(all, `{"list":[1,["`+p.hide(prefix+body)+`"]]}`)
			continue
		}
		all = append(all, `{"text":"use `+p.hide(prefix+body)+` here"}`)
	}
	p.hide(`quo"ted\slash`)
	nested, _ := json.Marshal(`{"a":{"password":"` + p.hide("nested in a string") + `"}}`)
	return append(all,
		`{"text":"eyJhbGciOiJIUzI1NiJ9.`+p.hide("eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVPmB92K27uhbUJU1p1r")+`"}`,
		`{"text":"-----BEGIN RSA PRIVATE KEY-----\n`+p.hide("MIIEowIBAAKCAQEAplanted")+`\n-----END RSA PRIVATE KEY-----"}`,
		`{"url":"https://me:`+p.hide("urlPassword9")+`@host.example/x?api_key=`+p.hide("queryKey4711")+`&page=2"}`,
		`{"q":"`+p.hide("k3Jx9Qz7Lm2Vb8Nw4Rt6Yp1Hc5Gd0Fs")+`"}`,
		`{"appKey":"`+p.hide("3fa91c07be52d8463fa91c07be52d846")+`"}`,
		`{"text":`+string(nested)+`}`,
		`{"env":{"DB_PASSWORD":"quo\"ted\\slash"}}`,
		`{"pin":`+p.hide("86420975")+`}`,
		`{"args":["--token","`+p.hide("behind-a-flag-1")+`"]}`,
		`{"headers":[{"name":"X-Auth-Token","value":"`+p.hide("in a header list")+`"}]}`,
		`{"Authorization":"Basic `+p.hide(base64.StdEncoding.EncodeToString([]byte("me:"+p.hide("basicPassword1"))))+`"}`,
		`{"credentials":{"user":"`+p.hide("credential-user")+`","list":["`+p.hide("credential-element")+`"]}}`,
		`{"requestState":"`+p.hide("state of a request")+`"}`,
		`{"path":"/Users/`+p.hide("octavian")+`/x"}`,
	)
}

// odd are secrets where no message is: in stderr, over several lines, across the
// cuts of raw records, and once more where they have no name.
func (p *planter) odd() {
	p.frame("err", "", `login with plain secret 0 of password, then with basicPassword1 and quo"ted\slash`)
	p.frame("err", "", `connecting: SECRET_TOKEN=`+p.hide("env-in-stderr-1")+` ok`)
	for _, l := range []string{"-----BEGIN OPENSSH PRIVATE KEY-----", p.hide("b3BlbnNzaC1rZXktdjEplanted"), p.hide("lastlineofthekey"), "-----END OPENSSH PRIVATE KEY-----"} {
		p.frame("err", "", l)
	}
	p.frame("s2c", `,"y":"x"`, `Server uses token: `+p.hide("stdout-token-5")+``)
	for _, l := range []string{`{"jsonrpc":"2.0","method":"notifications/message",`, `"params":{"level":"info","data":{"password":`, `"` + p.hide("on the next line") + `"}}}`} {
		p.frame("s2c", `,"y":"x"`, l)
	}
	p.hide("cutInTheMiddle77")
	for _, l := range []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"password":"cutIn`, `TheMid`, `dle77"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"again cutInThe`, `Middle77"}}` + "\n"} {
		p.raw("s2c", l)
	}
	p.raw("err", "raw stderr sk_live_"+Letters(20))
	p.raw("err", Letters(44)[20:]+" end\n")
	p.line(`{"k":"f","n":%d,"t":%d,"d":"err","len":23,"x":"` + base64.StdEncoding.EncodeToString([]byte("\xff\xfe env-in-stderr-1 \xff\xfe\xff\xfe")) + `"}`)
	p.frames++
	p.bytes += 24
	p.line(`{"k":"future","n":%d,"t":%d,"note":"env-in-stderr-1","token":"` + p.hide("in an unknown record") + `"}`)
}

// Letters makes n letters and digits that look random and are nobody's.
func Letters(n int) string {
	const set = "aZ3kQ9xL2mW7cR5tB8vN1yH4gJ6dF0sPqEuIoKzTwXnMbVfYhGjDrSlCpAiUe"
	return strings.Repeat(set, n/len(set)+1)[:n]
}

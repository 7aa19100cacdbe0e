package secrets

import (
	"bytes"
	"sync"
	"unicode"
)

// A format is how one service writes its tokens: a prefix, then at least least
// characters of a set.
type format struct {
	prefix string
	kind   string
	chars  func(byte) bool
	least  int
}

// table lists the formats. The services publish them so that scanners find what
// leaks.
var table = []format{
	{"sk-ant-", "Anthropic key", word, 20}, {"sk-proj-", "OpenAI key", word, 20}, {"sk-", "API key", word, 20}, {"sess-", "OpenAI session", word, 32},
	{"ghp_", "GitHub token", alnum, 30}, {"gho_", "GitHub token", alnum, 30}, {"ghu_", "GitHub token", alnum, 30}, {"ghs_", "GitHub token", alnum, 30},
	{"ghr_", "GitHub token", alnum, 30}, {"github_pat_", "GitHub token", word, 30}, {"glpat-", "GitLab token", word, 16}, {"gldt-", "GitLab token", word, 16},
	{"glrt-", "GitLab token", word, 16}, {"xoxb-", "Slack token", word, 16}, {"xoxp-", "Slack token", word, 16}, {"xoxa-", "Slack token", word, 16},
	{"xoxs-", "Slack token", word, 16}, {"xoxr-", "Slack token", word, 16}, {"xapp-", "Slack token", word, 16},
	{"hooks.slack.com/services/", "Slack webhook", path, 20}, {"discord.com/api/webhooks/", "Discord webhook", path, 20},
	{"AKIA", "AWS key id", upper, 16}, {"ASIA", "AWS key id", upper, 16}, {"AIza", "Google key", word, 35}, {"ya29.", "Google token", word, 20},
	{"GOCSPX-", "Google client secret", word, 20}, {"1//0", "Google refresh token", word, 30},
	{"sk_live_", "Stripe key", alnum, 16}, {"sk_test_", "Stripe key", alnum, 16}, {"rk_live_", "Stripe key", alnum, 16}, {"rk_test_", "Stripe key", alnum, 16},
	{"pk_live_", "Stripe key", alnum, 16}, {"whsec_", "webhook secret", base64, 16}, {"npm_", "npm token", alnum, 30}, {"pypi-", "PyPI token", word, 30},
	{"rubygems_", "RubyGems key", alnum, 30}, {"dckr_pat_", "Docker token", word, 20}, {"hf_", "Hugging Face token", alnum, 30},
	{"r8_", "Replicate token", alnum, 30}, {"gsk_", "Groq key", alnum, 30}, {"xai-", "xAI key", alnum, 30}, {"pplx-", "Perplexity key", alnum, 30},
	{"SG.", "SendGrid key", dotted, 40}, {"key-", "Mailgun key", hex, 32}, {"shpat_", "Shopify token", hex, 32}, {"shpss_", "Shopify secret", hex, 32},
	{"dop_v1_", "DigitalOcean token", hex, 40}, {"lin_api_", "Linear key", alnum, 30}, {"ntn_", "Notion token", alnum, 30}, {"secret_", "Notion token", alnum, 30},
	{"ATATT3", "Atlassian token", base64, 40}, {"glsa_", "Grafana token", word, 30}, {"dapi", "Databricks token", hex, 32}, {"hvs.", "Vault token", word, 20},
	{"NRAK-", "New Relic key", upper, 20}, {"pul-", "Pulumi token", hex, 40}, {"tfp_", "Terraform token", alnum, 30}, {"fo1_", "Fly token", word, 30},
	{"AGE-SECRET-KEY-1", "age key", upper, 40}, {"PMAK-", "Postman key", word, 30}, {"figd_", "Figma token", word, 30}, {"sbp_", "Supabase token", hex, 40},
	{"re_", "Resend key", word, 24}, {"cfut_", "Cloudflare token", word, 30}, {"EAAC", "Facebook token", alnum, 40}, {"tvly-", "Tavily key", word, 20},
	{"ctx7sk-", "Context7 key", word, 20}, {"fc-", "Firecrawl key", hex, 30}, {"BSA", "Brave key", word, 27},
	{"SK", "Twilio key", lowHex, 32}, {"AC", "Twilio account", lowHex, 32}, {"glc_", "Grafana token", base64, 40}, {"xoxe-", "Slack token", word, 16}, {"xoxe.xox", "Slack token", dotted, 16},
	{"sntrys_", "Sentry token", base64, 40}, {"vercel_", "Vercel token", word, 20}, {"phc_", "PostHog key", alnum, 30}, {"CFPAT-", "Contentful token", word, 30},
	{"ops_eyJ", "1Password token", base64, 60},
}

// byFirst is the table by the first letter of the prefix.
var byFirst = sync.OnceValue(func() *[256][]format {
	var by [256][]format
	for _, f := range table {
		by[f.prefix[0]] = append(by[f.prefix[0]], f)
	}
	return &by
})

// formats finds tokens of known formats, JSON Web Tokens, private keys, and
// passwords in URLs.
func formats(spans []Span, text []byte) []Span {
	known := byFirst()
	blob := 0 // blob is where the base64 of a file ends.
	for at := 0; at < len(text); at++ {
		if at >= blob && base64(text[at]) && (at == 0 || !base64(text[at-1])) {
			if end := run(text, at, base64); end-at > mostRandom {
				blob = end
			}
		} else if at < blob {
			at = blob - 1
			continue
		}
		if !alnum(text[at]) || at > 0 && alnum(text[at-1]) && !escaped(text, at) {
			continue // not where a word begins
		}
		for _, f := range known[text[at]] {
			if !bytes.HasPrefix(text[at:], []byte(f.prefix)) {
				continue
			}
			from := at + len(f.prefix)
			end := run(text, from, f.chars)
			if end-from >= f.least && bytes.IndexFunc(text[from:end], unicode.IsDigit) >= 0 {
				spans = append(spans, Span{at, end, f.kind})
				at = end - 1
				break
			}
		}
	}
	spans = each(spans, text, "eyJ", func(at int) (Span, bool) {
		end := run(text, at, dotted)
		return Span{at, end, "JSON Web Token"}, end-at >= 40 && bytes.Count(text[at:end], []byte(".")) >= 2
	})
	spans = each(spans, text, "-----BEGIN ", func(at int) (Span, bool) {
		line := text[at:min(len(text), at+80)]
		if !bytes.Contains(line, []byte("PRIVATE KEY")) && !bytes.Contains(line, []byte("PGP MESSAGE")) {
			return Span{}, false
		}
		return Span{at, keyEnd(text, at), "private key"}, true
	})
	return each(spans, text, "://", func(at int) (Span, bool) { return urlPassword(text, at+len("://")) })
}

// each looks at all places of a prefix.
func each(spans []Span, text []byte, prefix string, look func(at int) (Span, bool)) []Span {
	for at := 0; ; {
		next := bytes.Index(text[at:], []byte(prefix))
		if next < 0 {
			return spans
		}
		at += next
		if s, found := look(at); found {
			spans = append(spans, s)
			at = s.To
		} else {
			at += len(prefix)
		}
	}
}

// keyEnd is the end of a block in armour: behind its last line, at the end of its
// string or of the text.
func keyEnd(text []byte, at int) int {
	end := at + len("-----BEGIN ")
	if i := bytes.Index(text[end:], []byte("-----END ")); i >= 0 {
		last := end + i + len("-----END ")
		if j := bytes.Index(text[last:min(len(text), last+80)], []byte("-----")); j >= 0 {
			return last + j + len("-----")
		}
	}
	if i := bytes.IndexByte(text[end:], '"'); i >= 0 {
		return end + i
	}
	return len(text)
}

// urlPassword is the password in user:password@host.
func urlPassword(text []byte, at int) (Span, bool) {
	colon := -1
	for i := at; i < len(text) && i < at+512; i++ {
		switch c := text[i]; {
		case c == '@':
			return Span{colon + 1, i, "password in a URL"}, colon >= 0 && i > colon+1
		case c == ':' && colon < 0:
			colon = i
		case c <= ' ' || c == '/' || c == '"' || c == '\\' || c == '?' || c == '#':
			return Span{}, false
		}
	}
	return Span{}, false
}

// escaped reports whether the letter before a place belongs to an escape such as
// \n.
func escaped(text []byte, at int) bool {
	return at >= 2 && text[at-2] == '\\' && bytes.IndexByte([]byte("nrtbf"), text[at-1]) >= 0
}

func run(text []byte, at int, chars func(byte) bool) int {
	for at < len(text) && chars(text[at]) {
		at++
	}
	return at
}

func digit(c byte) bool    { return c >= '0' && c <= '9' }
func upper(c byte) bool    { return c >= 'A' && c <= 'Z' || digit(c) }
func alnum(c byte) bool    { return upper(c) || c >= 'a' && c <= 'z' }
func word(c byte) bool     { return alnum(c) || c == '_' || c == '-' }
func wordChar(c byte) bool { return word(c) || c == '.' }
func hex(c byte) bool      { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
func lowHex(c byte) bool   { return digit(c) || c >= 'a' && c <= 'f' }
func base64(c byte) bool   { return word(c) || c == '+' || c == '/' || c == '=' }
func dotted(c byte) bool   { return word(c) || c == '.' || c == '=' }
func path(c byte) bool     { return word(c) || c == '/' }

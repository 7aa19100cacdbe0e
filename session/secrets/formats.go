package secrets

import (
	"bytes"

	"wiretea/session/lazy"
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
// leaks. Most of them are also in the rules of gitleaks (MIT licence, see
// docs/redaction.md), from which many were taken.
var table = []format{
	{"sk-ant-", "Anthropic key", word, 20}, {"sk-proj-", "OpenAI key", word, 20}, {"sk-", "API key", word, 20}, {"sess-", "OpenAI session", word, 32},
	{"ghp_", "GitHub token", alnum, 30}, {"gho_", "GitHub token", alnum, 30}, {"ghu_", "GitHub token", alnum, 30}, {"ghs_", "GitHub token", alnum, 30},
	{"ghr_", "GitHub token", alnum, 30}, {"github_pat_", "GitHub token", word, 30}, {"glpat-", "GitLab token", dotted, 16}, {"gldt-", "GitLab token", word, 16},
	{"glrt-", "GitLab token", word, 16}, {"xoxb-", "Slack token", word, 16}, {"xoxp-", "Slack token", word, 16}, {"xoxa-", "Slack token", word, 16},
	{"xoxs-", "Slack token", word, 16}, {"xoxr-", "Slack token", word, 16}, {"xapp-", "Slack token", word, 16},
	{"hooks.slack.com/services/", "Slack webhook", path, 20}, {"hooks.slack.com/triggers/", "Slack webhook", path, 20}, {"hooks.slack.com/workflows/", "Slack webhook", path, 20},
	{"webhook.office.com/webhookb2/", "Teams webhook", func(c byte) bool { return path(c) || c == '@' }, 40}, {"A3-", "1Password key", func(c byte) bool { return upper(c) || c == '-' }, 30},
	{"discord.com/api/webhooks/", "Discord webhook", path, 20},
	{"api.telegram.org/bot", "Telegram token", func(c byte) bool { return word(c) || c == ':' }, 30}, {"hooks.zapier.com/hooks/", "Zapier webhook", path, 20}, {"mcp.composio.dev/", "Composio URL", path, 30},
	{"infura.io/v3/", "Infura key", hex, 32}, {"alchemy.com/v2/", "Alchemy key", word, 20}, {"quiknode.pro/", "QuickNode key", hex, 32},
	{"AKIA", "AWS key id", upper, 16}, {"ASIA", "AWS key id", upper, 16}, {"AIza", "Google key", word, 30}, {"ya29.", "Google token", word, 20},
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
	{"ABIA", "AWS key id", upper, 16}, {"ACCA", "AWS key id", upper, 16}, {"ABSK", "AWS Bedrock key", base64, 80}, {"bedrock-api-key-", "AWS Bedrock key", base64, 30},
	{"glptt-", "GitLab token", hex, 40}, {"GR1348941", "GitLab token", word, 20}, {"glcbt-", "GitLab token", word, 20}, {"glsoat-", "GitLab token", word, 20}, {"glft-", "GitLab token", word, 20},
	{"glffct-", "GitLab token", word, 20}, {"glimt-", "GitLab token", word, 20}, {"glagent-", "GitLab token", word, 40}, {"gloas-", "GitLab token", word, 60},
	{"hvb.", "Vault token", word, 100}, {"shpca_", "Shopify token", hex, 32}, {"shppa_", "Shopify token", hex, 32}, {"doo_v1_", "DigitalOcean token", hex, 40}, {"dor_v1_", "DigitalOcean token", hex, 40},
	{"api_org_", "Hugging Face token", alpha, 30}, {"fm1a_", "Fly token", base64, 80}, {"fm1r_", "Fly token", base64, 80}, {"fm2_", "Fly token", base64, 80},
	{"sntryu_", "Sentry token", hex, 60}, {"p8e-", "Adobe secret", alnum, 32}, {"LTAI", "Alibaba key id", alnum, 16}, {"AKCp", "Artifactory key", alnum, 60}, {"cmVmd", "Artifactory token", alnum, 59},
	{"dp.pt.", "Doppler token", alnum, 40}, {"duffel_live_", "Duffel token", word, 40}, {"duffel_test_", "Duffel token", word, 40}, {"dt0c01.", "Dynatrace token", dotted, 80},
	{"EZAK", "EasyPost token", alnum, 54}, {"EZTK", "EasyPost token", alnum, 54}, {"EAAM", "Facebook token", alnum, 80}, {"FLWSECK_TEST-", "Flutterwave key", word, 12}, {"FLWSECK-", "Flutterwave key", word, 12},
	{"fio-u-", "Frame.io token", word, 60}, {"HRKU-AA", "Heroku key", word, 50}, {"ico-", "Infracost token", alnum, 32}, {"s-s4t2ud-", "42 secret", hex, 64}, {"s-s4t2af-", "42 secret", hex, 64},
	{"API-", "Octopus key", upper, 26}, {"sha256~", "OpenShift token", word, 43}, {"pscale_tkn_", "PlanetScale token", dotted, 32}, {"pscale_oauth_", "PlanetScale token", dotted, 32},
	{"pscale_pw_", "PlanetScale password", dotted, 32}, {"pnu_", "Prefect token", alnum, 36}, {"rdme_", "ReadMe token", alnum, 70}, {"tk-us-", "Scalingo token", word, 48}, {"xkeysib-", "Brevo key", word, 64},
	{"sm_aat_", "SettleMint token", alnum, 16}, {"sm_pat_", "SettleMint token", alnum, 16}, {"sm_sat_", "SettleMint token", alnum, 16}, {"shippo_live_", "Shippo token", hex, 40}, {"shippo_test_", "Shippo token", hex, 40},
	{"sgp_", "Sourcegraph token", word, 40}, {"sq0atp-", "Square token", word, 22}, {"sq0csp-", "Square secret", word, 40}, {"EAAA", "Square token", word, 60}, {"CLOJARS_", "Clojars token", alnum, 60},
	{"squ_", "Sonar token", alnum, 40}, {"sqp_", "Sonar token", alnum, 40}, {"sqa_", "Sonar token", alnum, 40}, {"dnkey-", "Defined Networking token", word, 70}, {"AQVN", "Yandex key", word, 35}, {"sl.", "Dropbox token", word, 100},
	{"rk_prod_", "Stripe key", alnum, 16}, {"sk_prod_", "Stripe key", alnum, 16}, {"live_pub_", "Lob key", hex, 31}, {"access-production-", "Plaid token", word, 30}, {"access-sandbox-", "Plaid token", word, 30},
}

// A shape is a format that is known by what is within it: so many characters of a
// set, then a mark, then at least least more.
type shape struct {
	mark   string
	before int
	chars  func(byte) bool // chars are those before the mark,
	after  func(byte) bool // and after those behind it.
	least  int
	kind   string
}

var shapes = []shape{
	{".atlasv1.", 14, alnum, word, 60, "Terraform token"},
	{":AA", 10, digit, word, 33, "Telegram token"},
	{":AA", 9, digit, word, 33, "Telegram token"},
	{"Q~", 4, named, func(c byte) bool { return dotted(c) || c == '~' }, 31, "Azure client secret"},
	{"_mmk", 36, word, alnum, 0, "MaxMind key"},
}

// byFirst is the table by the first two bytes of the prefix.
var byFirst = lazy.Value[*[pairs][]format]{New: func() *[pairs][]format {
	var by [pairs][]format
	for _, f := range table {
		p := pair(f.prefix[0], f.prefix[1])
		by[p] = append(by[p], f)
	}
	return &by
}}

// tokens finds tokens of known formats in a run.
func (s *scan) tokens(from, end int) {
	known := byFirst.Get()
	dot := end < len(s.text) && s.text[end] == '.'
	tries := 0 // tries counts the prefixes with no token behind them.
	for at := from; at+1 < len(s.text) && at < end && tries < maxTries; at++ {
		if !alnum(s.text[at]) || at > from && alnum(s.text[at-1]) || at == from && at > 0 && s.text[at-1] >= 0x80 {
			continue // not where a word begins
		}
		if dot && bytes.HasPrefix(s.text[at:], []byte("eyJ")) {
			to := run(s.text, at, dotted)
			if to-at >= 40 && bytes.Count(s.text[at:to], []byte(".")) >= 2 {
				s.blob = to
				s.add(at, to, "JSON Web Token")
				return
			}
		}
		formats := known[pair(s.text[at], s.text[at+1])]
		for i := range formats {
			f := &formats[i]
			if !bytes.HasPrefix(s.text[at:], []byte(f.prefix)) {
				continue
			}
			if to := f.end(s.text, at+len(f.prefix)); to > 0 {
				s.add(at, to, f.kind)
				at = to - 1
				break
			}
			tries++
		}
	}
}

// Bounds of the search for tokens: how many prefixes one run may have that begin none,
// and how long a token is at most, in bytes.
const (
	maxTries  = 64
	maxFormat = 4 << 10
)

// end is where a token of the format ends whose part behind the prefix begins at a
// place, 0 where none does.
func (f *format) end(text []byte, from int) int {
	end := run(text[:min(len(text), from+maxFormat)], from, f.chars)
	if end-from < f.least {
		return 0
	}
	// A token of letters alone is longer than any word.
	if !hasDigit(text[from:end]) && (f.prefix[len(f.prefix)-1] != '_' || end-from < 30 || bytes.ContainsAny(text[from:end], "_-")) {
		return 0
	}
	return end
}

// shape finds tokens of formats that are known by their middle.
func (s *scan) shape(at int) {
	for i := range shapes {
		f := &shapes[i]
		if !bytes.HasPrefix(s.text[at:], []byte(f.mark)) {
			continue
		}
		from, to := at-f.before, run(s.text[:min(len(s.text), at+maxFormat)], at+len(f.mark), f.after)
		if from >= 0 && to-at-len(f.mark) >= f.least && run(s.text[:at], from, f.chars) == at && (from == 0 || !f.chars(s.text[from-1])) {
			s.add(from, to, f.kind)
		}
	}
}

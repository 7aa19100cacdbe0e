package secrets

import (
	"bytes"
	"strings"
	"sync"
)

// whole are names that are secret as they stand, and parts those that make any name
// secret whose words end in them. Both are written in lower case without
// separators.
var (
	whole = set("auth passcode cvv cvc cardnumber ssn authorization proxyauthorization cookie cookies setcookie pwd pass pin otp totp jwt sessionid csrf xsrf bearer dsn connectionstring " +
		"requeststate privatekey signingkey encryptionkey masterkey accesskey accesskeyid secretkey sshkey hmackey signature sig")
	parts = []string{"password", "passwd", "passphrase", "secret", "apikey", "accesstoken", "authtoken", "refreshtoken", "idtoken", "sessiontoken",
		"bearertoken", "apitoken", "credential", "credentials", "privatekey", "secretkey", "secretaccesskey", "accesskey", "clientsecret", "token", "tokens",
		"authorization", "connectionstring", "accountkey", "sharedaccesskey", "signingkey", "encryptionkey", "amzsignature", "googsignature", "webhookurl", "passcode", "passwordhash", "codeverifier", "clientassertion"}

	// digits are those whose values are secret as numbers too; what else is a
	// number is a count or a limit.
	digits = set("pin otp totp password passwd passcode pwd pass secret cvv cvc cardnumber ssn")

	// prosaic are names whose value is secret only where it is one word with a
	// digit: the signature of a function is none, nor is the auth that is oauth2.
	prosaic = set("signature sig auth")
	// harmless are names that end like a secret's and are none: [Vn] schema
	// progressToken, maxTokens, and what models and pagers count.
	harmless = set("progresstoken maxtokens mintokens inputtokens outputtokens totaltokens prompttokens completiontokens cachedtokens tokens numtokens " +
		"nexttoken pagetoken nextpagetoken continuationtoken synctoken synctokens stoptoken eostoken bostoken padtoken usagetokens reasoningtokens tokentype workdonetoken partialresulttoken cancellationtoken canceltoken")
)

// set is a set of words, made when it is needed: most runs of the program need none.
func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for _, w := range strings.Fields(words) {
			m[w] = true
		}
		return m
	})
}

// Named reports whether a field or parameter of that name usually holds a secret.
func Named(name string) bool { return new(Finder).secretName([]byte(name)) }

// secretName reports whether a member of that name holds a secret.
func (f *Finder) secretName(name []byte) bool {
	if len(name) == 0 || len(name) > 80 {
		return false
	}
	plain := plainName(name)
	for _, own := range f.Names {
		if string(plain) == string(plainName([]byte(own))) {
			return true
		}
	}
	if harmless()[string(plain)] {
		return false
	}
	plain = bytes.TrimPrefix(plain, []byte("x"))
	if whole()[string(plain)] {
		return true
	}
	for _, p := range parts {
		if bytes.HasSuffix(plain, []byte(p)) {
			return true
		}
	}
	return false
}

// plainName is a name in lower case without what separates its words.
func plainName(name []byte) []byte {
	out := make([]byte, 0, len(name))
	for _, c := range name {
		switch {
		case c >= 'A' && c <= 'Z':
			out = append(out, c|0x20)
		case c == '_' || c == '-' || c == '.' || c == ' ':
		default:
			out = append(out, c)
		}
	}
	return out
}

// public reports whether what has such a name looks random and is none of
// anybody's business: ids and cursors, which must stay what they are, and hashes.
func public(name []byte) bool {
	for _, end := range []string{"Id", "Ids", "_id", "_ids", "-id", "-ids", "ID", "IDs"} {
		before, found := bytes.CutSuffix(name, []byte(end))
		if found && len(before) > 0 && (end[0] != 'I' || !upper(before[len(before)-1])) {
			return true
		}
	}
	plain := plainName(name)
	for _, end := range []string{"cursor", "hash", "sha", "sha1", "sha256", "sha512", "md5", "digest", "checksum", "etag", "commit", "revision", "integrity", "progresstoken"} {
		if bytes.HasSuffix(plain, []byte(end)) {
			return true
		}
	}
	return unremarkable()[string(plain)]
}

// unremarkable are whole names that are public.
var unremarkable = set("id ids traceparent tracestate blob uuid guid mimetype method version")

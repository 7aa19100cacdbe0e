package redact

import (
	"slices"
	"testing"

	"wiretea/session"
	"wiretea/session/secrets"
)

// TestHTTP holds that what the recorder keeps of a credential is not taken for a secret
// itself, and that the code in a request for a token is one.
func TestHTTP(t *testing.T) {
	for _, tt := range []struct {
		kind session.RecordKind
		text string
		want []string
	}{
		{session.RecHTTP, `{"k":"http","ev":"res","fields":[{"n":"Mcp-Session-Id","v":"","secret":{"len":36,"odd":true,"hash":"57e9eacc"}}]}`, nil},
		{session.RecHTTP, `{"k":"http","ev":"res","fields":[{"n":"X","v":"","secret":{"len":36,"hash":"57e9eacc"}},{"n":"Y","v":"password=Vf83jKd93kdK"}]}`, []string{"Vf83jKd93kdK"}},
		{session.RecFrame, `grant_type=authorization_code&code=zQ8the2code&client_id=c`, []string{"zQ8the2code"}},
		{session.RecFrame, `{"code":"zQ8the2code","exit code=":7}`, nil},
	} {
		var got []string
		for _, s := range (&Redactor{opt: Options{Finder: &secrets.Finder{}}}).spans([]byte(tt.text), tt.kind) {
			got = append(got, s.Value)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.text, got, tt.want)
		}
	}
}

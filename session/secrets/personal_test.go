package secrets

import "testing"

// TestPersonal holds what is found about people, where that is asked for and only there.
func TestPersonal(t *testing.T) {
	for text, want := range map[string]string{
		`{"to":"Ann Roe <ann.roe+x@mail.example.com>"}`: `"ann.roe+x@mail.example.com" (mail address)`,
		`call +49 30 901820 now`:                        `"+49 30 901820" (phone number)`,
		`call (555) 010-9999`:                           `"(555) 010-9999" (phone number)`,
		`call 555-010-9999`:                             `"555-010-9999" (phone number)`,
		`card 4111 1111 1111 1111, 12/29`:               `"4111 1111 1111 1111" (card number)`,
		`{"card":5500005555555559}`:                     `"5500005555555559" (card number)`,
		`IBAN DE89 3704 0044 0532 0130 00 BIC`:          `"DE89 3704 0044 0532 0130 00" (bank account)`,
		`GB82WEST12345698765432`:                        `"GB82WEST12345698765432" (bank account)`,
		`{"t":"{\"to\":\"ann\u0040example.org\"}"}`:     `"ann\\u0040example.org" (mail address)`,

		// Another check digit, a version, a time, a size, an id: nobody's.
		`card 4111 1111 1111 1112`:             "",
		`DE89 3704 0044 0532 0130 01`:          "",
		`v1.2.3 2026-11-24T10:10:10Z 10.0.0.1`: "",
		`{"id":1732443010123,"t":1763978400}`:  "",
		`npm i @scope/name@1.2.3, user@host`:   "",
		`550e8400-e29b-41d4-a716-446655440000`: "",
	} {
		f := Finder{Personal: true}
		if got := describe(text, f.Find([]byte(text))); got != want {
			t.Errorf("%s\nfound %s\nwant  %s", text, got, want)
		}
		if got := new(Finder).Find([]byte(text)); len(got) > 0 {
			t.Errorf("%s\nfound %s without being asked", text, describe(text, got))
		}
	}
}

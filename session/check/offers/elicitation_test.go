package offers

import "testing"

func TestIsSecret(t *testing.T) {
	tests := map[string]bool{
		"password": true, "userPassword": true, "USER_PASSWORD": true, "api_key": true, "apiKey": true, "OPENAI-API-KEY": true,
		"accessToken": true, "token": true, "github.token": true, "client_secret": true, "cvv": true, "private_key": true,
		"passwordless": false, "passwordHint": false, "max_tokens": false, "tokenCount": false, "nextPageToken": false, "key": false,
		"primaryKey": false, "secretary": false, "keyboard": false, "": false, "_": false, "é☕": false,
	}
	for name, want := range tests {
		if got := isSecret(wordsOf(name)); got != want {
			t.Errorf("%q: %v, words %q", name, got, wordsOf(name))
		}
	}
}

func TestURLFault(t *testing.T) {
	tests := map[string]string{
		"https://example.com/a?b=c#d": "", "HTTPS://example.com": "", "http://localhost:3000/x": "", "http://127.0.0.1": "", "http://[::1]:80/": "", "http://app.localhost/": "",
		"http://example.com": "is not https but http", "ftp://example.com/x": "is not https but ftp", "javascript:alert(1)": "is not https but javascript",
		"https://me:secret@example.com": "has a user name in it", "example.com/x": "is not a URL", "": "is not a URL", "https://": "is not a URL", "http://a b": "is not a URL",
	}
	for address, want := range tests {
		if got := urlFault(address); got != want {
			t.Errorf("urlFault(%q) = %q, want %q", address, got, want)
		}
	}
}

package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	client "wiretea/session/client/http"
)

// A token is the answer of a token endpoint: RFC 6749 §5.1.
type token struct {
	Access  string      `json:"access_token"`
	Type    string      `json:"token_type"`
	Expires json.Number `json:"expires_in"` // Expires is in seconds; some servers send a string.
	Refresh string      `json:"refresh_token"`
	Scope   string      `json:"scope"`
}

// terms says for how long and for what a token is.
func (t *token) terms() string {
	var text string
	if seconds, err := t.Expires.Int64(); err == nil && seconds > 0 {
		span := (time.Duration(seconds) * time.Second).String()
		if seconds%60 == 0 {
			span = strings.TrimSuffix(span, "0s")
		}
		text = " for " + span
	}
	if t.Refresh != "" {
		text += ", with a refresh token"
	}
	if t.Scope != "" {
		text += fmt.Sprintf(", for the scope %q", t.Scope)
	}
	return text
}

// exchange fetches a token for what the form has.
func (l *Login) exchange(ctx context.Context, form url.Values) (token, error) {
	form.Set("resource", l.resource)
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {typeJSON}}
	switch l.client.Method {
	case "client_secret_basic":
		// RFC 6749 §2.3.1: both are encoded as in a form.
		r := http.Request{Header: header}
		r.SetBasicAuth(url.QueryEscape(l.client.ID), url.QueryEscape(l.client.Secret))
	case "client_secret_post":
		form.Set("client_secret", l.client.Secret)
		form.Set("client_id", l.client.ID)
	default:
		form.Set("client_id", l.client.ID)
	}
	r, err := l.send(ctx, http.MethodPost, l.server.token, header, form.Encode())
	if err != nil {
		return token{}, err
	}
	var answer struct {
		token
		oauthError
	}
	broken := json.Unmarshal(r.text, &answer)
	switch {
	case answer.Problem != "": // Some servers send it with 200.
		return token{}, fails(refusedHint(answer.Problem), "%s refuses to give a token: %s", client.Place(l.server.token), described(answer.Problem, answer.More))
	case r.status != http.StatusOK:
		return token{}, fails("", "%s was answered %s", client.Place(l.server.token), r.outcome())
	case broken != nil || answer.Access == "":
		return token{}, fails("", "%s was answered 200 without an access_token", client.Place(l.server.token))
	case answer.Type != "" && !strings.EqualFold(answer.Type, "Bearer"):
		return token{}, fails("", "the token is of the type %q, and MCP has bearer tokens", answer.Type)
	}
	return answer.token, nil
}

// refusedHint is what may help against an error of a token endpoint.
func refusedHint(problem string) string {
	switch problem {
	case "invalid_client":
		return "look at the client id and its secret"
	case "invalid_grant":
		return "log in again"
	}
	return ""
}

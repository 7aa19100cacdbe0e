package mcp

import (
	"net/netip"
	"net/url"
	"strings"
)

// The well-known paths of an origin (RFC 8615), and those of the metadata by which clients log
// in: RFC 9728 §3.1, RFC 8414 §3, OpenID Connect Discovery §4. What is about a URL with a path has
// it behind its own.
const (
	WellKnown        = "/.well-known/"
	ResourceMetadata = WellKnown + "oauth-protected-resource"
	LoginMetadata    = WellKnown + "oauth-authorization-server"
	OpenIDMetadata   = WellKnown + "openid-configuration"
)

// ResourceMetadataPaths are the paths of the metadata of the protected resource whose endpoint
// has that path, in the order of [V4] basic/authorization §Protected Resource Metadata Discovery
// Requirements.
func ResourceMetadataPaths(endpoint string) []string {
	if path := strings.TrimSuffix(endpoint, "/"); path != "" {
		return []string{ResourceMetadata + path, ResourceMetadata}
	}
	return []string{ResourceMetadata}
}

// LoginMetadataPaths are the paths of the metadata of the authorization server whose issuer has
// that path, in the order of [V4] basic/authorization §Authorization Server Metadata Discovery.
func LoginMetadataPaths(issuer string) []string {
	path := strings.TrimSuffix(issuer, "/")
	paths := []string{LoginMetadata + path, OpenIDMetadata + path}
	if path != "" {
		paths = append(paths, path+OpenIDMetadata)
	}
	return paths
}

// OriginOf returns the scheme, host and port of a URL. The port of the scheme is left out.
func OriginOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return scheme + "://" + host
}

// IsLoopback reports whether a URL names this machine.
func IsLoopback(u *url.URL) bool {
	ip, _ := netip.ParseAddr(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip.IsLoopback()
}

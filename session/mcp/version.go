package mcp

// Era is one of the two forms of the protocol. It is kept per message.
type Era uint8

const (
	UnknownEra Era = iota
	Legacy         // Legacy is 2024-11-05 … 2025-11-25: an initialize handshake, then a session.
	Modern         // Modern is 2026-07-28 and later: metadata on each request, no handshake.
)

// String returns legacy, modern or "".
func (e Era) String() string {
	switch e {
	case Legacy:
		return "legacy"
	case Modern:
		return "modern"
	}
	return ""
}

// Version is a published revision of the protocol, in chronological order. The
// zero value is none or an unknown one.
type Version uint8

const (
	NoVersion Version = iota
	V0                // V0 is 2024-10-07, a pre-release that some SDKs still accept.
	V1                // V1 is 2024-11-05.
	V2                // V2 is 2025-03-26, the only one with batches.
	V3                // V3 is 2025-06-18.
	V4                // V4 is 2025-11-25, the last with initialize.
	V5                // V5 is 2026-07-28, the first modern one.
)

// Latest is the newest revision of each era.
const (
	LatestLegacy = V4
	LatestModern = V5
)

var versionNames = [...]string{"", "2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// String returns the revision's date, and "" for none.
func (v Version) String() string {
	if int(v) < len(versionNames) {
		return versionNames[v]
	}
	return ""
}

// Era returns the era that the revision belongs to.
func (v Version) Era() Era {
	switch {
	case v == NoVersion:
		return UnknownEra
	case v >= V5:
		return Modern
	}
	return Legacy
}

// ParseVersion returns the revision of that date. It reports false for drafts
// and unpublished revisions.
func ParseVersion(date string) (Version, bool) {
	for v, name := range versionNames {
		if name == date && date != "" {
			return Version(v), true
		}
	}
	return NoVersion, false
}

const specification = "https://modelcontextprotocol.io/specification/"

// Ref returns the URL of a page of the specification: page is its path below
// the revision ("basic/transports"), anchor the heading's fragment ("stdio"),
// empty for the top of the page. For a revision without pages (V0) the nearest
// revision is used; NoVersion means the latest.
func Ref(v Version, page, anchor string) string {
	switch v {
	case NoVersion:
		v = LatestModern
	case V0:
		v = V1
	}
	url := specification + v.String() + "/" + page
	if anchor != "" {
		url += "#" + anchor
	}
	return url
}

package mcp

// Side is one of the two peers.
type Side uint8

const (
	ServerSide Side = iota
	ClientSide
)

// A Capability is a path in the capability objects of the peers. A present key
// means that the capability is supported, whether its value is {} or more; only
// listChanged and subscribe are booleans. Keys that are not in the table are
// legal.
type Capability struct {
	Side         Side
	Path         string  // Path is the keys from the root, joined by dots.
	Since, Until Version // Since and Until are the first and the last revision that has it.
	Flag         bool    // Flag: its value is a boolean and only true declares it.
}

// In reports whether the capability exists in revision v. In NoVersion every
// capability exists.
func (c *Capability) In(v Version) bool {
	return v == NoVersion || v >= c.Since && v <= c.Until
}

// LookupCapability returns the row of that exact path.
func LookupCapability(side Side, path string) (*Capability, bool) {
	for i := range capabilities {
		if c := &capabilities[i]; c.Side == side && c.Path == path {
			return c, true
		}
	}
	return nil, false
}

// Capabilities returns the table. The rows must not be changed.
func Capabilities() []Capability { return capabilities[:] }

var capabilities = [...]Capability{
	{ServerSide, "experimental", V0, V5, false},
	{ServerSide, "logging", V0, V5, false},
	{ServerSide, "prompts", V0, V5, false},
	{ServerSide, "prompts.listChanged", V0, V5, true},
	{ServerSide, "resources", V0, V5, false},
	{ServerSide, "resources.subscribe", V0, V5, true},
	{ServerSide, "resources.listChanged", V0, V5, true},
	{ServerSide, "tools", V0, V5, false},
	{ServerSide, "tools.listChanged", V0, V5, true},
	{ServerSide, "completions", V2, V5, false},
	{ServerSide, "tasks", V4, V4, false},
	{ServerSide, "tasks.list", V4, V4, false},
	{ServerSide, "tasks.cancel", V4, V4, false},
	{ServerSide, "tasks.requests.tools.call", V4, V4, false},
	{ServerSide, "extensions", V5, V5, false},

	{ClientSide, "experimental", V0, V5, false},
	{ClientSide, "roots", V0, V5, false},
	{ClientSide, "roots.listChanged", V0, V4, true},
	{ClientSide, "sampling", V0, V5, false},
	{ClientSide, "sampling.context", V4, V5, false},
	{ClientSide, "sampling.tools", V4, V5, false},
	{ClientSide, "elicitation", V3, V5, false},
	{ClientSide, "elicitation.form", V4, V5, false},
	{ClientSide, "elicitation.url", V4, V5, false},
	{ClientSide, "tasks", V4, V4, false},
	{ClientSide, "tasks.list", V4, V4, false},
	{ClientSide, "tasks.cancel", V4, V4, false},
	{ClientSide, "tasks.requests.sampling.createMessage", V4, V4, false},
	{ClientSide, "tasks.requests.elicitation.create", V4, V4, false},
	{ClientSide, "extensions", V5, V5, false},
}

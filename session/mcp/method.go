package mcp

// Direction says who may send a method.
type Direction uint8

const (
	Both           Direction = iota
	ClientToServer           // ClientToServer: only the client.
	ServerToClient           // ServerToClient: only the server.
)

// Identifiers of the extensions that define methods.
const (
	TasksExtension  = "io.modelcontextprotocol/tasks"
	SkillsExtension = "io.modelcontextprotocol/skills"
)

// A Method is one row of the protocol's table of requests and notifications.
type Method struct {
	Name         string
	Notification bool
	Dir          Direction
	Since, Until Version // Since and Until are the first and the last revision that has it.
	Extension    string  // Extension is the identifier of the extension that defines it, empty for the core.

	// Target is the parameter that says what the method acts on and that lists
	// show beside it: "name", "uri", "taskId", "level"; "ref" = the name or the uri
	// within it; empty = none.
	Target string

	// ServerCap and ClientCap are the capability paths that the server or the
	// client must have declared: "tools", "resources.subscribe"; empty = none.
	// Where a method goes both ways, it is the receiver that must have declared
	// its own. They hold in the revisions that have such a capability; see
	// LookupCapability.
	ServerCap, ClientCap string

	// Unbounded marks requests that may stay open for ever, or wait for a human:
	// no timeout rule applies.
	Unbounded bool

	modern Direction // modern is the direction in modern revisions where it is narrower than Dir; Both = the same.
	moved  string    // moved is the extension that defines it in modern revisions, where it was core before.
}

// In reports whether the method exists in revision v. In NoVersion every method
// exists.
func (m *Method) In(v Version) bool {
	return v == NoVersion || v >= m.Since && v <= m.Until
}

// DirIn returns who may send the method in revision v. It is Dir, but for the
// few that modern revisions leave to one side.
func (m *Method) DirIn(v Version) Direction {
	if v.Era() == Modern && m.modern != Both {
		return m.modern
	}
	return m.Dir
}

// ExtensionIn returns the extension that defines the method in revision v, and
// empty where the core does. Tasks were core once and are an extension now.
func (m *Method) ExtensionIn(v Version) string {
	if v.Era() == Modern && m.moved != "" {
		return m.moved
	}
	return m.Extension
}

// Lookup returns the table's row of that exact name.
func Lookup(name string) (*Method, bool) {
	m, ok := byName[name]
	return m, ok
}

// Methods returns the table: requests, then notifications, in the order of the
// specification. The rows must not be changed.
func Methods() []Method { return methods[:] }

var byName = func() map[string]*Method {
	m := make(map[string]*Method, len(methods))
	for i := range methods {
		m[methods[i].Name] = &methods[i]
	}
	return m
}()

// methods is the table of every revision and known extension. Sampling,
// elicitation and roots live on in modern revisions inside results, where they
// are no messages of their own: their rows end with the legacy era.
var methods = [...]Method{
	{Name: "initialize", Dir: ClientToServer, Since: V0, Until: V4},
	{Name: "ping", Since: V0, Until: V4},
	{Name: "server/discover", Dir: ClientToServer, Since: V5, Until: V5},
	{Name: "tools/list", Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "tools"},
	{Name: "tools/call", Dir: ClientToServer, Since: V0, Until: V5, Target: "name", ServerCap: "tools"},
	{Name: "resources/list", Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "resources"},
	{Name: "resources/templates/list", Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "resources"},
	{Name: "resources/read", Dir: ClientToServer, Since: V0, Until: V5, Target: "uri", ServerCap: "resources"},
	{Name: "resources/subscribe", Dir: ClientToServer, Since: V0, Until: V4, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: "resources/unsubscribe", Dir: ClientToServer, Since: V0, Until: V4, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: "subscriptions/listen", Dir: ClientToServer, Since: V5, Until: V5, Unbounded: true},
	{Name: "prompts/list", Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "prompts"},
	{Name: "prompts/get", Dir: ClientToServer, Since: V0, Until: V5, Target: "name", ServerCap: "prompts"},
	{Name: "completion/complete", Dir: ClientToServer, Since: V0, Until: V5, Target: "ref", ServerCap: "completions"},
	{Name: "logging/setLevel", Dir: ClientToServer, Since: V0, Until: V4, Target: "level", ServerCap: "logging"},
	{Name: "roots/list", Dir: ServerToClient, Since: V0, Until: V4, ClientCap: "roots"},
	{Name: "sampling/createMessage", Dir: ServerToClient, Since: V0, Until: V4, ClientCap: "sampling", Unbounded: true},
	{Name: "elicitation/create", Dir: ServerToClient, Since: V3, Until: V4, ClientCap: "elicitation", Unbounded: true},
	{Name: "tasks/get", Since: V4, Until: V5, Target: "taskId", ServerCap: "tasks", ClientCap: "tasks", modern: ClientToServer, moved: TasksExtension},
	{Name: "tasks/result", Since: V4, Until: V4, Target: "taskId", ServerCap: "tasks", ClientCap: "tasks", Unbounded: true},
	{Name: "tasks/list", Since: V4, Until: V4, ServerCap: "tasks.list", ClientCap: "tasks.list"},
	{Name: "tasks/cancel", Since: V4, Until: V5, Target: "taskId", ServerCap: "tasks.cancel", ClientCap: "tasks.cancel", modern: ClientToServer, moved: TasksExtension},
	{Name: "tasks/update", Dir: ClientToServer, Since: V5, Until: V5, Extension: TasksExtension, Target: "taskId"},
	{Name: "skills/list", Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension},
	{Name: "skills/get", Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension, Target: "name"},
	{Name: "resources/directory/read", Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension, Target: "uri"},

	{Name: "notifications/initialized", Notification: true, Dir: ClientToServer, Since: V0, Until: V4},
	{Name: "notifications/cancelled", Notification: true, Since: V0, Until: V5},
	{Name: "notifications/progress", Notification: true, Since: V0, Until: V5, modern: ServerToClient},
	{Name: "notifications/message", Notification: true, Dir: ServerToClient, Since: V0, Until: V5, Target: "level", ServerCap: "logging"},
	{Name: "notifications/tools/list_changed", Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "tools.listChanged"},
	{Name: "notifications/prompts/list_changed", Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "prompts.listChanged"},
	{Name: "notifications/resources/list_changed", Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "resources.listChanged"},
	{Name: "notifications/resources/updated", Notification: true, Dir: ServerToClient, Since: V0, Until: V5, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: "notifications/roots/list_changed", Notification: true, Dir: ClientToServer, Since: V0, Until: V4, ClientCap: "roots.listChanged"},
	{Name: "notifications/tasks/status", Notification: true, Since: V4, Until: V4, Target: "taskId"},
	{Name: "notifications/tasks", Notification: true, Dir: ServerToClient, Since: V5, Until: V5, Extension: TasksExtension, Target: "taskId"},
	{Name: "notifications/elicitation/complete", Notification: true, Dir: ServerToClient, Since: V4, Until: V4},
	{Name: "notifications/subscriptions/acknowledged", Notification: true, Dir: ServerToClient, Since: V5, Until: V5},
}

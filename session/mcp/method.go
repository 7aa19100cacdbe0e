package mcp

import "wiretea/session/lazy"

// Direction says which side may send a method.
type Direction uint8

const (
	Both           Direction = iota
	ClientToServer           // ClientToServer: only the client.
	ServerToClient           // ServerToClient: only the server.
)

// A Method is one row of the protocol's table of requests and notifications.
type Method struct {
	Name         string
	Notification bool
	Dir          Direction
	Since, Until Version // Since and Until are the first and the last revision that has it.
	Extension    string  // Extension is the identifier of the extension that defines it, empty for the core.

	// Target is the parameter that names what the method acts on, which lists
	// show beside it: "name", "uri", "taskId", "level"; "ref" = the name or the
	// uri within it; empty = none.
	Target string

	// ServerCap and ClientCap are the capability paths that the server or the
	// client must have declared: "tools", "resources.subscribe"; empty = none.
	// If a method goes both ways, the receiver must have declared its own. They
	// apply in the revisions that have such a capability; see LookupCapability.
	ServerCap, ClientCap string

	// Items is the member of the result that holds the items of a paginated list; empty for
	// other methods.
	Items string

	// Unbounded marks requests that may stay open forever, or wait for a
	// person: no timeout rule applies.
	Unbounded bool

	modern Direction // modern is the direction in modern revisions where it is narrower than Dir; Both = the same.
	moved  string    // moved is the extension that defines it in modern revisions, where it was core before.
}

// In reports whether the method exists in revision v. In NoVersion every method
// exists.
func (m *Method) In(v Version) bool {
	return v == NoVersion || v >= m.Since && v <= m.Until
}

// DirIn returns which side may send the method in revision v: Dir, except for
// the few methods that modern revisions restrict to one side.
func (m *Method) DirIn(v Version) Direction {
	if v.Era() == Modern && m.modern != Both {
		return m.modern
	}
	return m.Dir
}

// ExtensionIn returns the extension that defines the method in revision v,
// empty for the core. Tasks were core once and are an extension now.
func (m *Method) ExtensionIn(v Version) string {
	if v.Era() == Modern && m.moved != "" {
		return m.moved
	}
	return m.Extension
}

// Lookup returns the table's row of that exact name.
func Lookup(name string) (*Method, bool) {
	m, ok := byName.Get()[name]
	return m, ok
}

// Methods returns the table: requests, then notifications, in the order of the
// specification. The rows must not be changed.
func Methods() []Method { return methods[:] }

var byName = lazy.Value[map[string]*Method]{New: func() map[string]*Method {
	m := make(map[string]*Method, len(methods))
	for i := range methods {
		m[methods[i].Name] = &methods[i]
	}
	return m
}}

// methods is the table of all revisions and known extensions. In modern
// revisions sampling, elicitation and roots are parts of results instead of
// messages: their rows end with the legacy era.
var methods = [...]Method{
	{Name: Initialize, Dir: ClientToServer, Since: V0, Until: V4},
	{Name: Ping, Since: V0, Until: V4},
	{Name: ServerDiscover, Dir: ClientToServer, Since: V5, Until: V5},
	{Name: ToolsList, Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "tools", Items: "tools"},
	{Name: ToolsCall, Dir: ClientToServer, Since: V0, Until: V5, Target: "name", ServerCap: "tools"},
	{Name: ResourcesList, Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "resources", Items: "resources"},
	{Name: ResourcesTemplatesList, Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "resources", Items: "resourceTemplates"},
	{Name: ResourcesRead, Dir: ClientToServer, Since: V0, Until: V5, Target: "uri", ServerCap: "resources"},
	{Name: ResourcesSubscribe, Dir: ClientToServer, Since: V0, Until: V4, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: ResourcesUnsubscribe, Dir: ClientToServer, Since: V0, Until: V4, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: SubscriptionsListen, Dir: ClientToServer, Since: V5, Until: V5, Unbounded: true},
	{Name: PromptsList, Dir: ClientToServer, Since: V0, Until: V5, ServerCap: "prompts", Items: "prompts"},
	{Name: PromptsGet, Dir: ClientToServer, Since: V0, Until: V5, Target: "name", ServerCap: "prompts"},
	{Name: CompletionComplete, Dir: ClientToServer, Since: V0, Until: V5, Target: "ref", ServerCap: "completions"},
	{Name: LoggingSetLevel, Dir: ClientToServer, Since: V0, Until: V4, Target: "level", ServerCap: "logging"},
	{Name: RootsList, Dir: ServerToClient, Since: V0, Until: V4, ClientCap: "roots"},
	{Name: SamplingCreateMessage, Dir: ServerToClient, Since: V0, Until: V4, ClientCap: "sampling", Unbounded: true},
	{Name: ElicitationCreate, Dir: ServerToClient, Since: V3, Until: V4, ClientCap: "elicitation", Unbounded: true},
	{Name: TasksGet, Since: V4, Until: V5, Target: "taskId", ServerCap: "tasks", ClientCap: "tasks", modern: ClientToServer, moved: TasksExtension},
	{Name: TasksResult, Since: V4, Until: V4, Target: "taskId", ServerCap: "tasks", ClientCap: "tasks", Unbounded: true},
	{Name: TasksList, Since: V4, Until: V4, ServerCap: "tasks.list", ClientCap: "tasks.list", Items: "tasks"},
	{Name: TasksCancel, Since: V4, Until: V5, Target: "taskId", ServerCap: "tasks.cancel", ClientCap: "tasks.cancel", modern: ClientToServer, moved: TasksExtension},
	{Name: TasksUpdate, Dir: ClientToServer, Since: V5, Until: V5, Extension: TasksExtension, Target: "taskId"},
	{Name: SkillsList, Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension},
	{Name: SkillsGet, Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension, Target: "name"},
	{Name: ResourcesDirectoryRead, Dir: ClientToServer, Since: V5, Until: V5, Extension: SkillsExtension, Target: "uri"},

	{Name: InitializedNotification, Notification: true, Dir: ClientToServer, Since: V0, Until: V4},
	{Name: CancelledNotification, Notification: true, Since: V0, Until: V5},
	{Name: ProgressNotification, Notification: true, Since: V0, Until: V5, modern: ServerToClient},
	{Name: LogNotification, Notification: true, Dir: ServerToClient, Since: V0, Until: V5, Target: "level", ServerCap: "logging"},
	{Name: ToolsListChangedNotification, Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "tools.listChanged"},
	{Name: PromptsListChangedNotification, Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "prompts.listChanged"},
	{Name: ResourcesListChangedNotification, Notification: true, Dir: ServerToClient, Since: V0, Until: V5, ServerCap: "resources.listChanged"},
	{Name: ResourcesUpdatedNotification, Notification: true, Dir: ServerToClient, Since: V0, Until: V5, Target: "uri", ServerCap: "resources.subscribe"},
	{Name: RootsListChangedNotification, Notification: true, Dir: ClientToServer, Since: V0, Until: V4, ClientCap: "roots.listChanged"},
	{Name: TaskStatusNotification, Notification: true, Since: V4, Until: V4, Target: "taskId"},
	{Name: TasksNotification, Notification: true, Dir: ServerToClient, Since: V5, Until: V5, Extension: TasksExtension, Target: "taskId"},
	{Name: ElicitationCompleteNotification, Notification: true, Dir: ServerToClient, Since: V4, Until: V4},
	{Name: AcknowledgedNotification, Notification: true, Dir: ServerToClient, Since: V5, Until: V5},
}

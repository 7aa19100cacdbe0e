package keys

// An Action is something the user can do.
type Action string

// Scope is where a binding holds: in the pane of that name, in home, in the composer, or in
// several of them.
type Scope string

const (
	Global   Scope = ""     // Global is everywhere.
	Panes    Scope = "pane" // Panes are all panes; where there is a binding of one pane for a key too, keys clash.
	Traffic  Scope = "traffic"
	Detail   Scope = "detail"
	Stderr   Scope = "stderr"
	Findings Scope = "findings"
	Process  Scope = "process"
	Stats    Scope = "statistics"
	Tools    Scope = "tools"
	Compare  Scope = "difference"
	Held     Scope = "held"
	Timeline Scope = "timeline"
	Tour     Scope = "tour" // Tour is the tour of the demo, where the focused pane and a search leave the key free.
	Home     Scope = "home"
	Composer Scope = "composer"
)

// String returns the scope's word.
func (s Scope) String() string {
	if s == Global {
		return "everywhere"
	}
	return string(s)
}

// A Binding is one row of the table.
type Binding struct {
	Action Action
	Keys   []string // Keys are as Bubble Tea names them: "ctrl+d", "G", "space"; several = any of them. A chord of two is written "y p".
	Scopes []Scope  // Scopes are where it holds; a pane's binding goes before a global one of the same key.
	Name   string   // Name is the command after ":", empty = none of its own.
	Help   string   // Help is what it does, in a few words, lower case.
	Group  string   // Group gathers bindings in the help: "move", "find", "session", …
	Hint   string   // Hint is the one or two words shown in the footer; empty = not shown there.
}

// Actions.
const (
	Up         Action = "up"
	Down       Action = "down"
	Top        Action = "top"
	Bottom     Action = "bottom"
	HalfUp     Action = "half-up"
	HalfDown   Action = "half-down"
	PageUp     Action = "page-up"
	PageDown   Action = "page-down"
	Enter      Action = "enter"
	Back       Action = "back"
	Escape     Action = "escape"
	NextPane   Action = "next-pane"
	PrevPane   Action = "previous-pane"
	Search     Action = "search"
	SearchNext Action = "search-next"
	SearchPrev Action = "search-previous"
	Filter     Action = "filter"
	FilterBy   Action = "filter-by"
	FilterOff  Action = "filter-toggle"
	Follow     Action = "follow"
	Pause      Action = "pause"
	Pair       Action = "pair"
	OpNext     Action = "operation-next"
	OpPrev     Action = "operation-previous"
	TourNext   Action = "scene-next"
	TourBack   Action = "scene-previous"
	FindNext   Action = "finding-next"
	FindPrev   Action = "finding-previous"
	Mark       Action = "mark"
	MarkNext   Action = "mark-next"
	MarkPrev   Action = "mark-previous"
	MarkOnly   Action = "marks-only"
	Comment    Action = "comment"
	TimeFormat Action = "time-format"
	CopyValue  Action = "copy-value"
	CopyPath   Action = "copy-path"
	CopyRaw    Action = "copy-raw"
	CopyCall   Action = "copy-command"
	Export     Action = "export"
	Fold       Action = "fold"
	Unfold     Action = "unfold"
	FoldAll    Action = "fold-all"
	FoldTrip   Action = "fold-trip"
	FoldTrips  Action = "fold-trips"
	Exchanges  Action = "exchanges"
	UnfoldAll  Action = "unfold-all"
	SiblingUp  Action = "sibling-up"
	SiblingDn  Action = "sibling-down"
	Depth1     Action = "depth-1"
	Depth2     Action = "depth-2"
	Depth3     Action = "depth-3"
	Depth4     Action = "depth-4"
	Depth5     Action = "depth-5"
	Text       Action = "text"
	Wrap       Action = "wrap"
	Editor     Action = "editor"
	Save       Action = "save"
	NextTab    Action = "next-tab"
	PrevTab    Action = "previous-tab"
	SortNext   Action = "sort"
	SortBack   Action = "sort-reverse"
	ShowStats  Action = "statistics"
	ShowTools  Action = "tools"
	ShowTime   Action = "timeline"
	ZoomIn     Action = "zoom-in"
	ZoomOut    Action = "zoom-out"
	PanLeft    Action = "pan-left"
	PanRight   Action = "pan-right"
	WholeTime  Action = "whole-time"
	FitTime    Action = "fit-time"
	RangeTime  Action = "range-filter"
	ShowStderr Action = "stderr"
	ShowFinds  Action = "findings"
	ShowProc   Action = "process"
	Zoom       Action = "zoom"
	Layout     Action = "layout"
	Grow       Action = "grow"
	Shrink     Action = "shrink"
	Mouse      Action = "mouse"
	Original   Action = "original"
	Difference Action = "difference"
	DiffNext   Action = "difference-next"
	DiffPrev   Action = "difference-previous"
	Ignore     Action = "ignore"
	IgnoreNone Action = "ignore-nothing"
	Sides      Action = "side-by-side"
	Restart    Action = "restart"
	Answer     Action = "answer"
	LogLevel   Action = "log-level"
	Compose    Action = "compose"
	EditSend   Action = "edit-request"
	Duplicate  Action = "duplicate"
	Resend     Action = "resend"
	Cancel     Action = "cancel"
	Command    Action = "command"
	Help       Action = "help"
	Redraw     Action = "redraw"
	Suspend    Action = "suspend"
	Quit       Action = "quit"
	ExplainIt  Action = "explain"
	GroupNext  Action = "group-by"
	Silence    Action = "silence"
	NextFile   Action = "next-session"
	PrevFile   Action = "previous-session"
	OpenClient Action = "open-client"
	Launch     Action = "run-command"
	MarkFile   Action = "mark-recording"
	WrapIt     Action = "wrap-server"
	UnwrapIt   Action = "unwrap-server"

	CompareFiles Action = "compare-recordings"
	Delete       Action = "delete"
	CopyCurl     Action = "copy-curl"

	Recall       Action = "history"
	EditOutside  Action = "edit-outside"
	RepeatIt     Action = "repeat"
	SaveTemplate Action = "template"
	AsTask       Action = "as-task"
	AskLogs      Action = "ask-logs"
	StayOpen     Action = "stay-open"
	CopyLine     Action = "copy-line"
	FormHelp     Action = "composer-help"

	Play     Action = "play"
	Slower   Action = "slower"
	Faster   Action = "faster"
	StepBack Action = "step-back"
	StepOn   Action = "step-on"
	OpBack   Action = "operation-back"
	OpOn     Action = "operation-on"

	Intercept Action = "intercept"
	HoldOnOff Action = "intercept-toggle"
	ShowHeld  Action = "held"
	Release   Action = "release"
	ReleaseAl Action = "release-all"
	Follows   Action = "release-follow"
	EditHeld  Action = "edit-held"
	EditHead  Action = "edit-status"
	Revert    Action = "revert"
	DropHeld  Action = "drop"
	Respond   Action = "respond"

	Narrow    Action = "narrow"
	Refresh   Action = "refresh"
	Subscribe Action = "subscribe"

	SilenceNone Action = "silence-nothing"
)

// moves are where a cursor moves over lines.
var moves = []Scope{Panes, Home}

// Table is the table, in the order of the help. It must not be changed.
var Table = []Binding{
	{Up, []string{"k", "up"}, moves, "", "up a line", "move", ""},
	{Down, []string{"j", "down"}, moves, "", "down a line", "move", ""},
	{Top, []string{"g", "home"}, moves, "", "to the first line", "move", ""},
	{Bottom, []string{"G", "end"}, moves, "", "to the last line; in traffic: and follow", "move", ""},
	{HalfUp, []string{"ctrl+u"}, moves, "", "up half a page", "move", ""},
	{HalfDown, []string{"ctrl+d"}, moves, "", "down half a page", "move", ""},
	{PageUp, []string{"pgup", "ctrl+b"}, moves, "", "up a page", "move", ""},
	{PageDown, []string{"pgdown", "ctrl+f"}, moves, "", "down a page", "move", ""},
	{NextPane, []string{"tab"}, []Scope{Global}, "", "to the next pane", "move", "pane"},
	{PrevPane, []string{"shift+tab"}, []Scope{Global}, "", "to the previous pane", "move", ""},
	{Enter, []string{"enter"}, moves, "", "open: the detail of a frame, the frame of a finding, a line of home", "move", ""},
	{Escape, []string{"esc"}, []Scope{Global}, "", "close what is open, back to traffic, the search and the filter off; it never leaves", "move", ""},
	{Back, []string{"q"}, []Scope{Global}, "", "close what esc closes; then back to home, or leave", "move", ""},

	{Filter, []string{"f"}, []Scope{Global}, "filter", "show only the rows that match", "find", "filter"},
	{FilterBy, []string{"&"}, []Scope{Traffic, Detail}, "by", "filter by a value of the row, or of the JSON member that is selected", "find", ""},
	{FilterOff, []string{"ctrl+t"}, []Scope{Global}, "", "filter on or off", "find", ""},
	{Search, []string{"/"}, []Scope{Global}, "search", "search in the raw bytes of all frames", "find", "search"},
	{SearchNext, []string{"n"}, []Scope{Global}, "", "next hit", "find", "next hit"},
	{SearchPrev, []string{"N"}, []Scope{Global}, "", "previous hit", "find", ""},
	{FindNext, []string{"w"}, []Scope{Global}, "", "next finding or error", "find", "finding"},
	{FindPrev, []string{"W"}, []Scope{Global}, "", "previous finding or error", "find", ""},
	{TourNext, []string{"n", ")"}, []Scope{Tour}, "", "the next scene of the tour of wiretea demo; during a search n is its next hit", "find", ""},
	{TourBack, []string{"N", "("}, []Scope{Tour}, "", "the scene before, played again", "find", ""},
	{Pair, []string{"o"}, []Scope{Traffic, Detail}, "", "jump between request and response; on an image, audio or a PDF in the tab content, open it with another program", "find", "pair"},
	{OpNext, []string{"."}, []Scope{Traffic, Detail}, "", "next frame of the operation", "find", ""},
	{OpPrev, []string{","}, []Scope{Traffic, Detail}, "", "previous frame of the operation", "find", ""},
	{Mark, []string{"m"}, []Scope{Traffic}, "mark", "mark or unmark the row", "find", ""},
	{Comment, []string{";"}, []Scope{Traffic}, "", "comment on the row; kept beside the recording, as marks are", "find", ""},
	{MarkPrev, []string{"["}, []Scope{Traffic}, "", "previous mark or comment", "find", ""},
	{MarkNext, []string{"]"}, []Scope{Traffic}, "", "next mark or comment", "find", ""},
	{MarkOnly, []string{"M"}, []Scope{Traffic}, "", "show only marked rows", "find", ""},
	{FoldTrip, []string{"z"}, []Scope{Traffic}, "", "fold or unfold: an HTTP round trip, an exchange that is one line, the ends of streams", "find", "fold"},
	{FoldTrips, []string{"Z"}, []Scope{Traffic}, "fold", "over HTTP: one line for each message, with the request that carries it and the answer, or all rows", "find", "all rows"},
	{Exchanges, []string{"E"}, []Scope{Traffic}, "exchanges", "one line for each exchange, with both sizes, or one for each message; there the pair key selects request or answer", "find", ""},

	{Original, []string{"O"}, []Scope{Traffic, Detail}, "original", "jump between a message that was changed or stopped on its way and what took its place", "find", ""},
	{Difference, []string{"d"}, []Scope{Global}, "diff", "compare: with the marked row, with what took the message's place, or with the previous answer", "find", "difference"},
	{DiffNext, []string{"n", "w"}, []Scope{Compare}, "", "next difference", "find", "next"},
	{DiffPrev, []string{"N", "W"}, []Scope{Compare}, "", "previous difference", "find", ""},
	{Ignore, []string{"i"}, []Scope{Compare}, "ignore", "ignore this value when comparing", "find", "ignore"},
	{IgnoreNone, []string{"I"}, []Scope{Compare}, "", "compare the ignored values again", "find", ""},
	{Sides, []string{"|"}, []Scope{Compare}, "", "old and new side by side, or one below the other", "find", ""},

	{Play, []string{"space"}, moves, "play", "in traffic, when the session has ended: play from the selected row, or pause; elsewhere down a page", "time", "play"},
	{StepBack, []string{"h", "left"}, []Scope{Traffic}, "", "a frame back in time: everything as it was then; the first time, to the selected row", "time", "back"},
	{StepOn, []string{"l", "right"}, []Scope{Traffic}, "", "a frame forward in time", "time", "on"},
	{OpBack, []string{"H"}, []Scope{Traffic}, "", "back to the end of the operation before", "time", ""},
	{OpOn, []string{"L"}, []Scope{Traffic}, "", "forward to the end of the next operation", "time", ""},
	{Slower, []string{"<"}, []Scope{Global}, "", "play slower", "time", ""},
	{Faster, []string{">"}, []Scope{Global}, "", "play faster: 1×, 10×, … as fast as possible", "time", ""},

	{Follow, []string{"F"}, []Scope{Global}, "follow", "follow the newest row", "watch", "follow"},
	{Pause, []string{"p"}, []Scope{Global}, "pause", "hold the display still; nothing is lost", "watch", "pause"},
	{TimeFormat, []string{"ctrl+r"}, []Scope{Global}, "time", "times since the start, of day, since the row before, or since the mark before", "watch", ""},
	{ShowFinds, []string{"!"}, []Scope{Global}, "findings", "findings", "watch", ""},
	{ShowStderr, []string{"S"}, []Scope{Global}, "stderr", "stderr", "watch", ""},
	{ShowProc, []string{"P"}, []Scope{Global}, "process", "the process; of a URL the sessions", "watch", ""},
	{ShowStats, []string{"s"}, []Scope{Global}, "stats", "statistics by method and tool, as numbers and pictures", "watch", "stats"},
	{ShowTools, []string{"T"}, []Scope{Global}, "tools", "tools, resources, prompts and capabilities", "watch", "tools"},
	{ShowTime, []string{"t"}, []Scope{Global}, "timeline", "timeline: every request as a bar, from its first byte to its answer's last", "watch", "timeline"},
	{ZoomIn, []string{"+", "="}, []Scope{Timeline}, "", "a shorter time, around the selected request", "watch", "zoom"},
	{ZoomOut, []string{"-"}, []Scope{Timeline}, "", "a longer time", "watch", ""},
	{PanLeft, []string{"h", "left"}, []Scope{Timeline}, "", "earlier", "watch", ""},
	{PanRight, []string{"l", "right"}, []Scope{Timeline}, "", "later", "watch", ""},
	{FitTime, []string{"z"}, []Scope{Timeline}, "", "the time of the selected request", "watch", "fit"},
	{WholeTime, []string{"0"}, []Scope{Timeline}, "", "the whole time", "watch", "whole"},
	{RangeTime, []string{"b"}, []Scope{Timeline}, "", "show in traffic only what is between both ends of the time that is shown", "watch", "range"},
	{SortNext, []string{">"}, []Scope{Stats, Tools, Home}, "", "sort by the next column; tools by cost, by calls, or as they are listed; at home, recordings by errors, length, size, server, or age", "watch", "sort"},
	{SortBack, []string{"<"}, []Scope{Stats, Home}, "", "reverse the order", "watch", ""},
	{Narrow, []string{"/", "f"}, []Scope{Tools}, "", "show only what has a text in its name or description; n and N go through it", "watch", "filter"},
	{Refresh, []string{"u"}, []Scope{Tools}, "", "list again what is offered", "watch", "update"},
	{Subscribe, []string{"b"}, []Scope{Tools}, "", "subscribe to the resource, or unsubscribe", "watch", "subscribe"},
	{ExplainIt, []string{"e"}, []Scope{Findings}, "", "explain the rule: what happens, how to fix it, which clients break", "watch", "explain"},
	{GroupNext, []string{"b"}, []Scope{Findings}, "", "findings by cause, by rule, or by whose fault it is", "watch", "group"},
	{Silence, []string{"i"}, []Scope{Findings}, "", "silence the rule in this session, or show it again", "watch", "silence"},
	{SilenceNone, []string{"I"}, []Scope{Findings}, "", "show all silenced rules again", "watch", ""},

	{Fold, []string{"h", "left"}, []Scope{Detail, Tools, Compare, Findings, Stats}, "", "fold, or go to the parent", "detail", ""},
	{Unfold, []string{"l", "right"}, []Scope{Detail, Tools, Compare, Findings, Stats}, "", "unfold", "detail", ""},
	{FoldAll, []string{"H"}, []Scope{Detail, Tools, Compare, Findings, Stats}, "", "fold everything", "detail", ""},
	{UnfoldAll, []string{"L"}, []Scope{Detail, Tools, Compare, Findings, Stats}, "", "unfold everything", "detail", ""},
	{SiblingDn, []string{"J"}, []Scope{Detail, Tools}, "", "next sibling", "detail", ""},
	{SiblingUp, []string{"K"}, []Scope{Detail, Tools}, "", "previous sibling", "detail", ""},
	{Depth1, []string{"1"}, []Scope{Detail, Tools}, "", "fold below the first level; 2 to 5 likewise", "detail", ""},
	{Depth2, []string{"2"}, []Scope{Detail, Tools}, "", "", "detail", ""},
	{Depth3, []string{"3"}, []Scope{Detail, Tools}, "", "", "detail", ""},
	{Depth4, []string{"4"}, []Scope{Detail, Tools}, "", "", "detail", ""},
	{Depth5, []string{"5"}, []Scope{Detail, Tools}, "", "", "detail", ""},
	{NextTab, []string{"}"}, []Scope{Detail, Tools, Stats, Traffic}, "", "next tab: content, request, response, raw, timing, findings; in traffic, of the detail", "detail", "tab"},
	{PrevTab, []string{"{"}, []Scope{Detail, Tools, Stats, Traffic}, "", "previous tab", "detail", ""},
	{Text, []string{"t"}, []Scope{Detail}, "text", "the string under the cursor, or the first with several lines, as text in its language's colours; in the tab content, the source of Markdown, JSON and base64; and back", "detail", ""},
	{Save, []string{"ctrl+s"}, []Scope{Detail}, "", "save the part of the content under the cursor to a file: a text, an image, audio, any other data", "detail", ""},
	{Wrap, []string{"z"}, []Scope{Detail, Stderr, Compare}, "wrap", "wrap long lines", "detail", ""},
	{Editor, []string{"v"}, []Scope{Global}, "editor", "open the frame in $EDITOR", "detail", ""},
	{CopyValue, []string{"y y"}, []Scope{Panes}, "copy", "copy the value, or the line", "detail", "copy"},
	{CopyPath, []string{"y p"}, []Scope{Detail, Compare}, "", "copy the path to the value", "detail", ""},
	{CopyRaw, []string{"y r"}, []Scope{Global}, "", "copy the raw frame", "detail", ""},
	{CopyCall, []string{"y c"}, []Scope{Global}, "", "copy the request as a command line: wiretea call; of an HTTP request without a message, curl", "detail", ""},
	{CopyCurl, []string{"y u"}, []Scope{Global}, "", "copy the HTTP request as a curl command, with a variable for the token", "detail", ""},

	{Export, []string{"x"}, []Scope{Global}, "", "write the session in another form, without its secrets", "session", ""},
	{Answer, []string{"a"}, []Scope{Global}, "answer", "answer the question that waits for you", "session", "answer"},
	{LogLevel, []string{"ctrl+g"}, []Scope{Global}, "loglevel", "which log messages to ask for", "session", ""},
	{Intercept, []string{"i"}, []Scope{Global}, "intercept", "hold the messages that match a filter, until you decide on them", "hold", ""},
	{HoldOnOff, []string{"I"}, []Scope{Global}, "", "intercept on or off, with the filter that was used last; off releases what it held", "hold", ""},
	{ReleaseAl, []string{"A"}, []Scope{Global}, "release", "release all held messages, those that were edited as edited", "hold", "release all"},
	{ShowHeld, []string{"B"}, []Scope{Global}, "held", "to the held messages", "hold", "held"},
	{Release, []string{"a"}, []Scope{Held}, "", "release the message, or allow what a rule asks about", "hold", "release"},
	{EditHeld, []string{"e"}, []Scope{Held}, "", "edit it: JSON, exact bytes, or in $EDITOR; it goes on when it is released", "hold", "edit"},
	{DropHeld, []string{"X"}, []Scope{Held}, "drop", "drop or deny it: with an error, a tool error, or without an answer", "hold", "drop"},
	{Respond, []string{"r"}, []Scope{Held}, "", "answer in the place of its receiver: by hand, as recorded, or from a template", "hold", "respond"},
	{Follows, []string{"F"}, []Scope{Held}, "", "release the request and hold its response too", "hold", "and its response"},
	{EditHead, []string{"H"}, []Scope{Held}, "", "edit status and headers of its HTTP response", "hold", ""},
	{Revert, []string{"V"}, []Scope{Held}, "", "take the edit back", "hold", "revert"},
	{Compose, []string{"c"}, []Scope{Global}, "", "compose a message: like the selected request, with the selected tool, or of any method", "session", "compose"},
	{EditSend, []string{"e"}, []Scope{Global}, "edit", "edit the selected request and send it again", "session", "edit"},
	{Duplicate, []string{"D"}, []Scope{Global}, "duplicate", "the same, and the composer stays open for more", "session", ""},
	{Resend, []string{"r"}, []Scope{Global}, "resend", "send the selected request again: the same parameters, a new id; from a recording to a new process, and compare the answers", "session", "resend"},
	{Cancel, []string{"ctrl+x"}, []Scope{Global}, "cancel", "cancel the selected request, or the only pending one: the server need not answer it", "session", "cancel"},
	{Restart, []string{"R"}, []Scope{Global}, "restart", "restart the server; at a URL, begin a new session", "session", "restart"},
	{NextFile, []string{"ctrl+n", "alt+n"}, []Scope{Global}, "", "next session", "session", ""},
	{PrevFile, []string{"alt+p"}, []Scope{Global}, "", "previous session", "session", ""},
	{Command, []string{":"}, []Scope{Global}, "", "type a command", "session", "command"},
	{Help, []string{"?", "ctrl+p", "f1"}, []Scope{Global}, "help", "everything that can be done, searched by typing: keys, commands, filters, settings, tools, signs", "session", "help"},
	{Suspend, []string{"ctrl+z"}, []Scope{Global}, "", "suspend; fg resumes", "session", ""},
	{Quit, []string{"ctrl+c"}, []Scope{Global}, "quit", "end the session and leave", "session", ""},

	{Launch, []string{"n"}, []Scope{Home}, "", "run a command that is typed, or connect to a URL, as its client", "home", "new"},
	{MarkFile, []string{"m"}, []Scope{Home}, "", "mark the recording, to compare it with another one", "home", "mark"},
	{CompareFiles, []string{"="}, []Scope{Home}, "", "compare two marked recordings, or the marked one with the selected one", "home", "compare"},
	{OpenClient, []string{"A"}, []Scope{Home}, "", "open the sessions of all servers of its client process as one, on one clock", "home", "all its servers"},
	{WrapIt, []string{"W"}, []Scope{Home}, "", "wrap: put the tee before the server in its client's file; shows the change first", "home", "wrap"},
	{UnwrapIt, []string{"U"}, []Scope{Home}, "", "unwrap: restore the client's original command", "home", "unwrap"},
	{Delete, []string{"d"}, []Scope{Home}, "", "delete the recording; asks first", "home", "delete"},

	{Recall, []string{"ctrl+r"}, []Scope{Composer}, "history", "what was sent to this server before, and templates", "compose", "history"},
	{EditOutside, []string{"ctrl+g"}, []Scope{Composer}, "", "edit the JSON in $EDITOR", "compose", "$EDITOR"},
	{RepeatIt, []string{"alt+r", "f5"}, []Scope{Composer}, "", "send it n times, c at once, and measure", "compose", "repeat"},
	{SaveTemplate, []string{"alt+n", "f4"}, []Scope{Composer}, "", "keep it as a template, under a name", "compose", "template"},
	{CopyLine, []string{"alt+c", "f9"}, []Scope{Composer}, "", "copy it as a command line", "compose", "copy"},
	{FormHelp, []string{"f1"}, []Scope{Composer}, "", "all keys of the composer and its form", "compose", "help"},
	{AsTask, []string{"alt+t", "f6"}, []Scope{Composer}, "", "run it as a task", "compose", ""},
	{AskLogs, []string{"alt+l", "f7"}, []Scope{Composer}, "", "ask for log messages of a level with it (modern era)", "compose", ""},
	{StayOpen, []string{"alt+k", "f8"}, []Scope{Composer}, "", "after sending, close or stay open", "compose", ""},

	{Zoom, []string{"\\"}, []Scope{Global}, "zoom", "the focused pane over the whole screen, and back", "layout", ""},
	{Layout, []string{"|"}, []Scope{Global}, "layout", "detail beside or below", "layout", ""},
	{Grow, []string{"+", "="}, []Scope{Global}, "", "make the focused pane larger", "layout", ""},
	{Shrink, []string{"-"}, []Scope{Global}, "", "make it smaller", "layout", ""},
	{Mouse, []string{"ctrl+o"}, []Scope{Global}, "mouse", "mouse for wiretea, or for the terminal's own selection", "layout", ""},
	{Redraw, []string{"ctrl+l"}, []Scope{Global}, "redraw", "redraw the screen", "layout", ""},
}

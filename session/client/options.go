package client

import (
	"encoding/json"
	"time"
)

// Options of Do. The zero value is a plain request.
//
// Its functions are called in Do's own goroutine, one at a time and in the order in
// which the notifications came; all have returned when Do does. A slow one delays only
// this operation. If more than 1024 notifications wait for it the oldest are dropped;
// the recording has them.
type Options struct {
	// Timeout is how long the answer to each leg may take. 0 = what
	// Config.Timeout says, negative = no limit. It does not run while the server
	// waits for us to answer a question.
	Timeout time.Duration

	// Progress is given the progress of the operation. A progress token of ours
	// is sent for it, unless params have one already, which is then used. nil = no
	// token is sent.
	Progress func(Progress)

	// Log is given the log messages that came during the operation.
	Log func(LogMessage)

	// LogLevel asks for log messages of that level and above for this request
	// alone, in the modern era; empty = what SetLogLevel said.
	LogLevel string

	// Task asks the server to run the request as a task, and Do follows the task
	// to its end. nil = it does not.
	Task *TaskOptions
}

// TaskOptions are how a request is run as a task. In the legacy era (2025-11-25)
// the request asks for it; in the modern era it declares that it can be run as
// one, and the server decides: an answer at once is as good.
type TaskOptions struct {
	TTL time.Duration // TTL is how long the server should keep the task, legacy only; 0 = it decides.

	// Status is given each state in which the task was seen, when it differs
	// from the one before. It is called as the functions of Options are.
	Status func(Task)
}

// Progress is one progress notification.
type Progress struct {
	Progress float64
	Total    float64 // Total is 0 where there is none.
	Message  string
	Params   json.RawMessage // Params is all of it, verbatim.
	At       time.Time
}

// A LogMessage is one log message of a server.
type LogMessage struct {
	Level  string
	Logger string
	Data   json.RawMessage // Data is verbatim, of any JSON type.
	At     time.Time

	// Alone says that no other operation was running. Servers do not say which request a
	// message belongs to: it is certain only then.
	Alone bool
}

// A Reply is the answer to a request, as it came.
type Reply struct {
	// Result and Error are the response's result and error, verbatim; one of
	// them is set, or both by a server that sends both. Of a task they are those
	// of the request that it ran.
	Result, Error json.RawMessage

	// Legs are the exchanges of the operation, in order: one, or one for each
	// time that the server had the request repeated with more input, or those of
	// a task.
	Legs []Leg

	Task *Task // Task is the state of the task when it was last seen; nil = there was none.

	Sent     time.Time // Sent is when the first leg was handed to the writer.
	Received time.Time // Received is when the last answer had been read.

	withdrawn bool // withdrawn: the last leg of a Guest's was cancelled before it was answered.
}

// A Leg is one exchange of an operation, or several polls of a task in a row.
type Leg struct {
	Method string
	ID     string // ID is the raw text of the request id, of the last poll.
	Polls  int    // Polls counts polls that are taken together; 0 = one exchange.

	Sent     time.Time // Sent is when it was handed to the writer, of the first poll.
	Received time.Time // Received is when its answer had been read, of the last poll; zero = none came.

	// Asked is how long we took to answer the questions in its answer.
	Asked time.Duration
}

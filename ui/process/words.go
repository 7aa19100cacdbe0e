package process

import (
	"fmt"

	"wiretea/session"
	"wiretea/ui/format"
)

// procWords says what happened to the process.
func procWords(p session.Proc) string {
	text := p.Event
	switch p.Event {
	case "start":
		text = fmt.Sprintf("started, pid %d", p.PID)
	case "exit":
		text = fmt.Sprintf("exited with code %d", p.Code)
		if p.Signal != "" {
			text = "ended by " + p.Signal
		}
	case "signal":
		text = p.Signal + " sent by " + byWords(p.By)
	case "orphans":
		text = "left behind: " + pids(p.PIDs)
	case "failed":
		text = "could not be started: " + p.Err
	}
	return format.Visible([]byte(text), 0)
}

var streamWords = [...]string{session.C2S: "stdin", session.S2C: "stdout", session.Stderr: "stderr"}

var eventWords = map[string]string{
	"eof": "end of file", "closed": "closed", "blocked": "blocked, nobody reads", "unblocked": "flows again", "epipe": "broken pipe",
}

// ioWords says what happened on a stream, and at whose end of it.
func ioWords(stream session.Stream, word, side string, waiting int64) string {
	text := word
	if known, ok := eventWords[word]; ok {
		text = known
	}
	if int(stream) < len(streamWords) {
		text = streamWords[stream] + ": " + text
	}
	switch side {
	case "server", "client":
		text += ", the " + side + "'s end"
	}
	if waiting > 0 {
		text += ", " + format.Size(waiting) + " wait"
	}
	return format.Visible([]byte(text), 0)
}

// byWords says who sent a signal.
func byWords(by string) string {
	switch by {
	case "us":
		return "wiretea"
	case "client":
		return "the client"
	case "other", "":
		return "somebody else"
	}
	return format.Visible([]byte(by), 0)
}

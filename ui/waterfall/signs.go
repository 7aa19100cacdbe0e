package waterfall

import (
	"wiretea/ui/cells"
	"wiretea/ui/keyhelp"
	"wiretea/ui/style"
)

// The cells of bars.
const (
	requestComes = "░"
	waiting      = "█"
	personAsked  = "╱"
	openStream   = "▒"
	answerComes  = "▓"
	progressTick = "┃"
	foldedTime   = "┆"
)

// A cell is what one cell of a bar means.
type cell struct {
	keyhelp.Sign
	short string // short is what it means in a word or two.
}

func bars(th *style.Theme) style.Style   { return th.Server }
func people(th *style.Theme) style.Style { return th.Asks }
func ticks(th *style.Theme) style.Style  { return th.Strong }
func folds(th *style.Theme) style.Style  { return th.Dim }

var cellWords = [...]cell{
	{keyhelp.Sign{Sign: requestComes, Means: "the request comes, from its first byte to its last", Look: bars}, "request"},
	{keyhelp.Sign{Sign: waiting, Means: "the request waits for its answer", Look: bars}, "wait"},
	{keyhelp.Sign{Sign: personAsked, Means: "the server waits for a person; latencies leave that out", Look: people}, "a person is asked"},
	{keyhelp.Sign{Sign: openStream, Means: "over HTTP: the head of the response has come, its stream is open", Look: bars}, "stream"},
	{keyhelp.Sign{Sign: answerComes, Means: "the answer comes, from its first byte to its last", Look: bars}, "answer"},
	{keyhelp.Sign{Sign: progressTick, Means: "a progress notification", Look: ticks}, "progress"},
	{keyhelp.Sign{Sign: foldedTime, Means: "time in which nothing happens, made short", Look: folds}, "idle"},
}

// Signs explain the cells of bars.
func Signs() (all []keyhelp.Sign) {
	for _, c := range cellWords {
		all = append(all, c.Sign)
	}
	return all
}

// legend says what the cells of the bars mean.
func (d *drawing) legend(w int) string {
	d.Reset(w, "")
	for _, c := range cellWords {
		if c.Sign.Sign == openStream && !d.p.got.http {
			continue
		}
		text := " " + c.short + " "
		d.Left(c.Look(d.c.Theme), " "+c.Sign.Sign, 2)
		d.Left(d.c.Theme.Dim, text, cells.Width(text))
	}
	return d.String()
}

package clientconfig

import (
	"fmt"
	"slices"
	"strings"
)

// context is how many lines around a change are shown.
const context = 3

// maxDistance bounds the search for a short diff. Edits change a few lines; what
// differs more is shown as replaced.
const maxDistance = 1000

// A step of a diff: a line that stays (' '), goes ('-') or comes ('+').
type step struct {
	sign byte
	line string
}

// unified returns the difference between two files in the form of diff -u.
func unified(path string, before, after []byte) string {
	steps := compare(lines(before), lines(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", path, path)
	oldLine, newLine := 1, 1
	for i := 0; i < len(steps); {
		first := nextChange(steps, i)
		if first == len(steps) {
			break
		}
		from := max(i, first-context)
		oldLine, newLine = oldLine+from-i, newLine+from-i
		to := hunkEnd(steps, first)
		olds, news := 0, 0
		for _, s := range steps[from:to] {
			if s.sign != '+' {
				olds++
			}
			if s.sign != '-' {
				news++
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(oldLine, olds), hunkRange(newLine, news))
		for _, s := range steps[from:to] {
			b.WriteByte(s.sign)
			b.WriteString(s.line)
			if !strings.HasSuffix(s.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, i = oldLine+olds, newLine+news, to
	}
	return b.String()
}

func hunkRange(line, count int) string {
	if count == 0 {
		line--
	}
	return fmt.Sprintf("%d,%d", line, count)
}

func nextChange(steps []step, from int) int {
	for from < len(steps) && steps[from].sign == ' ' {
		from++
	}
	return from
}

// hunkEnd returns where a hunk ends that begins with the change at first: hunks
// whose contexts touch are one.
func hunkEnd(steps []step, first int) int {
	for {
		end := first
		for end < len(steps) && steps[end].sign != ' ' {
			end++
		}
		next := nextChange(steps, end)
		if next == len(steps) || next-end > 2*context {
			return min(end+context, len(steps))
		}
		first = next
	}
}

// lines cuts behind each line break.
func lines(data []byte) []string {
	all := strings.SplitAfter(string(data), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// compare returns the steps from one list of lines to another.
func compare(a, b []string) []step {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	steps := take(nil, ' ', a[:head])
	steps = append(steps, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return take(steps, ' ', a[len(a)-tail:])
}

func take(to []step, sign byte, lines []string) []step {
	for _, line := range lines {
		to = append(to, step{sign, line})
	}
	return to
}

// shortest is Myers' algorithm: reach[k] is how far into a one comes on diagonal
// k with d changes.
func shortest(a, b []string) []step {
	var trace []map[int]int
	reach := map[int]int{1: 0}
	for d := 0; d <= min(len(a)+len(b), maxDistance); d++ {
		now := make(map[int]int, d+2)
		trace = append(trace, reach)
		for k := -d; k <= d; k += 2 {
			x := reach[k-1] + 1
			if k == -d || k != d && reach[k-1] < reach[k+1] {
				x = reach[k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			now[k] = x
			if x >= len(a) && x-k >= len(b) {
				return walkBack(a, b, trace)
			}
		}
		reach = now
	}
	return take(take(nil, '-', a), '+', b)
}

// walkBack returns the steps of the way that the trace found.
func walkBack(a, b []string, trace []map[int]int) []step {
	var steps []step
	x, y := len(a), len(b)
	for d := len(trace) - 1; d >= 0; d-- {
		reach, k := trace[d], x-y
		from := k - 1
		if k == -d || k != d && reach[k-1] < reach[k+1] {
			from = k + 1
		}
		fromX := reach[from]
		fromY := fromX - from
		for x > max(fromX, 0) && y > max(fromY, 0) && a[x-1] == b[y-1] {
			x, y = x-1, y-1
			steps = append(steps, step{' ', a[x]})
		}
		switch {
		case d == 0:
		case from == k+1:
			y--
			steps = append(steps, step{'+', b[y]})
		default:
			x--
			steps = append(steps, step{'-', a[x]})
		}
	}
	slices.Reverse(steps)
	return steps
}

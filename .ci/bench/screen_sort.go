//go:build unix

package main

import (
	"errors"
	"strings"
	"time"

	"wiretea/ui/termtest"
)

// keysInSort changes the focus while the list of two merged recordings, a large one and a small
// one, is sorted, and takes the time that a sort needs.
func (b *screenBench) keysInSort(name string) error {
	p, err := b.start("open", "--merged", b.files.large, b.files.small)
	if err != nil {
		return err
	}
	_, err = p.Until(patient, func(t *termtest.Terminal) bool {
		text := t.String()
		return strings.Contains(text, "■ recording")
	})
	if err == nil {
		err = b.moves(name+": not sorted", p)
	}
	var keys, sorts []time.Duration
	for _, by := range []string{"what", "latency", "size", "id reverse", "what reverse"} {
		if err != nil {
			break
		}
		var k []time.Duration
		var took time.Duration
		k, took, err = b.sortOnce(p, by)
		keys, sorts = append(keys, k...), append(sorts, took)
	}
	b.add(times(name, keys), times(name+": time to the last row", sorts))
	if err == nil {
		err = b.moves(name+": sorted", p)
	}
	b.memory(name, p)
	return errors.Join(err, p.Quit())
}

// sortOnce sorts, and presses keys until the title does not say any more how much is done.
func (b *screenBench) sortOnce(p *termtest.Pty, by string) (keys []time.Duration, took time.Duration, err error) {
	focus := ""
	p.Look(func(t *termtest.Terminal) { focus = corners(t) })
	begin := time.Now()
	if err := p.Typed(":sort " + by + "\r"); err != nil {
		return nil, 0, err
	}
	if _, err := p.Until(patient, sorting); err != nil {
		return nil, 0, err
	}
	for done := false; !done; {
		k, err := press(p, "tab", corners)
		if err != nil {
			return nil, 0, err
		}
		keys = append(keys, k)
		p.Look(func(t *termtest.Terminal) { done = !sorting(t) })
		time.Sleep(10 * time.Millisecond)
	}
	took = time.Since(begin)
	for at := ""; at != focus; { // The focus goes back to where it was.
		if _, err := press(p, "tab", corners); err != nil {
			return nil, 0, err
		}
		p.Look(func(t *termtest.Terminal) { at = corners(t) })
	}
	return keys, took, nil
}

// sorting reports whether the title of the list says how much of a sort is done.
func sorting(t *termtest.Terminal) bool {
	for _, line := range t.Screen() {
		if _, title, ok := strings.Cut(line, " on one clock "); ok {
			title, _, _ = strings.Cut(title, "╮")
			return strings.Contains(title, " by ") && strings.Contains(title, " %")
		}
	}
	return false
}

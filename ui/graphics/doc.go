// Package graphics draws images in terminals that can show more than characters: by the
// protocols of Kitty and iTerm2, and as sixels.
//
//	Ask ─► terminal ─► answers ─► Terminal.Hear ─► Terminal.Protocol ─► Draw
//
// What a terminal can do is what it answers, never what its environment says. Draw writes
// images that were decoded and scaled before: no byte of a peer's file reaches a terminal.
// The package writes to no terminal itself.
package graphics

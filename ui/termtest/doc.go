// Package terminal is a terminal in memory: for tests that must see what a
// person would see, for measurements, and for pictures.
//
//	program ─ output ─► Terminal: parser ► cells, title, clipboard, modes
//	        ◄─ input ── Replies, keys
//
// A Terminal understands what full-screen programs write to an xterm: text of
// any width, cursor movements, erasing, insertion, scrolling, colours, titles,
// the clipboard, the alternate screen. What it does not know it collects, so that
// a test can fail on it. It draws nothing itself: Screen and Cell say what is
// there, SVG makes a picture of it.
//
// A Session runs a Bubble Tea program against a Terminal in the same process.
//
// It has no scrollback, no sixels, no character sets but UTF-8, and it does not
// reflow lines when it is resized. No input makes it panic, hang, or grow beyond
// its cells and the bounds named at its methods.
package termtest

// Package termtest is a terminal in memory: for tests that must see what a
// person would see, for measurements, and for pictures.
//
//	program ─ output ─► Terminal: parser ► cells, title, clipboard, modes
//	        ◄─ input ── Replies, keys
//
// A Terminal understands what full-screen programs write to an xterm: text of
// any width, cursor movements, erasing, insertion, scrolling, colours, titles,
// the clipboard, the alternate screen. It collects the sequences that it does not
// know, so that a test can fail on them. It draws nothing itself: Screen and Cell
// return what is on the screen, SVG makes a picture of it.
//
// A Session runs a Bubble Tea program against a Terminal in the same process.
//
// It has no scrollback, no sixels, no character sets but UTF-8, and it does not
// reflow lines when it is resized. No input makes it panic, hang, or grow beyond
// its cells and the bounds named at its methods.
//
// The parser is charmbracelet/x/ansi. The screen is not charmbracelet/x/vt, because
// x/vt v0.1.0 fails the tests of this package:
//
//   - TestScreen: erasing above the cursor (ED 1) erases the whole line of the
//     cursor; IRM does not insert; NEL goes to no new line; a wide character in the
//     last column is lost instead of wrapped; half of a wide character stays when
//     the other half is deleted or pushed out; a combining character is lost, or
//     wraps by itself, where it comes in a write of its own; invalid UTF-8 swallows
//     the characters or the sequence behind it.
//   - TestGraphemes: the width of clusters does not depend on mode 2027.
//   - TestReplies: there is no synchronised output (2026), no answer to queries of the
//     size (18t), the clipboard, the light or dark background (996n) and XTGETTCAP,
//     and the background colour cannot be a light one.
//   - TestUnknown, TestHold, TestState: what is not understood, the number of frames
//     drawn, bells and the clipboard are not reported.
package termtest

// Package termimage has the terminal draw the images that panes show, over the cells that they
// left blank in the frame: by the protocols of Kitty and iTerm2, and as sixels.
//
//	Ask ─► terminal ─► answers ─► Terminal.Hear ─► Terminal.Protocol
//	pane.Pictured ─► Pictures.Follow ─► settle ─► Terminal.Draw
//
// What a terminal can do is what it answers, never what its environment says. Images were
// decoded and scaled before: no byte of a peer's file reaches a terminal. An image is drawn once
// the frame is on the terminal, again where the frame changes under it, and taken away with what
// it belongs to.
package termimage

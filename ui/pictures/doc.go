// Package pictures has the terminal draw the images that the panes show, over the cells that
// they left blank in the frame.
//
//	pane.Pictured ─► Follow ─► settle ─► graphics.Terminal.Draw
//
// An image is drawn once the frame is on the terminal, again where the frame changes under it,
// and taken away with what it belongs to. Package graphics knows the protocols.
package pictures

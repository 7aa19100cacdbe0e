// Package host is what the parts of the screen that are packages of their own know of it:
// a Tab, which is one session with its panes, and the Screen that the tab belongs to.
//
//	Source ─ Look ─► Tab.Ctx ─ Tell ─► panes
//
// Parts such as the composer act on a Tab and ask the Screen for what all share: the
// footer, the box over the panes, the place. They do not know one another through it. All
// of it belongs to the goroutine that runs Update.
package host

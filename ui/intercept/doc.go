// Package intercept is what a person does in the path of a tab's session: it holds the
// messages that a filter matches, and decides on them and on those that a policy holds or
// asks about.
//
//	session.Intercept ─ Changed ─► command: wait ─► Intercept ─► held.Pane
//	key ─► action ─► box, editor ─► Choice ─► command: Intercept.Decide
//
// The place in the path is opened with the tab, so that what a policy asks is seen, and is
// closed when the screen is left: what a filter of this screen holds is then released.
package intercept

package check

import (
	"wiretea/session"
)

// A family is a group of rules and the checker that applies them.
type family struct {
	name  string // name is also the folder of its conversations below testdata.
	title string // title heads its chapter in the documentation.
	rules []*Rule
	new   func() session.Checker
}

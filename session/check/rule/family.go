package rule

import (
	"wiretea/session"
)

// A Family is a group of rules and the checker that applies them.
type Family struct {
	Name  string // Name is also the folder of its conversations below testdata.
	Title string // title heads its chapter in the documentation.
	Rules []*Rule
	New   func() session.Checker
}

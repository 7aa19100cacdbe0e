package rule

// Parsed is whether this process parsed the texts.
var Parsed bool

func init() {
	parse := texts.New
	texts.New = func() map[string]Text {
		Parsed = true
		return parse()
	}
}

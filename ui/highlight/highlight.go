package highlight

import (
	"embed"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"

	"wiretea/session/lazy"
)

//go:generate go test -run TestLexersAreChromas -update .

//go:embed lexers/*.xml log.xml
var lexerFiles embed.FS

// lexers are the languages, under their names and aliases. Their rules are read
// when they are first used.
var lexers = lazy.Value[*chroma.LexerRegistry]{New: func() *chroma.LexerRegistry {
	all := chroma.NewLexerRegistry()
	files, err := lexerFiles.ReadDir("lexers")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		all.Register(chroma.MustNewXMLLexer(lexerFiles, "lexers/"+f.Name()))
	}
	all.Register(chroma.MustNewXMLLexer(lexerFiles, "log.xml"))
	return all
}}

// A Kind is what a piece of a text is.
type Kind uint8

const (
	Plain Kind = iota
	Name       // Name of a function, a type, a tag, an attribute or a key.
	Keyword
	String
	Number
	Punct
	Comment
	Strong   // Strong is a heading, or emphasised.
	Inserted // Inserted and Deleted are lines of a difference.
	Deleted
	NumKinds
)

// A Span is a piece of a text. It begins where the one before it ends.
type Span struct {
	End  int // End is the offset of the first byte behind it.
	Kind Kind
}

// MaxText is how many bytes of a text are worked through. What follows is Plain.
const MaxText = 64 << 10

// patience is how long Text works, one match more at most.
const patience = time.Second

// Text returns the pieces of a text in a language, which is named as Language does
// it. They cover the text from its beginning, as far as it was worked through. It
// is nil for a language that is not known, and for a text that is not UTF-8.
func Text(text, language string) (spans []Span) {
	lexer := lexers.Get().Get(language)
	head := text
	if len(head) > MaxText {
		head = strings.ToValidUTF8(head[:MaxText], "")
	}
	if language == "" || lexer == nil || !utf8.ValidString(head) {
		return nil
	}
	// A lexer panics on rules that do not fit together, and where a match takes too
	// long.
	defer func() { _ = recover() }()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, head)
	if err != nil {
		return nil
	}
	end, until := 0, time.Now().Add(patience)
	for t := next(); t != chroma.EOF && time.Now().Before(until); t = next() {
		if !strings.HasPrefix(head[end:], t.Value) {
			break // The lexer has added a line feed at the end.
		}
		if t.Value == "" {
			continue
		}
		end += len(t.Value)
		kind := kindOf(t.Type)
		if n := len(spans); n > 0 && spans[n-1].Kind == kind {
			spans[n-1].End = end
			continue
		}
		spans = append(spans, Span{end, kind})
	}
	return spans
}

// kindOf is what a token of chroma is.
func kindOf(t chroma.TokenType) Kind {
	switch t {
	case chroma.GenericHeading, chroma.GenericSubheading, chroma.GenericStrong, chroma.GenericEmph:
		return Strong
	case chroma.GenericInserted:
		return Inserted
	case chroma.GenericDeleted:
		return Deleted
	case chroma.NameFunction, chroma.NameClass, chroma.NameTag, chroma.NameAttribute, chroma.NameDecorator, chroma.NameBuiltin, chroma.KeywordType:
		return Name
	case chroma.CommentPreproc:
		return Keyword
	}
	switch {
	case t.InCategory(chroma.Keyword):
		return Keyword
	case t.InSubCategory(chroma.LiteralNumber):
		return Number
	case t.InCategory(chroma.Literal):
		return String
	case t.InCategory(chroma.Comment):
		return Comment
	case t.InCategory(chroma.Punctuation), t.InCategory(chroma.Operator):
		return Punct
	}
	return Plain
}

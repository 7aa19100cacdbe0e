// Package highlight finds what the words of a text are: keywords, strings,
// headings. The texts are those that tools return: Markdown, source code, data.
//
// The rules are lexer files of chroma (MIT licence, lexers/COPYING), and log.xml for logs
// and stack traces, which chroma does not know; each is read when its language is first met: chroma's own package of lexers would read all of
// them at the start of every process. Text works through up to MaxText bytes and
// may take a second, so it is called in commands, never in Update or View.
//
// It returns places in the text and nothing else: no text is changed, shortened or
// escaped here.
package highlight

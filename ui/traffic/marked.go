package traffic

// Marks returns the marked rows in their order, also those that an earlier moment
// does not show. The slice must not be changed.
func (p *Pane) Marks() []uint32 { return p.marks }

// Noted returns the rows that are marked or have a comment, in their order. The slice
// must not be changed.
func (p *Pane) Noted() []uint32 { return p.noted }

// Comment returns what was said about a row, empty for nothing.
func (p *Pane) Comment(row uint32) string { return p.comments[row] }

// Words returns what row i says, as its line has it; empty where that was not read.
func (p *Pane) Words(i uint32) string {
	x, _ := p.texts.of(i)
	return x.text
}

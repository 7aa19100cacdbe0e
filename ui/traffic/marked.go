package traffic

// Marks returns the marked rows in their order. The slice must not be changed.
func (p *Pane) Marks() []uint32 { return p.marks }

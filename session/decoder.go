package session

import "wiretea/session/jsonrpc"

// A Decoder decodes the JSON of frames before their records are added, so that another
// goroutine can do that while the Analyzer is busy with earlier ones. The findings are the
// same. Its zero value is ready; it is for one goroutine.
type Decoder struct{ scan jsonrpc.Scanner }

// Decoded is what a Decoder found in a frame's body. It holds no bytes of the record, and
// its memory is used again.
type Decoded struct {
	held held
	text jsonrpc.Text
}

// Decode decodes the body of a frame into d and lets r.Decoded point to d. Of other records,
// of a body that may be the beginning of a longer value, and of a batch of very many messages
// r.Decoded stays nil: the Analyzer decodes these.
func (dec *Decoder) Decode(r *Record, d *Decoded) {
	if r.Kind != RecFrame || r.Stream == Stderr && len(r.Body) > MaxStderrJSON {
		return
	}
	if d.held.take == nil {
		d.held.take = d.held.add
	}
	d.held.reset()
	dec.scan.Reset(d.held.take)
	dec.scan.Write(r.Body)
	if dec.scan.Syntax() == jsonrpc.Incomplete {
		return
	}
	d.text = dec.scan.End()
	if d.held.over == 0 {
		r.Decoded = d
	}
}

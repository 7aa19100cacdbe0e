package redacttest

import (
	"encoding/json"
	"fmt"
)

// Everything returns a session file in which each text of the corpus of secrets is
// in a call, in its answer and on stderr.
func Everything() []byte {
	p := &planter{}
	p.line(`{"k":"hdr","fmt":"mcpcap","v":1,"minv":1,"sid":"8f14e45fceea167a5a36dedd4bea2543","tool":"wiretea/0.1.0","t0":"2026-11-20T10:00:00.000000000Z","mode":"tee","tr":"stdio","cmd":["node","server.js"]}`)
	p.handshake()
	for i, s := range Corpus("secrets") {
		text, _ := json.Marshal(s.Text)
		p.exchange(i+10, `{"text":`+string(text)+`}`)
		p.frame("err", "", s.Text)
	}
	p.line(`{"k":"end","n":%d,"t":%d,"frames":` + fmt.Sprint(p.frames) + `,"bytes":` + fmt.Sprint(p.bytes) + `,"lost":0,"why":"exit"}`)
	return []byte(p.out.String())
}

package drill

import (
	"fmt"

	"wiretea/session/decide/fault"
)

// series are the faults of a drill, in its order. The filters name calls of tools, which are
// what has side effects.
var series = []string{
	"m:tools/call is:request: delay(1s) n=1",
	"m:tools/call is:request: drop n=1",
	"m:tools/call is:request: duplicate n=1",
	"m:tools/call is:request: slice(16) n=1",
	"m:tools/call is:request: truncate n=1",
	"m:tools/call is:response: drop n=1",
	"m:tools/call is:response: duplicate n=1",
	"m:tools/call is:response: truncate n=1",
	"m:tools/call is:response: wrong-id n=1",
	"m:tools/call is:response: result-to-error n=1",
	"m:tools/call is:response: corrupt n=1",
	"m:tools/call is:response: junk-line n=1",
	"m:tools/call is:response: bad-utf8 n=1",
	"m:tools/call is:response: oversize n=1",
	"m:tools/call is:response: reset n=1",
	"m:tools/list is:response: drop n=1",
	": slow-start(1s) n=1",
	"m:tools/call is:request: stop(1s) n=1",
	"m:tools/list is:response: kill n=1",
	"m:tools/call is:request: status(503) n=1",
	"m:tools/call is:response: status(502) n=1",
	"m:tools/call is:request: retry-after(1s) n=1",
	"m:tools/call is:request: challenge(401) n=1",
	"m:tools/call is:request: expire-session n=1",
	"m:tools/call is:response: close n=1",
}

// Series are the faults of a drill over a transport, fault.Stdio or fault.HTTP. The first
// has the seed, the second the seed plus 1, and so on.
func Series(over fault.Where, seed uint64) (fault.Faults, error) {
	var all fault.Faults
	for i, spec := range series {
		f, err := fault.Parse(fmt.Sprintf("%s seed=%d", spec, seed+uint64(i)))
		if err != nil {
			return nil, err
		}
		if (fault.Faults{f}).Over(over) == nil {
			all = append(all, f)
		}
	}
	return all, nil
}

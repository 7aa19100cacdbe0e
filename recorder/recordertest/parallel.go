package recordertest

import (
	"flag"
	"runtime"
	"strconv"
)

// WaitingTests lets more parallel tests run at once than there are CPUs, unless -parallel
// says how many: for packages whose tests wait for processes, peers and timeouts most of
// the time. A TestMain calls it before the tests run.
func WaitingTests() error {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0))))
}

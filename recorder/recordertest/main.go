package recordertest

import (
	"flag"
	"os"
	"runtime"
	"strconv"
)

// OwnHome makes a home folder for the tests of a package, so that what they keep there, keys
// and notes of sessions that were not recorded, is not the user's. A TestMain calls it before
// the tests run, and remove after them.
func OwnHome() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "wiretea-home")
	if err != nil {
		return nil, err
	}
	return func() { os.RemoveAll(dir) }, os.Setenv("HOME", dir)
}

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

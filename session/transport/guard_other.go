//go:build !linux && !darwin

package transport

import "os"

func ourProgram() (string, error) { return os.Executable() }

// identify fails: a number alone may become another process's.
func identify(*Child) (id string, held []*os.File, err error) { return "", nil, errNoGuard }

func shutDescriptors() {}

// Guard does nothing: no Tee starts one here.
func Guard([]string) int { return 2 }

//go:build !windows && (!unix || solaris || aix || illumos)

package recorder

import (
	"errors"
	"os"
)

// lockFile fails: this system has no lock that we know.
func lockFile(*os.File) error { return errors.ErrUnsupported }

// unlockFile has nothing to give back.
func unlockFile(*os.File) error { return nil }

// probeLock cannot tell.
func probeLock(*os.File) Liveness { return LivenessUnknown }

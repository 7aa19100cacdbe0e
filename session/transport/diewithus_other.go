//go:build !linux

package transport

import "syscall"

// canDieWithUs: only a guard can end the server of a tee that was killed.
const canDieWithUs = false

// dieWithUs does nothing: no system but Linux offers it to Go.
func dieWithUs(*syscall.SysProcAttr) {}

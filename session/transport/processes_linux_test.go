package transport

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	for _, test := range []struct {
		stat string
		want process
		ok   bool
	}{
		{"12 (sh) S 1 12 7 0 -1", process{parent: 1, group: 12, session: 7}, true},
		{"12 (a) Z 9 (b)) Z 3 4 5 0", process{parent: 3, group: 4, session: 5, ended: true}, true},
		{"12 (sh) X 1 2 3", process{parent: 1, group: 2, session: 3, ended: true}, true},
		{"12 (sh) S 1 12", process{}, false},
		{"12 (sh) S one 12 7", process{}, false},
		{"", process{}, false},
	} {
		if got, ok := parseStat([]byte(test.stat)); ok != test.ok || ok && got != test.want {
			t.Errorf("%q is %+v, %v, want %+v, %v", test.stat, got, ok, test.want, test.ok)
		}
	}
}

// TestProcesses holds that this process is among those of the system, with its parent,
// group and session.
func TestProcesses(t *testing.T) {
	sid, err := unix.Getsid(0)
	if err != nil {
		t.Fatal(err)
	}
	want := process{pid: os.Getpid(), parent: os.Getppid(), group: unix.Getpgrp(), session: sid}
	for _, from := range []int{0, os.Getpid()} {
		if all := processes(from); !slices.Contains(all, want) || slices.ContainsFunc(all, func(p process) bool { return p.pid < from }) {
			t.Errorf("from %d on there are %+v, without %+v", from, all, want)
		}
	}
	if members := processesOfSession(sid, false); !slices.Contains(members, os.Getpid()) {
		t.Errorf("the members of our session are %v, without %d", members, os.Getpid())
	}
}

// TestIsEmpty holds that a session is empty once its only process was waited for, and
// not before.
func TestIsEmpty(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "read line")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sid := cmd.Process.Pid
	if isEmpty(sid, sid) {
		t.Errorf("the session of process %d, which runs, is said to be empty", sid)
	}
	in.Close()
	_ = cmd.Wait() // It has read nothing: that is its exit code.
	// So many other processes may have begun meanwhile that it cannot be told.
	if !isEmpty(sid, sid) && latestPID()-sid <= maxAsked {
		t.Errorf("the session of process %d, which has ended, is said to have others", sid)
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	if isEmpty(sid, sid) {
		t.Errorf("the session of process %d is said to be empty by one who cannot look", sid)
	}
}

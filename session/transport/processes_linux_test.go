package transport

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
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
		{"12 (sh) S 1 12 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0", process{parent: 1, group: 12, began: 77}, true},
		{"12 (a) Z 9 (b)) Z 3 4 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0", process{parent: 3, group: 4, began: 77, ended: true}, true},
		{"12 (sh) X 1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0", process{parent: 1, group: 2, began: 77, ended: true}, true},
		{"12 (sh) S 1 12 7 0 -1", process{}, false},
		{"12 (sh) S one 12 7 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 77 0", process{}, false},
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
	began, _, err := startOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ticks, err := strconv.Atoi(began)
	if err != nil {
		t.Fatal(err)
	}
	want := process{pid: os.Getpid(), began: ticks, parent: os.Getppid(), group: unix.Getpgrp()}
	if all := processes(); !slices.Contains(all, want) {
		t.Errorf("there are %+v, without %+v", all, want)
	}
	if members := processesOfSession(sid); !slices.Contains(members, os.Getpid()) {
		t.Errorf("the members of our session are %v, without %d", members, os.Getpid())
	}
}

// TestProcessesOfSession holds that a session has its only process until that has
// ended, whether or not it was waited for.
func TestProcessesOfSession(t *testing.T) {
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
	if members := processesOfSession(sid); !slices.Equal(members, []int{sid}) {
		t.Errorf("the session of process %d, which runs, has %v", sid, members)
	}
	in.Close()
	var ended unix.Siginfo
	if err := unix.Waitid(unix.P_PID, sid, &ended, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	if members := processesOfSession(sid); len(members) > 0 {
		t.Errorf("the session of process %d, a zombie, has %v", sid, members)
	}
	_ = cmd.Wait() // It has read nothing: that is its exit code.
}

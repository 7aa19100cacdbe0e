package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wiretea/session/transport"
)

func TestWatcher(t *testing.T) {
	for name, c := range map[string]struct {
		set   func(b *bench)
		steps []step
		want  string
	}{
		"one change": {
			steps: []step{{1, saves("main.go")}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: <nil>
 2.7 tools/call echo: 1, was 0, <nil>`,
		},
		"nothing to build": {
			set:   func(b *bench) { b.Watcher.Build = nil },
			steps: []step{{1, saves("server.py")}},
			want: `
 1.1 building: server.py
 1.2 restarted: <nil>
 1.7 tools/call echo: 1, was 0, <nil>`,
		},
		"nothing was asked": {
			set:   func(b *bench) { b.unasked = true },
			steps: []step{{1, saves("main.go")}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: <nil>`,
		},
		"changes during a build are one more build": {
			steps: []step{{1, saves("main.go")}, {1.3, saves("a.go")}, {1.6, saves("b.go")}, {1.9, saves("a.go")}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.1 building: a.go b.go
 3.1 build ok 0 µs
 3.2 restarted: <nil>
 3.7 tools/call echo: 1, was 0, <nil>`,
		},
		"a failing build keeps the server": {
			set:   func(b *bench) { b.broken = map[int]bool{1: true} },
			steps: []step{{1, saves("main.go")}, {5, saves("main.go")}},
			want: `
 1.1 building: main.go
 2.1 build failed, exit code 2, 0 µs
 5.1 building: main.go
 6.1 build ok 0 µs
 6.2 restarted: <nil>
 6.7 tools/call echo: 1, was 0, <nil>`,
		},
		"products do not loop": {
			set:   func(b *bench) { b.writes = each("dist/a.js", "dist/b.js") },
			steps: []step{{1, saves("main.ts")}, {10, saves("main.ts")}},
			want: `
 1.1 building: main.ts
 2.1 build ok 0 µs
 2.1 building: dist/a.js dist/b.js
 3.1 build ok 0 µs
 3.2 restarted: <nil>
 3.7 tools/call echo: 1, was 0, <nil>
10.1 building: main.ts
11.1 build ok 0 µs
11.2 restarted: <nil>
11.7 tools/call echo: 2, was 1, <nil>`,
		},
		"products that change outside of a build count": {
			set:   func(b *bench) { b.writes = each("dist/a.js") },
			steps: []step{{1, saves("main.ts")}, {10, saves("dist/a.js")}},
			want: `
 1.1 building: main.ts
 2.1 build ok 0 µs
 2.1 building: dist/a.js
 3.1 build ok 0 µs
 3.2 restarted: <nil>
 3.7 tools/call echo: 1, was 0, <nil>
10.1 building: dist/a.js
11.1 build ok 0 µs
11.2 restarted: <nil>
11.7 tools/call echo: 2, was 1, <nil>`,
		},
		"products of other names each time do not loop": {
			set:   func(b *bench) { b.writes = func(n int) []string { return []string{fmt.Sprintf("dist/%d.js", n)} } },
			steps: []step{{1, saves("main.ts")}},
			want: `
 1.1 building: main.ts
 2.1 build ok 0 µs
 2.1 building: dist/1.js
 3.1 build ok 0 µs
 3.1 building: dist/2.js
 4.1 build ok 0 µs
 4.1 building: dist/3.js
 5.1 build ok 0 µs
 5.1 building: dist/4.js
 6.1 build ok 0 µs
 6.1 building: dist/5.js
 7.1 build ok 0 µs
 7.2 restarted: <nil>
 7.7 tools/call echo: 1, was 0, <nil>`,
		},
		"what is saved again and again is not a product": {
			steps: []step{{1, saves("main.go")}, {1.5, saves("main.go")}, {2.5, saves("main.go")}, {3.5, saves("main.go")}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.1 building: main.go
 3.1 build ok 0 µs
 3.1 building: main.go
 4.1 build ok 0 µs
 4.1 building: main.go
 5.1 build ok 0 µs
 5.2 restarted: <nil>
 5.7 tools/call echo: 1, was 0, <nil>`,
		},
		"what the server writes does not loop": {
			set:   func(b *bench) { b.logs = each("data.db") },
			steps: []step{{1, saves("main.go")}, {10, saves("data.db")}, {20, saves("main.go")}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: <nil>
 2.3 call given up: the files have changed again
 2.3 building: data.db
 3.3 build ok 0 µs
 3.4 restarted: <nil>
 3.9 tools/call echo: 2, was 1, <nil>
 3.9 the server's own: data.db
20.1 building: main.go
21.1 build ok 0 µs
21.2 restarted: <nil>
21.7 tools/call echo: 3, was 2, <nil>`,
		},
		"a change gives up a long call": {
			set:   func(b *bench) { b.callTakes = time.Hour },
			steps: []step{{1, saves("main.go")}, {10, func(b *bench) { b.callTakes = time.Second; b.files.changed <- "main.go" }}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: <nil>
10.1 call given up: the files have changed again
10.1 building: main.go
11.1 build ok 0 µs
11.2 restarted: <nil>
12.2 tools/call echo: 2, was 1, <nil>`,
		},
		"a change gives up a start that hangs": {
			set:   func(b *bench) { b.startTakes = time.Hour },
			steps: []step{{1, saves("main.go")}, {10, func(b *bench) { b.startTakes = 0; b.files.changed <- "main.go" }}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
10.1 start given up: the files have changed again
10.1 building: main.go
11.1 build ok 0 µs
11.1 restarted: <nil>
11.6 tools/call echo: 1, was 0, <nil>`,
		},
		"a server that does not start": {
			set:   func(b *bench) { b.dead = true },
			steps: []step{{1, saves("main.go")}, {5, func(b *bench) { b.dead = false; b.files.changed <- "main.go" }}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: no such file
 5.1 building: main.go
 6.1 build ok 0 µs
 6.2 restarted: <nil>
 6.7 tools/call echo: 1, was 0, <nil>`,
		},
		"switched off, and built by hand": {
			steps: []step{{1, func(b *bench) { b.Switch(false); b.files.changed <- "main.go" }}, {5, func(b *bench) { b.Now() }}, {10, func(b *bench) { b.Switch(true); b.files.changed <- "b.go" }}},
			want: `
 5.0 building: 
 6.0 build ok 0 µs
 6.1 restarted: <nil>
 6.6 tools/call echo: 1, was 0, <nil>
10.1 building: b.go
11.1 build ok 0 µs
11.2 restarted: <nil>
11.7 tools/call echo: 2, was 1, <nil>`,
		},
		"asked for during a build": {
			steps: []step{{1, saves("main.go")}, {1.5, func(b *bench) { b.Now() }}},
			want: `
 1.1 building: main.go
 2.1 build ok 0 µs
 2.2 restarted: <nil>
 2.7 tools/call echo: 1, was 0, <nil>
 2.7 building: 
 3.7 build ok 0 µs
 3.8 restarted: <nil>
 4.3 tools/call echo: 2, was 1, <nil>`,
		},
		"the end during a build": {
			set:   func(b *bench) { b.buildTakes = time.Hour },
			steps: []step{{1, saves("main.go")}},
			want: `
 1.1 building: main.go
60.0 build 1 given up`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if diff := cmp.Diff(" 0.0 restarted: <nil>"+c.want, watchAll(t, c.set, c.steps)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestWatcherFirstStart holds that a program that is not there is built at once, and
// one that fails otherwise is not.
func TestWatcherFirstStart(t *testing.T) {
	missing := &transport.StartError{Name: "./server", Why: "no such file"}
	for name, c := range map[string]struct {
		set  func(b *bench)
		want string
	}{
		"built": {func(b *bench) { b.first = fmt.Errorf("connecting: %w", missing) }, ` 0.0 restarted: connecting: starting "./server": no such file
 0.0 building: 
 1.0 build ok 0 µs
 1.1 restarted: <nil>`},
		"not built": {func(b *bench) { b.first, b.broken = missing, map[int]bool{1: true} }, ` 0.0 restarted: starting "./server": no such file
 0.0 building: 
 1.0 build failed, exit code 2, 0 µs`},
		"nothing to build":   {func(b *bench) { b.first, b.Watcher.Build = missing, nil }, ` 0.0 restarted: starting "./server": no such file`},
		"it ends in the way": {func(b *bench) { b.first = errors.New("the server exited with code 1") }, ` 0.0 restarted: the server exited with code 1`},
		"it does not exist": {func(b *bench) { b.Absent = func() bool { return true } }, ` 0.0 building: 
 1.0 build ok 0 µs
 1.0 restarted: <nil>`},
		"it does not exist, and is not built": {func(b *bench) { b.Absent, b.broken = func() bool { return true }, map[int]bool{1: true} }, ` 0.0 building: 
 1.0 build failed, exit code 2, 0 µs`},
		"it does not exist after a build": {func(b *bench) { b.Absent, b.first = func() bool { return true }, missing }, ` 0.0 building: 
 1.0 build ok 0 µs
 1.0 restarted: starting "./server": no such file`},
		"it does not exist, and nothing builds it": {func(b *bench) { b.Absent, b.first, b.Watcher.Build = func() bool { return true }, missing, nil },
			` 0.0 restarted: starting "./server": no such file`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := watchAll(t, func(b *bench) {
					b.unasked = true
					c.set(b)
				}, nil)
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestWatcherReasons holds why a server is restarted, as it is recorded.
func TestWatcherReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var of *bench
		watchAll(t, func(b *bench) { of = b }, []step{
			{1, saves("src/main.go")}, {10, func(b *bench) { b.Now() }},
			{20, func(b *bench) { b.files.changed <- "src/b.go"; b.files.changed <- "src/a.go" }},
		})
		if diff := cmp.Diff([]string{"main.go has changed", "", "a.go and 1 other file have changed"}, of.whys); diff != "" {
			t.Error(diff)
		}
	})
}

// watchAll lets a watcher run for a minute and returns what it has told.
func watchAll(t *testing.T, set func(*bench), steps []step) string {
	ctx, cancel := context.WithCancel(t.Context())
	b := &bench{began: time.Now(), buildTakes: time.Second, startTakes: 100 * time.Millisecond, callTakes: 500 * time.Millisecond}
	b.files = newFakeFiles(ctx)
	b.Watcher = New(b.files, b, b.news, func() {})
	b.Watcher.Build = b
	if set != nil {
		set(b)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx, func(context.Context) error { return b.first })
	}()
	for _, s := range steps {
		time.Sleep(time.Until(b.began.Add(time.Duration(s.at * float64(time.Second)))))
		synctest.Wait()
		s.do(b)
	}
	time.Sleep(time.Until(b.began.Add(time.Minute)))
	cancel()
	<-done
	return strings.Join(b.log, "\n")
}

// TestWatcherState: the state says what is done, and for how long.
func TestWatcherState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		look := func(b *bench) {
			st := b.State()
			got = append(got, fmt.Sprint(st.Phase, " ", st.For, " ", st.Failed, " ", st.Off, " ", st.Named, " ", st.Folders))
		}
		watchAll(t, func(b *bench) { b.broken = map[int]bool{1: true} }, []step{
			{0.5, look}, {1, saves("main.go")}, {1.3, look}, {3, look}, {4, func(b *bench) { b.Switch(false) }}, {5, look},
			{6, func(b *bench) { b.Switch(true); b.Now() }}, {7.05, look}, {7.2, look}, {9, look},
		})
		want := []string{
			fmt.Sprint(Idle, " 0s false false src 2"), fmt.Sprint(Building, " 200ms false false src 2"), fmt.Sprint(Idle, " 0s true false src 2"),
			fmt.Sprint(Idle, " 0s true true src 2"), fmt.Sprint(Restarting, " 50ms false false src 2"), fmt.Sprint(Calling, " 100ms false false src 2"), fmt.Sprint(Idle, " 0s false false src 2"),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

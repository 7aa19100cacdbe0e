package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed guards.txt
var guardsText string

type options struct {
	n       int
	seed    uint64
	least   int
	timeout time.Duration
	jobs    int
	only    string
	also    string
	retry   string
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 300, "make `N` random changes in all")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().Unix()), "seed of the random changes")
	flag.IntVar(&o.least, "least", 90, "fail if less than `N` % of the random changes are noticed")
	flag.DurationVar(&o.timeout, "timeout", 0, "limit for the tests of one change, once they are built (default ten times what they take without a change, for guards 3m)")
	flag.IntVar(&o.jobs, "jobs", 2, "try `N` changes at once")
	flag.StringVar(&o.only, "only", "", "change only files, or try only guards, whose name contains `TEXT`")
	flag.StringVar(&o.also, "also", "", "comma-separated packages whose tests run if those of the changed one notice nothing")
	flag.StringVar(&o.retry, "retry", "", "try only the changes that survived or hung according to `FILE`, the output of a run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := run(ctx, os.Stdout, &o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run tries the guards, or random changes in packages, and reports whether enough of
// them are noticed.
func run(ctx context.Context, w io.Writer, o *options, packages []string) (bool, error) {
	if len(packages) == 0 {
		guards, err := parseGuards(guardsText)
		if err != nil {
			fmt.Fprintln(w, err)
		}
		o.timeout = cmp.Or(o.timeout, 3*time.Minute)
		guards = slices.DeleteFunc(guards, func(m mutant) bool { return !strings.Contains(m.guard, o.only) })
		ok, fault := tryAll(ctx, w, o, guards, 100)
		return ok && err == nil, fault
	}
	var all []mutant
	for _, pkg := range packages {
		found, err := mutants(pkg, o.only)
		if err != nil {
			return false, err
		}
		all = append(all, found...)
	}
	if o.retry != "" {
		before, err := os.ReadFile(o.retry)
		if err != nil {
			return false, err
		}
		all = left(all, string(before))
	}
	if err := unchanged(ctx, o, packages); err != nil {
		return false, err
	}
	random := rand.New(rand.NewPCG(o.seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Fprintf(w, "seed %d: %d of %d changes\n", o.seed, min(o.n, len(all)), len(all))
	return tryAll(ctx, w, o, all, o.least)
}

// left returns the changes that survived or hung according to the output of a run.
func left(all []mutant, output string) []mutant {
	again := map[string]bool{}
	for line := range strings.Lines(output) {
		if result, change, _ := strings.Cut(strings.TrimSpace(line), " "); result == survived.String() || result == hung.String() {
			again[strings.TrimSpace(change)] = true
		}
	}
	return slices.DeleteFunc(all, func(m mutant) bool { return !again[strings.TrimSpace(m.String())] })
}

// unchanged returns an error if the tests fail without a change: each change would seem
// to be noticed. It sets the limit for the tests of a change, if there is none, to ten
// times what the slowest package takes, and to 20 s at least.
func unchanged(ctx context.Context, o *options, packages []string) error {
	tests := slices.Clone(packages)
	if o.also != "" {
		tests = append(tests, strings.Split(o.also, ",")...)
	}
	slowest := 2 * time.Second
	for _, pkg := range tests {
		none := mutant{pkg: pkg}
		result, err := none.try(ctx, &options{timeout: cmp.Or(o.timeout, 10*time.Minute)})
		switch {
		case err != nil:
			return err
		case result != survived:
			return fmt.Errorf("the tests of %s do not pass without a change: %s %s", pkg, result, none.why)
		}
		slowest = max(slowest, none.took)
	}
	o.timeout = cmp.Or(o.timeout, 10*slowest)
	return nil
}

// tryAll tries changes until o.n of them compiled, or guards until the last, prints
// those that survive or hang, which a busy machine may make them do, and reports whether at least so many of a hundred are noticed.
func tryAll(ctx context.Context, w io.Writer, o *options, all []mutant, least int) (bool, error) {
	var (
		mu    sync.Mutex
		next  int
		tried = map[outcome]int{}
		fault error
		group sync.WaitGroup
	)
	take := func() *mutant {
		mu.Lock()
		defer mu.Unlock()
		counted := tried[noticed] + tried[hung] + tried[survived]
		if next == len(all) || ctx.Err() != nil || fault != nil || all[next].guard == "" && counted >= o.n {
			return nil
		}
		next++
		return &all[next-1]
	}
	for range o.jobs {
		group.Go(func() {
			for m := take(); m != nil; m = take() {
				result, err := m.try(ctx, o)
				mu.Lock()
				if err == nil {
					tried[result]++
				} else if ctx.Err() == nil {
					fault = err
				}
				if err == nil && (result == survived || result == hung || result == broken && m.guard != "") {
					fmt.Fprintf(w, "%s %s %s\n", result, m, m.why)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if fault != nil {
		return false, fault
	}
	dead := tried[noticed] + tried[hung]
	counted := dead + tried[survived]
	fmt.Fprintf(w, "%d of %d changes were noticed (%d %%), %d of them by hanging; %d did not compile\n",
		dead, counted, 100*dead/max(1, counted), tried[hung], tried[broken])
	good := 100*dead >= least*counted && counted > 0
	return good && (len(all) == 0 || all[0].guard == "" || tried[broken] == 0), ctx.Err()
}

// An outcome is what became of a change.
type outcome uint8

const (
	survived outcome = iota
	noticed          // noticed: a test failed.
	hung             // hung: the tests did not end in time.
	broken           // broken: it does not compile.
)

func (o outcome) String() string {
	return [...]string{"SURVIVED", "noticed", "HUNG", "BROKEN"}[o]
}

// parseGuards reads the guards of guards.txt: paragraphs of a name, a file, a package
// and a pattern for its tests, and the text that is replaced, each line of it behind
// "-" by the text after "+".
func parseGuards(text string) ([]mutant, error) {
	var all []mutant
	var faults []error
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var m mutant
		var old, fresh []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			switch {
			case line == "" || line[0] == '#':
			case line[0] == '-':
				old = append(old, line[1:])
			case line[0] == '+':
				fresh = append(fresh, line[1:])
			case m.guard == "":
				m.guard = line
			default:
				fields := strings.Fields(line)
				if len(fields) != 3 {
					return nil, fmt.Errorf("guard %s: want a file, a package and a pattern: %q", m.guard, line)
				}
				m.file, m.pkg, m.tests = fields[0], fields[1], fields[2]
			}
		}
		if m.guard == "" {
			continue
		}
		if m.file == "" || old == nil {
			return nil, fmt.Errorf("guard %s: it has no file, or no text", m.guard)
		}
		if err := m.replace(strings.Join(old, "\n"), strings.Join(fresh, "\n")); err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, m)
	}
	return all, errors.Join(faults...)
}

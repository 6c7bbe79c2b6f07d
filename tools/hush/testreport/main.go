// Command testreport reads the output of go test -json and tells it to a person: each
// package's verdict as it comes, what failed with its output, and at the end what was
// skipped, what another run has, and the slowest tests. scripts/test.sh starts it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	var o options
	flag.StringVar(&o.require, "require", "", "`names` of tools, separated by commas, that no test may have missed; all forbids every skip")
	flag.StringVar(&o.noRace, "no-race", "", "`reason` why the race detector, which was wanted, is off")
	flag.BoolVar(&o.stores, "stores", false, "list what ran on bbolt, or was left out, in a run on PostgreSQL")
	flag.StringVar(&o.leftOut, "left-out", "", "`file` for the name of each test that another run has")
	flag.IntVar(&o.slowest, "slowest", 10, "how `many` of the slowest tests to list")
	flag.StringVar(&o.times, "times", "", "`file` to append each test's time to")
	flag.Parse()
	if err := report(os.Stdin, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		os.Exit(1)
	}
}

type options struct {
	require, noRace, leftOut, times string
	stores                          bool
	slowest                         int
}

// report reads events from in and writes the report to out. It returns an error if a
// test failed, if one was skipped that must not be, or if no package was tested.
func report(in io.Reader, out io.Writer, o options) error {
	r := newRun(out)
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				_, _ = out.Write(line) // go's own words, such as a wrong argument
			} else {
				r.add(e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(r.finish(o), r.verdict(o))
}

package faulttest_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"hush/storage/postgres/postgrestest"
	"hush/testtier"
)

var (
	seedFlag = flag.Uint64("faults.seed", 0, "repeat the clients' choices and the faults of this seed; 0 draws one")
	opsFlag  = flag.Int("faults.operations", 3000, "how many operations are answered at least")
	mostFlag = flag.Int("faults.faults", 10, "how many faults there are at least")
	longFlag = flag.Bool("faults.stall", false, "also stop nodes for longer than they keep their numbers")
	callers  = flag.Int("faults.clients", 32, "how many clients there are")
)

// server is the server of all tests of this package.
var server *postgrestest.Server

// connections is how many connections the server takes: enough for three nodes,
// and few enough that others can take them all.
const connections = 40

func TestMain(m *testing.M) {
	flag.Parse()
	if testing.Short() { // what needs the server is left out
		os.Exit(m.Run())
	}
	started, err := postgrestest.Start(fmt.Sprintf("max_connections=%d", connections))
	if err != nil && !errors.Is(err, postgrestest.ErrMissing) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server = started
	code := m.Run()
	if server != nil {
		if err := server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// seed returns the seed of a run and says how to repeat it.
func seed(t *testing.T) uint64 {
	t.Helper()
	testtier.Check(t, "starts PostgreSQL")
	if server == nil {
		t.Skip("needs postgres: not installed")
	}
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d; repeat its choices with -run '^%s$' -faults.seed %d", seed, t.Name(), seed)
	return seed
}

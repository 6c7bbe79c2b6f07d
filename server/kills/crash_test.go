package kills_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"hush/server/servertest"
)

var crashCycles = servertest.TimesFlag("crash.cycles", 2, 25, "how often TestCrash kills the server")

// The power fails while secrets come and go. Afterwards nothing acknowledged
// may be missing, and nothing shown may be there again: otherwise a crash would
// be a way to read a secret twice.
func TestCrash(t *testing.T) {
	t.Parallel()
	const clients = 8
	cycles := servertest.Fewer(crashCycles.Count())
	path, data := servertest.Build(t), filepath.Join(t.TempDir(), "data")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var ledgers []*ledger
	for client := range clients {
		ledgers = append(ledgers, newLedger(client))
	}
	for cycle := range cycles {
		load(t, path, data, ledgers, random)
		recheck(t, path, data, ledgers, cycle, cycle == cycles-1)
		if t.Failed() {
			t.Fatalf("crash %d: got a broken promise, want none; seed %d", cycle+1, seed)
		}
	}
	total, ended := 0, 0
	for _, l := range ledgers {
		total, ended = total+l.number, ended+len(l.ended)
	}
	t.Logf("%d crashes, %d secrets, %d of them ended", cycles, total, ended)
}

// load lets the clients work and kills the server in the middle of it.
func load(t *testing.T, path, data string, ledgers []*ledger, random *rand.Rand) {
	t.Helper()
	p := servertest.StartProcess(t, path, data, "--rate-limits=off")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	drivers := servertest.AllDrivers(t, p.Server, nil)
	timer := time.AfterFunc(100*time.Millisecond+time.Duration(random.Int64N(int64(300*time.Millisecond))), func() {
		_ = p.Cmd.Process.Kill()
	})
	defer timer.Stop()
	seeds := map[*ledger]*rand.Rand{}
	for _, l := range ledgers {
		seeds[l] = rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
	}
	each(ledgers, func(l *ledger) { l.work(ctx, drivers, seeds[l]) })
	<-p.Exit
}

// recheck starts the server anew and compares.
func recheck(t *testing.T, path, data string, ledgers []*ledger, cycle int, last bool) {
	t.Helper()
	p := servertest.StartProcess(t, path, data, "--rate-limits=off")
	drivers := servertest.Drivers(t, p.Server, nil)
	each(ledgers, func(l *ledger) { l.check(t, drivers[(cycle+l.client)%len(drivers)], cycle, last) })
	p.Kill(t) // however it ends
}

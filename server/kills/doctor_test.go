package kills_test

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hush/cli/command"
	adminv1 "hush/gen/hush/admin/v1"
	"hush/server/servertest"
	"hush/testtier"
)

var (
	doctorKills = flag.Int("doctor.kills", 3, "how often TestDoctorAfterKills kills the service")
	doctorRuns  = flag.Int("doctor.runs", 5, "how often TestDoctorBesideNodes examines a database")
)

// examination is what "hush admin doctor --json" prints, in part.
type examination struct {
	Rows, Errors, Warnings, Infos int64
	Skipped                       []string
	Findings                      []struct {
		Code, Level, Bucket, Do string
		Count                   int64
		Places                  []struct{ Row, Note string }
	}
}

// examine runs "hush admin doctor" on the store of a data folder.
func examine(t *testing.T, code int, flags ...string) (found examination) {
	t.Helper()
	got := servertest.Call(t, nil, "", append([]string{"admin", "doctor", "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(got.Stdout), &found); err != nil || got.Code != code {
		t.Errorf("hush admin doctor: got code %d and %v, want %d; it wrote:\n%s%s", got.Code, err, code, got.Stdout, got.Stderr)
	}
	return found
}

// The service is killed under load of every kind, while it seals rows anew under
// another root key. All that "hush admin doctor" finds then
// is what the next start mends.
func TestDoctorAfterKills(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "kills the service at random")
	env := servertest.NewEnv(t)
	path, data, b := servertest.Build(t), env.CopyTo(t), newBustle(t, env)
	flags := append([]string{"--data", data}, servertest.StoreFlags(t, data, nil)...)
	inFolder := servertest.HasData(data)
	var spent []string
	if inFolder {
		spent = []string{"--spent-log=" + filepath.Join(t.TempDir(), "spent"), "--spent-log-begin"}
	}
	for round := range servertest.Fewer(*doctorKills) {
		p, s := startBustle(t, path, data, b, spent...)
		if round == 0 {
			b.everything(t, s)
		}
		if inFolder && round < 5 { // a few keys can be in use
			spent = spent[:1]
			if _, err := s.admin.RotateRootKey(t.Context(), &adminv1.RotateRootKeyRequest{}); err != nil {
				t.Fatalf("RotateRootKey: got %v, want nil", err)
			}
		}
		time.AfterFunc(300*time.Millisecond+time.Duration(rand.Int64N(int64(2*time.Second))), func() { _ = p.Cmd.Process.Kill() })
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-p.Exit
			cancel()
		}()
		b.run(ctx, s, 12)
		for _, f := range examine(t, command.ExitOK, flags...).Findings {
			t.Logf("round %d: %s %s %s: %d", round, f.Level, f.Code, f.Bucket, f.Count)
			if !strings.HasPrefix(f.Do, "Nothing: ") {
				t.Errorf("after kill %d: got %+v, want only what needs nothing", round+1, f)
			}
		}
		if t.Failed() {
			t.Fatalf("kill %d: got findings, want none that matter", round+1)
		}
	}
	t.Logf("%d calls", b.done.Load())
}

// Nodes serve every kind of call while the database is examined, again and again.
// Nothing is found.
func TestDoctorBesideNodes(t *testing.T) {
	t.Parallel()
	testtier.Full(t, "loads two nodes while their database is examined")
	env, store := &servertest.Env{}, servertest.NewDatabase(t)
	root, err := env.FillDatabase(store)
	if err != nil {
		t.Fatalf("filling the database: got %v, want nil", err)
	}
	key := filepath.Join(t.TempDir(), "root.key")
	servertest.Replace(t, key, root.Text())
	path, b, flags := servertest.Build(t), newBustle(t, env), []string{"--store", store, "--root-key-file", key}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var nodes []*accountServer
	for _, name := range []string{"one", "two"} {
		_, s := startBustle(t, path, filepath.Join(t.TempDir(), name), b, append(flags, "--node-name", name)...)
		b.everything(t, s)
		nodes = append(nodes, s)
	}
	var loaded sync.WaitGroup
	for _, s := range nodes {
		loaded.Go(func() { b.run(ctx, s, 6) })
	}
	for run := range *doctorRuns {
		found := examine(t, command.ExitOK, flags...)
		for _, f := range found.Findings {
			if f.Level == "info" { // a secret has just expired
				continue
			}
			t.Errorf("run %d: got %+v, want no finding", run+1, f)
		}
		t.Logf("run %d: %d rows", run+1, found.Rows)
	}
	cancel()
	loaded.Wait()
	t.Logf("%d calls", b.done.Load())
}

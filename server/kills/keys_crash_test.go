package kills_test

import (
	"encoding/hex"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/cli/command"
	"hush/seal"
	"hush/server/servertest"
	"hush/storage"
	"hush/vault/keylist"
)

var keysKills = servertest.TimesFlag("keys.kills", 2, 10, "how often TestKeysKilled kills the service in a rotation, and in a retirement")

// keyKiller is a service that is killed while its root keys change.
type keyKiller struct {
	path, data string
	random     *rand.Rand
	found      map[string]int // what the kills left
}

// The service is killed in the middle of rotations and retirements. Each start has the
// keys that the data needs, opens what was there, and seals anew what is left; what was
// interrupted can be repeated, and makes no second key.
func TestKeysKilled(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about root.key in the data folder")
	kills, seed := keysKills.Count(), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	k := &keyKiller{path: servertest.Build(t), data: filepath.Join(t.TempDir(), "data"), random: rand.New(rand.NewPCG(seed, 0)), found: map[string]int{}}
	p := k.start(t)
	o := servertest.Operator{T: t, Data: k.data}
	o.Ok("", "account", "create", "clerk@example.com")
	token := strings.TrimSpace(o.Ok("", "token", "create", "clerk@example.com").Stdout)
	for range kills {
		old := k.current(t)
		p = k.killed(t, p, "rotate")
		p = k.finishRotation(t, p, old)
		k.wantAccount(t, p, token)
		k.awaitUnused(t, old)
		p.Kill(t)
		k.backdate(t)
		p = k.killed(t, k.start(t), "retire", old)
		k.wantAccount(t, p, token)
		k.finishRetirement(t, old)
		if t.Failed() {
			t.Fatalf("a broken promise; seed %d", seed)
		}
	}
	t.Logf("left by the kills: %v", k.found)
}

func (k *keyKiller) start(t *testing.T) *servertest.Process {
	t.Helper()
	return servertest.StartProcess(t, k.path, k.data, "--rate-limits=off")
}

// lines returns the kids in root.key.
func (k *keyKiller) lines(t *testing.T) (kids []string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(k.data, "root.key"))
	if err != nil {
		t.Fatal(err)
	}
	roots, err := seal.ParseRootKeys(content)
	if err != nil {
		t.Fatalf("root.key: got %v, want keys", err)
	}
	for _, root := range roots {
		kid := root.KID()
		kids = append(kids, hex.EncodeToString(kid[:]))
	}
	slices.Sort(kids)
	return kids
}

// states returns the states of the keys as "hush admin keys list" shows them, of
// those that are not retired.
func (k *keyKiller) states(t *testing.T) map[string]string {
	t.Helper()
	states := map[string]string{}
	for _, listed := range (servertest.Operator{T: t, Data: k.data}).ListedKeys() {
		if listed[1] != keylist.RootKeyRetired.String() {
			states[listed[0]] = listed[1]
		}
	}
	return states
}

func (k *keyKiller) current(t *testing.T) string {
	t.Helper()
	for kid, state := range k.states(t) {
		if state == keylist.RootKeyCurrent.String() {
			return kid
		}
	}
	t.Fatal("hush admin keys list: got no current key, want one")
	return ""
}

// killed runs a command of "hush admin keys", kills the service as soon as it begins
// another file of the keys, puts it in its place or changes the database, or a little
// later, and starts it again.
func (k *keyKiller) killed(t *testing.T, p *servertest.Process, args ...string) *servertest.Process {
	t.Helper()
	watched := filepath.Join(k.data, []string{"root.key.new", "root.key", "hush.db"}[k.random.IntN(3)])
	before, _ := os.Stat(watched)
	cmd := exec.Command(k.path, slices.Concat([]string{"admin", "keys"}, args, []string{"--data", k.data})...)
	cmd.Env = []string{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(ended) == 0 { // a pause would come too late
		now, err := os.Stat(watched)
		if err == nil && (before == nil || !now.ModTime().Equal(before.ModTime()) || !os.SameFile(now, before)) {
			break
		}
	}
	if k.random.IntN(2) == 0 {
		time.Sleep(time.Duration(k.random.Int64N(int64(3 * time.Millisecond))))
	}
	p.Kill(t)
	<-ended
	p = k.start(t)
	states, lines := k.states(t), k.lines(t)
	for kid := range states {
		if !slices.Contains(lines, kid) {
			t.Errorf("root.key after a kill: got %v, want the listed key %s", lines, kid)
		}
	}
	k.found[args[0]+": "+k.summary(states, lines)]++
	return p
}

// summary says how many keys the list and the file have.
func (k *keyKiller) summary(states map[string]string, lines []string) string {
	count := func(n int) string { return map[int]string{1: "one", 2: "two", 3: "three"}[n] }
	return count(len(slices.Collect(maps.Values(states)))) + " needed, " + count(len(lines)) + " in the file"
}

// finishRotation repeats a rotation that did not happen. It makes no second key.
func (k *keyKiller) finishRotation(t *testing.T, p *servertest.Process, old string) *servertest.Process {
	t.Helper()
	if k.current(t) == old {
		(servertest.Operator{T: t, Data: k.data}).Keys("rotate").Want(t, "admin keys rotate", command.ExitOK, "is the current one")
	}
	if lines := k.lines(t); len(lines) != 2 {
		t.Errorf("root.key after a rotation: got %v, want two keys", lines)
	}
	return p
}

func (k *keyKiller) wantAccount(t *testing.T, p *servertest.Process, token string) {
	t.Helper()
	if got, err := servertest.Custid(t, p.Server, token); got != "clerk@example.com" || err != nil {
		t.Errorf("Authcheck(): got %q, %v, want the account", got, err)
	}
}

// awaitUnused waits until nothing depends on a key: the token has moved with its use,
// and the background moves the rest.
func (k *keyKiller) awaitUnused(t *testing.T, kid string) {
	t.Helper()
	servertest.WaitUntil(t, "the end of sealing anew", func() bool {
		listed := (servertest.Operator{T: t, Data: k.data}).Keys("list").Want(t, "admin keys list", command.ExitOK).Stdout
		for line := range strings.Lines(listed) {
			if strings.HasPrefix(line, kid) {
				return strings.HasSuffix(strings.TrimSpace(line), " nothing")
			}
		}
		return false
	})
}

// backdate makes the last rotation older, so that the key of before can be retired.
func (k *keyKiller) backdate(t *testing.T) {
	t.Helper()
	stored, err := servertest.OpenStore(t.Context(), k.data, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = stored.Update(t.Context(), func(tx storage.Tx) error {
		listed, err := keylist.GetRootKeys(tx)
		if err != nil {
			return err
		}
		current := listed.Find(listed.Current().KID())
		current.Since = current.Since.Add(-time.Hour)
		return keylist.PutRootKeys(tx, listed)
	})
	if err := errors.Join(err, stored.Close(), stored.Release()); err != nil {
		t.Fatal(err)
	}
}

// finishRetirement repeats a retirement, whether or not it happened.
func (k *keyKiller) finishRetirement(t *testing.T, old string) {
	t.Helper()
	(servertest.Operator{T: t, Data: k.data}).Keys("retire", old).Want(t, "admin keys retire", command.ExitOK, "is not in the root key file any more", "need it: keep a copy of its line")
	states, lines := k.states(t), k.lines(t)
	if got := k.summary(states, lines); got != "one needed, one in the file" || states[old] != "" {
		t.Errorf("keys after a retirement: got %v, %v, want one, not %s", states, lines, old)
	}
}

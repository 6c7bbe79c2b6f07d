package kills_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/testtier"
)

var restoreEnds = flag.Int("restore.ends", 400, "how many secrets TestRestoreResurrectsNothing opens and burns, and how many tokens it revokes")

// A loss has some kills, however fast the machine is, and at most so many
// rotations of the root key.
const (
	killsOfALoss     = 6
	rotationsOfALoss = 6
)

// loss is a service that is used, backed up and killed at random moments, until
// its disk is lost.
type loss struct {
	path, data, spent string
	random            *rand.Rand
	clients           []*lossClient
	backups           []takenBackup
	kills, rotations  int
}

// takenBackup is a backup that was made while clients worked.
type takenBackup struct {
	path  string
	began time.Time
}

// lossClient is what one client did over all lives of the service.
type lossClient struct {
	secrets *ledger
	owner   *accountLedger
	account *ledgerAccount // the one in use
	lost    int            // tokens of account whose creation got no response
	random  *rand.Rand
	// unsure are secrets that a kill interrupted while they ended. How they ended
	// is not in the log, so a restored receipt says burned.
	unsure map[*entry]bool
}

// The disk is lost. On a new one, each backup opens what was alive in it, and
// nothing that was revealed, burned or revoked since, whenever the service was
// killed.
func TestRestoreResurrectsNothing(t *testing.T) {
	t.Parallel()
	servertest.RunOnce(t, "about data folders")
	testtier.Full(t, "kills the service at random")
	ends := *restoreEnds
	dir, seed := t.TempDir(), uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	l := &loss{
		path: servertest.Build(t), data: filepath.Join(dir, "data"), spent: filepath.Join(dir, "spent"),
		random: rand.New(rand.NewPCG(seed, 0)),
	}
	for n := range 8 {
		random := rand.New(rand.NewPCG(seed, uint64(n)+1))
		l.clients = append(l.clients, &lossClient{secrets: newLedger(n), owner: &accountLedger{client: n, random: random}, random: random, unsure: map[*entry]bool{}})
	}
	for revealed, burned, revoked := 0, 0, 0; min(revealed, burned, revoked) < ends || l.kills < killsOfALoss; revealed, burned, revoked = l.ended() {
		l.live(t)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	revealed, burned, revoked := l.ended()
	t.Logf("%d kills, %d backups, %d root keys; revealed %d, burned %d, revoked %d", l.kills, len(l.backups), l.rotations+1, revealed, burned, revoked)
	if len(l.backups) == 0 {
		t.Fatal("backups: got none, want some")
	}
	key := l.lose(t)
	for i, b := range l.backups {
		if len(l.backups) > 4 && i > 0 && i < len(l.backups)-3 {
			continue // the first and the last ones say the most
		}
		l.restore(t, b, key, filepath.Join(dir, fmt.Sprint("restored", i)))
		if t.Failed() {
			t.Fatalf("backup %d: got a broken promise, want none; seed %d", i+1, seed)
		}
	}
}

// ended returns what was answered to have ended.
func (l *loss) ended() (revealed, burned, revoked int) {
	for _, c := range l.clients {
		for _, e := range c.secrets.ended {
			switch e.fate {
			case fateRevealed:
				revealed++
			case fateBurned:
				burned++
			case fateWaits, fateDoubtful:
			}
		}
		for _, token := range c.tokens() {
			if token.fate == tokenRevoked {
				revoked++
			}
		}
	}
	return revealed, burned, revoked
}

// live lets the clients work, and kills the service in the middle of it.
func (l *loss) live(t *testing.T) {
	t.Helper()
	p, s := startAccountServer(t, l.path, l.data, "--spent-log", l.spent)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	drivers := servertest.Drivers(t, p.Server, nil)
	timer := time.AfterFunc(200*time.Millisecond+time.Duration(l.random.Int64N(int64(600*time.Millisecond))), func() {
		_ = p.Cmd.Process.Kill()
	})
	defer timer.Stop()
	var all sync.WaitGroup
	pauses := [2]time.Duration{time.Duration(l.random.Int64N(int64(300 * time.Millisecond))), time.Duration(l.random.Int64N(int64(500 * time.Millisecond)))}
	all.Go(func() { l.back(pauses[0]) })
	if l.rotations < rotationsOfALoss {
		all.Go(func() { l.rotate(pauses[1]) })
	}
	for _, c := range l.clients {
		all.Go(func() {
			c.settle(ctx, s, drivers[0])
			for ctx.Err() == nil && c.step(ctx, s, drivers) {
				continue
			}
		})
	}
	all.Wait()
	<-p.Exit
	l.kills++
	for _, c := range l.clients {
		for _, wrong := range append(c.secrets.wrong, c.owner.wrong...) {
			t.Error(wrong)
		}
	}
}

// back makes a backup of the running service. It fails where the service is killed
// meanwhile.
func (l *loss) back(pause time.Duration) {
	time.Sleep(pause)
	b := takenBackup{path: fmt.Sprintf("%s.backup%d", l.data, l.kills), began: time.Now()}
	cmd := exec.Command(l.path, "admin", "backup", "--data", l.data, "--plain", "-o", b.path)
	cmd.Env = []string{}
	if cmd.Run() == nil {
		l.backups = append(l.backups, b)
	}
}

// rotate makes another root key the current one. It fails where the service is
// killed meanwhile, or where the kill before came in the middle of it.
func (l *loss) rotate(pause time.Duration) {
	time.Sleep(pause)
	cmd := exec.Command(l.path, "admin", "keys", "rotate", "--data", l.data)
	cmd.Env = []string{}
	if cmd.Run() == nil {
		l.rotations++
	}
}

// settle finds out what became of the calls that got no answer. What a service
// said to have ended may not come back either.
func (c *lossClient) settle(ctx context.Context, s *accountServer, d apitest.Driver) {
	for _, e := range c.secrets.ended {
		if e.fate != fateDoubtful {
			continue
		}
		c.unsure[e] = true
		switch d.Metadata(ctx, e.metadataKey).State {
		case "received":
			e.fate = fateRevealed
		case "burned":
			e.fate = fateBurned
		}
	}
	for _, token := range c.tokens() {
		if token.fate != tokenDoubtful {
			continue
		}
		switch err := s.authcheck(ctx, token.token); {
		case err == nil:
			token.fate = tokenLives
		case connect.IsWireError(err) && connect.CodeOf(err) == connect.CodeUnauthenticated:
			token.fate = tokenRevoked
		}
	}
}

// step does one thing and reports whether it got a response.
func (c *lossClient) step(ctx context.Context, s *accountServer, drivers []apitest.Driver) bool {
	if c.account == nil {
		ok := c.owner.operate(ctx, s)
		if ok {
			c.account, c.lost = c.owner.accounts[len(c.owner.accounts)-1], 0
		}
		return ok
	}
	d, waiting := drivers[c.random.IntN(len(drivers))], len(c.secrets.waiting)
	switch draw := c.random.IntN(100); {
	case draw < 20:
		return c.makeToken(ctx, s)
	case draw < 40:
		return c.owner.revoke(ctx, s, c.account)
	case draw < 62 && waiting > 0:
		return c.secrets.end(ctx, d, c.random.IntN(waiting), draw < 51)
	}
	return c.secrets.conceal(ctx, d)
}

// tokens returns the tokens of all accounts.
func (c *lossClient) tokens() []*ledgerToken {
	var all []*ledgerToken
	for _, a := range c.owner.accounts {
		all = append(all, a.tokens...)
	}
	return all
}

// makeToken makes a token, unless the account has many.
func (c *lossClient) makeToken(ctx context.Context, s *accountServer) bool {
	live := 0
	for _, token := range c.account.tokens {
		if token.fate != tokenRevoked {
			live++
		}
	}
	if live > 8 {
		return c.owner.revoke(ctx, s, c.account)
	}
	c.owner.number++
	made, err := s.admin.CreateToken(ctx, &adminv1.CreateTokenRequest{Account: c.account.address, Name: fmt.Sprint("token ", c.owner.number)})
	if c.owner.went("operator's token", err) {
		c.account.tokens = append(c.account.tokens, &ledgerToken{id: made.GetApiToken().GetTokenId(), token: made.GetToken(), acked: time.Now()})
	} else if c.lost++; c.lost > 8 {
		c.account = nil // an account has 20 tokens at most
	}
	return err == nil
}

// lose removes the data folder and returns its root key.
func (l *loss) lose(t *testing.T) []byte {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(l.data, "root.key"))
	if err = errors.Join(err, os.RemoveAll(l.data)); err != nil {
		t.Fatal(err)
	}
	return key
}

// restore restores a backup into a new folder and compares it with what clients
// know.
func (l *loss) restore(t *testing.T, b takenBackup, key []byte, data string) {
	t.Helper()
	// Each restore marks the log as its own.
	spent := data + ".spent"
	if err := errors.Join(os.CopyFS(spent, os.DirFS(l.spent)), os.Chmod(spent, 0o700), os.Mkdir(data, 0o700),
		os.WriteFile(filepath.Join(data, "root.key"), key, 0o400)); err != nil {
		t.Fatal(err)
	}
	servertest.Call(t, []string{}, "", "admin", "restore", b.path, "--data", data, "--spent-log", spent).Want(t, "admin restore", 0)
	servertest.Call(t, []string{}, "", "admin", "doctor", "--data", data).Want(t, "admin doctor after the restore", 0)
	if t.Failed() {
		return
	}
	p, s := startAccountServer(t, l.path, data, "--spent-log", spent)
	drivers := servertest.Drivers(t, p.Server, nil)
	var all sync.WaitGroup
	for i, c := range l.clients {
		all.Go(func() { c.check(t, s, drivers[i%len(drivers)], b) })
	}
	all.Wait()
	if err := p.Terminate(t); err != nil {
		t.Errorf("SIGTERM: got %v, want exit code 0; it wrote:\n%s", err, p.Log)
	}
	servertest.Call(t, []string{}, "", "admin", "doctor", "--data", data).Want(t, "admin doctor after it was served", 0)
}

func (c *lossClient) check(t *testing.T, s *accountServer, d apitest.Driver, b takenBackup) {
	t.Helper()
	for _, e := range c.secrets.waiting {
		if e.acked.Before(b.began) {
			d.Reveal(t.Context(), e.key, "").WantValue(t, d.Name()+" reveal of what waited in the backup", e.value)
		}
	}
	for _, e := range c.secrets.ended {
		c.checkLost(t, d, e, b)
	}
	for _, token := range c.tokens() {
		token.checkLost(t, s, b)
	}
}

// checkLost wants a secret that has ended to stay so.
func (c *lossClient) checkLost(t *testing.T, d apitest.Driver, e *entry, b takenBackup) {
	t.Helper()
	got := d.Reveal(t.Context(), e.key, "")
	if e.fate == fateDoubtful {
		if got.Outcome == apitest.OutcomeOK {
			got.WantValue(t, d.Name()+" reveal after a lost answer", e.value)
		}
		return
	}
	got.Want(t, fmt.Sprintf("%s reveal of what had ended (fate %d)", d.Name(), e.fate), apitest.OutcomeUnknown)
	if !e.acked.Before(b.began) {
		return
	}
	state := d.Metadata(t.Context(), e.metadataKey).Want(t, d.Name()+" metadata of what had ended", apitest.OutcomeOK).State
	if want := map[fate]string{fateRevealed: "received", fateBurned: "burned"}[e.fate]; state != want && !(c.unsure[e] && state == "burned") {
		t.Errorf("%s metadata after a restore: got state %q, want %q", d.Name(), state, want)
	}
}

func (k *ledgerToken) checkLost(t *testing.T, s *accountServer, b takenBackup) {
	t.Helper()
	err := s.authcheck(t.Context(), k.token)
	switch {
	case k.fate == tokenRevoked && connect.CodeOf(err) != connect.CodeUnauthenticated:
		t.Errorf("revoked token after a restore: got %v, want %v", err, connect.CodeUnauthenticated)
	case k.fate == tokenLives && k.acked.Before(b.began) && err != nil:
		t.Errorf("token after a restore: got %v, want success", err)
	}
}

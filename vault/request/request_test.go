package request_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/outbox"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// anyone lets everyone ask.
func anyone() caller.Policy { return caller.Policy{Requests: caller.RequestsAnyone} }

func newKit(t *testing.T) *vaulttest.Kit {
	t.Helper()
	return vaulttest.New(t, vaulttest.Options{Manual: true, Policy: anyone()})
}

func mustGet(t *testing.T, k *vaulttest.Kit, a *vaulttest.Asked) request.Shown {
	t.Helper()
	shown, err := k.Vault.Requests.GetRequest(t.Context(), vaulttest.Caller(2), a.Key.Expose(), a.Proof())
	vaulttest.Want(t, "GetRequest()", err, nil)
	return shown
}

// wantCounts fails the test unless a request has that state and these numbers.
func wantCounts(t *testing.T, k *vaulttest.Kit, a *vaulttest.Asked, state request.State, answered, waiting int) {
	t.Helper()
	shown := k.MustCollect(t, caller.Caller{}, a).Request
	vaulttest.Want(t, "state", shown.State, state)
	vaulttest.Want(t, "answered", shown.Answered, answered)
	vaulttest.Want(t, "waiting", shown.Waiting, waiting)
}

// A request is asked, answered and collected, and its responder sees what becomes of the
// answer.
func TestAskAnswerCollect(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	requester, responder := vaulttest.Caller(1), vaulttest.Caller(2)
	a := k.MustAsk(t, requester, 3)
	vaulttest.Want(t, "Request.State", a.Request.State, request.StateOpen)
	vaulttest.Want(t, "Request.TTLLeft", a.Request.TTLLeft, 24*time.Hour)
	shown := mustGet(t, k, a)
	vaulttest.Want(t, "GetRequest().Answers", shown.Request.Answers, 3)
	vaulttest.Want(t, "GetRequest().AnswerMost", shown.AnswerMost, caller.SealedSize(100<<10))
	vaulttest.Want(t, "asker", shown.VerifiedDomain+shown.Address, "")

	k.Clock.Advance(time.Minute)
	one := k.MustAnswer(t, responder, a, "first text")
	k.Clock.Advance(time.Minute)
	two := k.MustAnswer(t, responder, a, "second text")
	vaulttest.Want(t, "Metadata.State", one.Metadata.State, receipt.StateNew)
	vaulttest.Want(t, "Metadata.Secret", one.Metadata.Secret, nil)
	vaulttest.Want(t, "Metadata.Expires", one.Metadata.Expires, vaulttest.StartTime().Add(time.Minute+answer.Lifetime))
	hidden := mustGet(t, k, a).Request
	vaulttest.Want(t, "what a responder sees of answers", hidden.Answered+hidden.Waiting, 0)
	vaulttest.Want(t, "when the last came, as a responder sees it", hidden.Updated, a.Request.Created)

	got := k.MustCollect(t, requester, a)
	vaulttest.Want(t, "answers", len(got.Answers), 2)
	vaulttest.Want(t, "first answer", got.Answers[0].Number, one.Number)
	vaulttest.Want(t, "second answer", got.Answers[1].Number, two.Number)
	vaulttest.Want(t, "Request.Updated", got.Request.Updated, k.Clock.Now())
	text, err := k.OpenAnswer(t, requester, a, got.Answers[0], vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	vaulttest.Want(t, "text", text, "first text")
	opened := vaulttest.AnswerOf(t, k.MustCollect(t, requester, a), one)
	vaulttest.Want(t, "state while the claim lasts", opened.State, receipt.StateReceived)
	text, err = k.OpenAnswer(t, requester, a, opened, vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer(again)", err, nil)
	vaulttest.Want(t, "text again", text, "first text")
	k.MustAcknowledge(t, *opened.Secret, vaulttest.Claim(1))
	delivered := vaulttest.AnswerOf(t, k.MustCollect(t, requester, a), one)
	vaulttest.Want(t, "key when it is delivered", delivered.Secret, nil)
	vaulttest.Want(t, "link when it is delivered", delivered.SealedLink, "")
	vaulttest.Want(t, "last event", delivered.Events[len(delivered.Events)-1].Kind, receipt.EventDelivered)
	m := k.MustMetadata(t, responder, one.Metadata.Key)
	vaulttest.Want(t, "outcome in the receipt", m.Outcome, receipt.OutcomeDelivered)
	wantCounts(t, k, a, request.StateOpen, 2, 1)

	burned, err := k.Vault.Requests.BurnAnswer(t.Context(), requester, a.CollectLink(), two.Number)
	vaulttest.Want(t, "BurnAnswer()", err, nil)
	vaulttest.Want(t, "state of the burned", vaulttest.AnswerOf(t, burned, two).State, receipt.StateBurned)
	for _, number := range []answer.Number{two.Number, one.Number, {}} {
		_, err = k.Vault.Requests.BurnAnswer(t.Context(), requester, a.CollectLink(), number)
		vaulttest.WantErr(t, "BurnAnswer(what does not wait)", err, refusal.ErrNotFound)
	}
	kinds := vaulttest.AuditKinds(t, k)
	vaulttest.Want(t, "audit rows of requests", kinds[audit.Request], 1)
	vaulttest.Want(t, "audit rows of answers", kinds[audit.Answer], 2)
}

// Wrong keys and proofs get nothing, and change nothing.
func TestKeysAndProofs(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 1)
	made := a.MakeAnswer(t, vaulttest.Plaintext, "")
	re, ctx, zeros := k.Vault.Requests, t.Context(), caller.Text(make([]byte, 32))
	link := a.CollectLink()
	for name, key := range map[string]string{
		"malformed": "x", "unknown": seal.NewToken(k.Clock.Now()).Expose(), "of the other link": a.CollectKey.Expose(), "none": "",
	} {
		_, err := re.GetRequest(ctx, caller.Caller{}, key, a.Proof())
		vaulttest.WantErr(t, "GetRequest(key: "+name+")", err, refusal.ErrNotFound)
		_, err = re.AnswerRequest(ctx, caller.Caller{}, key, a.Proof(), made.Sent)
		vaulttest.WantErr(t, "AnswerRequest(key: "+name+")", err, refusal.ErrNotFound)
	}
	for _, key := range []string{"x", a.Key.Expose(), ""} {
		other := request.CollectLink{Key: key, Proof: link.Proof}
		_, err := re.GetCollection(ctx, caller.Caller{}, other)
		vaulttest.WantErr(t, "GetCollection(key)", err, refusal.ErrNotFound)
		_, err = re.CloseByLink(ctx, caller.Caller{}, other, true)
		vaulttest.WantErr(t, "CloseByLink(key)", err, refusal.ErrNotFound)
	}
	for _, proof := range []caller.Text{"", zeros, link.Proof} {
		_, err := re.GetRequest(ctx, caller.Caller{}, a.Key.Expose(), proof)
		vaulttest.WantErr(t, "GetRequest(proof)", err, refusal.ErrLink)
		_, err = re.AnswerRequest(ctx, caller.Caller{}, a.Key.Expose(), proof, made.Sent)
		vaulttest.WantErr(t, "AnswerRequest(proof)", err, refusal.ErrLink)
	}
	for _, proof := range []caller.Text{"", zeros, a.Proof()} {
		other := request.CollectLink{Key: link.Key, Proof: proof}
		_, err := re.GetCollection(ctx, caller.Caller{}, other)
		vaulttest.WantErr(t, "GetCollection(proof)", err, refusal.ErrLink)
		_, err = re.WatchCollection(ctx, caller.Caller{}, other)
		vaulttest.WantErr(t, "WatchCollection(proof)", err, refusal.ErrLink)
		_, err = re.BurnAnswer(ctx, caller.Caller{}, other, made.Number)
		vaulttest.WantErr(t, "BurnAnswer(proof)", err, refusal.ErrLink)
		_, err = re.CloseByLink(ctx, caller.Caller{}, other, true)
		vaulttest.WantErr(t, "CloseByLink(proof)", err, refusal.ErrLink)
	}
	wantCounts(t, k, a, request.StateOpen, 0, 0)
}

// What cannot be granted is refused, and never changed.
func TestTerms(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: anyone(), Limits: caller.Limits{AnonymousTTL: 48 * time.Hour}})
	_, good := vaulttest.AskTerms(t, k, 3)
	for field, change := range map[string]func(*request.Terms){
		"ttl": func(r *request.Terms) { r.TTL = 48*time.Hour + time.Second }, "ttl ": func(r *request.Terms) { r.TTL = time.Second },
		"ttl  ": func(r *request.Terms) { r.TTL += time.Millisecond }, "ttl   ": func(r *request.Terms) { r.TTL = -r.TTL },
		"answers": func(r *request.Terms) { r.Answers = 0 }, "answers ": func(r *request.Terms) { r.Answers = 101 },
		"card": func(r *request.Terms) { r.Card = "" }, "card ": func(r *request.Terms) { r.Card = caller.Text(strings.Repeat("x", request.CardMost+1)) },
		"link_box":        func(r *request.Terms) { r.LinkBox += "x" },
		"link_proof_hash": func(r *request.Terms) { r.LinkProofHash = "x" }, "collect_proof_hash": func(r *request.Terms) { r.CollectProofHash = "" },
		"show_address": func(r *request.Terms) { r.ShowsAddress = true }, "notify": func(r *request.Terms) { r.Notifies = true },
	} {
		terms := good
		change(&terms)
		_, err := k.Vault.Requests.CreateRequest(t.Context(), caller.Caller{}, terms)
		vaulttest.WantInvalid(t, "CreateRequest("+field+")", err, strings.TrimSpace(field))
	}
	owner := k.MustStoredAccount(t, vaulttest.Caller(1), "a")
	for ttl, fits := range map[time.Duration]bool{30 * 24 * time.Hour: true, 30*24*time.Hour + time.Second: false} {
		terms := good
		terms.TTL = ttl
		_, err := k.Vault.Requests.CreateRequest(t.Context(), owner, terms)
		vaulttest.Want(t, fmt.Sprintf("CreateRequest(account, %s) is granted", ttl), err == nil, fits)
	}
	terms := good
	terms.Notifies = true
	_, err := k.Vault.Requests.CreateRequest(t.Context(), owner, terms)
	vaulttest.WantErr(t, "CreateRequest(notify, no mail)", err, refusal.ErrNotConfigured)
	terms = good
	terms.ShareDomain = "secrets.example.com"
	_, err = k.Vault.Requests.CreateRequest(t.Context(), owner, terms)
	vaulttest.WantErr(t, "CreateRequest(another's domain)", err, refusal.ErrDomainNotFound)
	vaulttest.Want(t, "requests stored", len(vaulttest.RowsIn(t, k.Store, request.BucketRequest)), 1)
}

// The operator says who may ask. Answers are taken from everyone, but under maintenance.
func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy              caller.Policy
		anonymous, accounts error
	}{
		"default":     {caller.Policy{}, refusal.ErrPolicy, nil},
		"anyone":      {anyone(), nil, nil},
		"off":         {caller.Policy{Requests: caller.RequestsOff}, refusal.ErrPolicy, refusal.ErrPolicy},
		"server only": {caller.Policy{Requests: caller.RequestsAnyone, Kinds: caller.KindsServer}, refusal.ErrPolicy, refusal.ErrPolicy},
		"maintenance": {caller.Policy{Requests: caller.RequestsAnyone, Maintenance: "soon"}, refusal.ErrMaintenance, refusal.ErrMaintenance},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: c.policy})
			owner := k.MustStoredAccount(t, vaulttest.Caller(1), "a")
			for who, want := range map[*caller.Caller]error{{}: c.anonymous, &owner: c.accounts} {
				_, terms := vaulttest.AskTerms(t, k, 1)
				_, err := k.Vault.Requests.CreateRequest(t.Context(), *who, terms)
				vaulttest.WantErr(t, "CreateRequest()", err, want)
			}
		})
	}
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 3)
	k.Close(t)
	strict := vaulttest.New(t, vaulttest.Options{Manual: true, After: k, Policy: caller.Policy{
		Requests: caller.RequestsOff, NoAnonymousCreate: true, PassphraseRequired: true, Kinds: caller.KindsServer,
	}})
	strict.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	strict.Close(t)
	repaired := vaulttest.New(t, vaulttest.Options{Manual: true, After: strict, Policy: caller.Policy{Maintenance: "soon"}})
	_, err := repaired.SendAnswer(t, vaulttest.Caller(2), a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(maintenance)", err, refusal.ErrMaintenance)
	text, err := repaired.OpenAnswer(t, caller.Caller{}, a, repaired.MustCollect(t, caller.Caller{}, a).Answers[0], "")
	vaulttest.Want(t, "OpenAnswer(maintenance)", err, nil)
	vaulttest.Want(t, "text", text, vaulttest.Plaintext)
}

// A repeat of an answer takes no second place and gets the same receipt, whatever became
// of answer and request meanwhile. Another answer of that number is refused.
func TestRepeats(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	responder := vaulttest.Caller(2)
	a := k.MustAsk(t, caller.Caller{}, 2)
	made := k.MustAnswer(t, responder, a, vaulttest.Plaintext)
	wantSame := func(what string) {
		t.Helper()
		m, err := k.SendAnswer(t, vaulttest.Caller(9), a, made)
		vaulttest.Want(t, "AnswerRequest(again, "+what+")", err, nil)
		vaulttest.Want(t, "receipt, "+what, m.Key, made.Metadata.Key)
		vaulttest.Want(t, "key of the secret, "+what, m.Secret, nil)
	}
	wantSame("at once")
	made.Challenge = "another"
	wantSame("with another challenge")
	for name, change := range map[string]func(*request.Sent){
		"link": func(s *request.Sent) { s.SealedLink = "x" + s.SealedLink[1:] }, "content": func(s *request.Sent) { s.Content.Content += "x" },
		"hash":       func(s *request.Sent) { s.Content.ProofHash = s.Content.LinkProofHash },
		"passphrase": func(s *request.Sent) { s.Content.HasPassphrase = true },
	} {
		other := *made
		change(&other.Sent)
		_, err := k.SendAnswer(t, responder, a, &other)
		vaulttest.WantErr(t, "AnswerRequest(same number, other "+name+")", err, refusal.ErrDuplicate)
	}
	wantCounts(t, k, a, request.StateOpen, 1, 1)
	k.MustAnswer(t, responder, a, vaulttest.Plaintext)
	wantSame("when it is full")
	_, err := k.SendAnswer(t, responder, a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(full)", err, refusal.ErrRequestEnded)
	_, err = k.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, a.CollectLink(), true)
	vaulttest.Want(t, "CloseByLink()", err, nil)
	wantSame("when it is closed and burned")
	k.Reopen(t)
	wantSame("after a restart")
	wantCounts(t, k, a, request.StateClosed, 2, 0)
}

// The attack: 64 answerers race for 3 places, on two nodes, each of them with a repeat
// beside. Three get one, and a repeat gets the receipt that its answer got.
func TestRaceForPlaces(t *testing.T) {
	t.Parallel()
	const answerers, places = 64, 3
	cluster := vaulttest.NewCluster(t)
	nodes := []*vaulttest.Kit{
		cluster.Node(t, "a", vaulttest.Options{Manual: true, Policy: anyone()}), cluster.Node(t, "b", vaulttest.Options{Manual: true, Policy: anyone()}),
	}
	raceForPlaces(t, nodes, answerers, places)
}

// The same on a store of one process.
func TestRaceForPlacesAlone(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Policy: anyone(), Alone: true})
	raceForPlaces(t, []*vaulttest.Kit{k, k}, 64, 3)
}

func raceForPlaces(t *testing.T, nodes []*vaulttest.Kit, answerers, places int) {
	t.Helper()
	a := nodes[0].MustAsk(t, caller.Caller{}, places)
	made := make([]*vaulttest.Answered, answerers)
	for i := range made {
		made[i] = a.MakeAnswer(t, fmt.Sprintf("text %d", i), "")
	}
	receipts := make([]sync.Map, answerers)
	var won atomic.Int32
	var all sync.WaitGroup
	start := make(chan struct{})
	for i := range made {
		for n, k := range nodes {
			all.Go(func() {
				<-start
				m, err := k.SendAnswer(t, vaulttest.Caller(i), a, made[i])
				switch {
				case err == nil:
					receipts[i].Store(m.Key.Expose(), n)
				case !errors.Is(err, refusal.ErrRequestEnded):
					t.Errorf("AnswerRequest(): got %v, want nil or %v", err, refusal.ErrRequestEnded)
				}
			})
		}
	}
	close(start)
	all.Wait()
	for i := range receipts {
		keys := 0
		receipts[i].Range(func(_, _ any) bool { keys++; return true })
		if keys > 1 {
			t.Errorf("receipts of answer %d: got %d, want one", i, keys)
		}
		won.Add(int32(keys))
	}
	vaulttest.Want(t, "answers that got a place", int(won.Load()), places)
	got := nodes[1].MustCollect(t, caller.Caller{}, a)
	vaulttest.Want(t, "answers", len(got.Answers), places)
	vaulttest.Want(t, "secrets", len(vaulttest.RowsIn(t, nodes[0].Store, secret.BucketSecret)), places)
	for _, shown := range got.Answers {
		text, err := nodes[1].OpenAnswer(t, caller.Caller{}, a, shown, "")
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.Want(t, "text", strings.HasPrefix(text, "text "), true)
	}
}

// The bytes of an answer count toward its requester, and its receipt toward the network of
// its responder. Whichever of them has no room, nothing is stored and nothing stays
// counted.
func TestQuotas(t *testing.T) {
	t.Parallel()
	size := int64(seal.UnpaddedSize(len(mustContent(t)))) + answer.RowBytes
	for name, open := range map[string]func(*testing.T, vaulttest.Options) *vaulttest.Kit{
		"in memory": func(t *testing.T, o vaulttest.Options) *vaulttest.Kit {
			t.Helper()
			o.Alone = true
			return vaulttest.New(t, o)
		},
		"in the ledger": func(t *testing.T, o vaulttest.Options) *vaulttest.Kit {
			t.Helper()
			return vaulttest.NewCluster(t).Node(t, "a", o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := open(t, vaulttest.Options{Manual: true, Limits: caller.Limits{AccountBytes: 2 * size, NetworkBytes: 3 * 512}})
			owner, responder := k.MustStoredAccount(t, vaulttest.Caller(1), "a"), vaulttest.Caller(2)
			a := k.MustAsk(t, owner, 9)
			one := k.MustAnswer(t, responder, a, vaulttest.Plaintext)
			k.MustAnswer(t, responder, a, vaulttest.Plaintext)
			vaulttest.Want(t, "LiveBytes()", k.MustLiveBytes(t), 2*size)
			for range 3 { // the requester is full, and that costs the responder nothing
				_, err := k.SendAnswer(t, responder, a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
				vaulttest.WantErr(t, "AnswerRequest(requester is full)", err, refusal.ErrQuota)
			}
			k.Clock.Advance(2 * time.Second) // so that a node does not trust what it read before
			_, terms := vaulttest.AskTerms(t, k, 1)
			_, err := k.Vault.Requests.CreateRequest(t.Context(), owner, terms)
			vaulttest.WantErr(t, "CreateRequest(requester is full)", err, refusal.ErrQuota)
			k.MustBurn(t, responder, one.Metadata.Key, "")
			k.MustAnswer(t, responder, a, vaulttest.Plaintext)
			shown := k.MustCollect(t, owner, a).Answers
			_, err = k.OpenAnswer(t, owner, a, shown[1], vaulttest.Claim(1))
			vaulttest.Want(t, "OpenAnswer()", err, nil)
			_, err = k.SendAnswer(t, responder, a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
			vaulttest.WantErr(t, "AnswerRequest(a claim lasts)", err, refusal.ErrQuota)
			k.MustAcknowledge(t, *shown[1].Secret, vaulttest.Claim(1))
			for range 3 { // the responder's network is full, and that costs the requester nothing
				_, err = k.SendAnswer(t, responder, a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
				vaulttest.WantErr(t, "AnswerRequest(responder is full)", err, refusal.ErrQuota)
			}
			vaulttest.Want(t, "LiveBytes()", k.MustLiveBytes(t), size)
			k.MustAnswer(t, vaulttest.Caller(3), a, vaulttest.Plaintext)
			vaulttest.AdvanceInSteps(t, k, 2*answer.Lifetime+time.Hour)
			vaulttest.Want(t, "LiveBytes() in the end", k.MustLiveBytes(t), 0)
			b := k.MustAsk(t, owner, 2)
			k.MustAnswer(t, responder, b, vaulttest.Plaintext)
			k.MustAnswer(t, responder, b, vaulttest.Plaintext)
		})
	}
}

func mustContent(t *testing.T) string {
	t.Helper()
	sealed, _ := vaulttest.MustSeal(t, vaulttest.Plaintext, "")
	return string(sealed.Content)
}

// An account or a network has so many requests at most.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	_, terms := vaulttest.AskTerms(t, k, 1)
	ask := func(c caller.Caller) error {
		_, err := k.Vault.Requests.CreateRequest(t.Context(), c, terms)
		return err
	}
	for range 100 {
		vaulttest.Want(t, "CreateRequest()", ask(vaulttest.Caller(1)), nil)
	}
	vaulttest.WantErr(t, "CreateRequest(100 of the network)", ask(vaulttest.Caller(1)), refusal.ErrTooMany)
	vaulttest.Want(t, "CreateRequest(another network)", ask(vaulttest.Caller(2)), nil)
	vaulttest.Want(t, "CreateRequest(account)", ask(k.MustStoredAccount(t, vaulttest.Caller(1), "a")), nil)
	vaulttest.AdvanceInSteps(t, k, 25*time.Hour+answer.Lifetime)
	vaulttest.Want(t, "CreateRequest(the others are forgotten)", ask(vaulttest.Caller(1)), nil)
}

func watchCollection(t *testing.T, losing bool) {
	t.Helper()
	cluster := vaulttest.NewMemoryCluster(t)
	if losing {
		cluster.Notices = nil
	}
	k := cluster.Node(t, "a", vaulttest.Options{Manual: true, Policy: anyone()})
	far := cluster.Node(t, "b", vaulttest.Options{Manual: true, Policy: anyone()})
	synctest.Wait()
	a := k.MustAsk(t, caller.Caller{}, 9)
	watches := map[string]*request.Watch{}
	for name, node := range map[string]*vaulttest.Kit{"near": k, "far": far} {
		w, err := node.Vault.Requests.WatchCollection(t.Context(), caller.Caller{}, a.CollectLink())
		vaulttest.Want(t, "WatchCollection()", err, nil)
		defer w.Close()
		watches[name] = w
	}
	isTold := func(w *request.Watch) bool {
		select {
		case <-w.Changed():
			return true
		default:
			return false
		}
	}
	settle := func() {
		time.Sleep(time.Second) // so that notifications are not held back
		synctest.Wait()
		if losing {
			vaulttest.Want(t, "Poll(near)", k.Vault.Watches.Poll(t.Context()), nil)
			vaulttest.Want(t, "Poll(far)", far.Vault.Watches.Poll(t.Context()), nil)
		}
	}
	wantTold := func(what string, waiting int) {
		t.Helper()
		settle()
		for name, w := range watches {
			vaulttest.Want(t, name+" watch is told of: "+what, isTold(w), true)
			got, err := w.Collection(t.Context())
			vaulttest.Want(t, "Collection()", err, nil)
			vaulttest.Want(t, "waiting: "+what, got.Request.Waiting, waiting)
		}
	}
	settle()
	for _, w := range watches {
		_ = isTold(w) // the first poll
	}
	one := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	wantTold("answer", 1)
	shown := vaulttest.AnswerOf(t, k.MustCollect(t, caller.Caller{}, a), one)
	_, err := far.Vault.Secrets.GetSecret(t.Context(), vaulttest.Caller(5), shown.Secret.Expose())
	vaulttest.Want(t, "GetSecret()", err, nil)
	wantTold("look", 1)
	_, err = far.OpenAnswer(t, caller.Caller{}, a, shown, vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	wantTold("reveal", 0)
	k.MustAcknowledge(t, *shown.Secret, vaulttest.Claim(1))
	wantTold("acknowledgement", 0)
	two := far.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	wantTold("second answer", 1)
	_, err = k.Vault.Requests.BurnAnswer(t.Context(), caller.Caller{}, a.CollectLink(), two.Number)
	vaulttest.Want(t, "BurnAnswer()", err, nil)
	wantTold("burn", 0)
	_, err = far.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, a.CollectLink(), false)
	vaulttest.Want(t, "CloseByLink()", err, nil)
	wantTold("close", 0)
}

// The account is mailed when an answer comes, if it chose that, and not when it is opened.
// Those who have the link see its address, if it chose that.
func TestMailAndAddress(t *testing.T) {
	t.Parallel()
	var mails []outbox.Mail
	m := vaulttest.NewMember(t, vaulttest.Options{Send: func(_ context.Context, mail outbox.Mail) error {
		mails = append(mails, mail)
		return nil
	}})
	c := m.MustEnter(t)
	_, err := m.Vault.Accounts.UpdateNotifications(t.Context(), c, true)
	vaulttest.Want(t, "UpdateNotifications()", err, nil)
	quiet := m.MustAsk(t, c, 3)
	vaulttest.Want(t, "address", mustGet(t, m.Kit, quiet).Address, "")
	m.MustAnswer(t, vaulttest.Caller(2), quiet, vaulttest.Plaintext)
	a, terms := vaulttest.AskTerms(t, m.Kit, 3)
	terms.Notifies, terms.ShowsAddress = true, true
	m.MustAskWith(t, c, a, terms)
	vaulttest.Want(t, "address", mustGet(t, m.Kit, a).Address, vaulttest.MemberAddress)
	made := m.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	_, err = m.SendAnswer(t, vaulttest.Caller(2), a, made)
	vaulttest.Want(t, "AnswerRequest(again)", err, nil)
	_, err = m.OpenAnswer(t, c, a, m.MustCollect(t, c, a).Answers[0], "")
	vaulttest.Want(t, "OpenAnswer()", err, nil)
	vaulttest.MustPost(t, m.Kit)
	vaulttest.Want(t, "mails", len(mails), 1)
	vaulttest.Want(t, "kind", mails[0].Kind, outbox.MailAnswered)
	vaulttest.Want(t, "to", mails[0].To, vaulttest.MemberAddress)
	vaulttest.Want(t, "link", string(mails[0].Key)+mails[0].Shortkey, "")
	owner, err := m.Vault.Accounts.GetAccount(t.Context(), c)
	vaulttest.Want(t, "GetAccount()", err, nil)
	vaulttest.Want(t, "tally of the account", owner.Tally, account.Tally{})
}

// What an answer counts for besides its content covers what its row takes.
func TestRowBytes(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a := k.MustAsk(t, caller.Caller{}, 1)
	made := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	ref := answer.Ref{Request: a.Key.RowKey(seal.KindRequest), Number: made.Number}
	size := len(ref.Key()) + len(vaulttest.Get(t, k.Store, answer.BucketAnswer, ref.Key()))
	const answerParts = 22 + 16 + 32 // of the secret's own row
	if size += answerParts; size > answer.RowBytes || size < answer.RowBytes/2 {
		t.Errorf("row of an answer: got %d bytes, want %d at most, and not much less", size, answer.RowBytes)
	}
}

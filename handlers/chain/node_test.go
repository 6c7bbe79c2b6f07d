package chain_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"connectrpc.com/connect"

	"hush/handlers"
	"hush/storage"
	"hush/vault/vaulttest"
)

// nodeAPIs returns the APIs of several nodes of one store with rate limits.
func nodeAPIs(t *testing.T, number int, opts vaulttest.Options) []*handlers.API {
	t.Helper()
	c, apis := vaulttest.NewCluster(t), make([]*handlers.API, number)
	opts.Manual = true
	for i := range apis {
		k := c.Node(t, string(rune('a'+i)), opts)
		apis[i], _ = newAPI(t, func(o *handlers.Options) { o.RateLimits, o.Vault, o.Now = true, k.Vault, k.Clock.Now })
	}
	return apis
}

// admitted returns how many of some calls the gates of nodes admit in turn, and
// the code of the last refusal.
func admitted(t *testing.T, apis []*handlers.API, procedure string, calls int) (n int, last connect.Code) {
	t.Helper()
	for i := range calls {
		api := apis[i%len(apis)]
		inside(t, api, nil, func(ctx context.Context, header http.Header) {
			err := api.Gate(ctx, header, procedure)
			if err == nil {
				n++
				return
			}
			last = codeOf(err)
		})
	}
	return n, last
}

// The attack: guess passwords, mailed links and addresses at every node behind
// the balancer, for the tries of each.
func TestNodesShareSmallLimits(t *testing.T) {
	t.Parallel()
	apis := nodeAPIs(t, 3, vaulttest.Options{})
	for procedure, want := range map[string]int{
		"/hush.v1.SessionService/CreateSession":        30,
		"/hush.v1.AccountService/CreateAccount":        10,
		"/hush.v1.AccountService/RequestPasswordReset": 10,
	} {
		if got, last := admitted(t, apis, procedure, 3*want); got != want || last != connect.CodeResourceExhausted {
			t.Errorf("%s at three nodes: got %d calls admitted and then %v, want %d and %v", procedure, got, last, want, connect.CodeResourceExhausted)
		}
	}
	// What bounds load is per node.
	if got, _ := admitted(t, apis, "/hush.v1.SecretService/GetSecret", 3*1000+3); got != 3*1000 {
		t.Errorf("GetSecret at three nodes: got %d calls admitted, want %d", got, 3*1000)
	}
}

// A node that does not reach the store admits nothing that the store counts.
func TestGateWithoutItsStore(t *testing.T) {
	t.Parallel()
	var store *vaulttest.FaultyStore
	apis := nodeAPIs(t, 1, vaulttest.Options{WrapStore: func(s storage.Store) storage.Store {
		store = &vaulttest.FaultyStore{Store: s}
		return store
	}})
	store.Before.Store(new(errors.Join(storage.ErrFull)))
	defer store.Before.Store(nil)
	if got, last := admitted(t, apis, "/hush.v1.SessionService/CreateSession", 3); got != 0 || last != connect.CodeUnavailable {
		t.Errorf("CreateSession without the store: got %d calls admitted and then %v, want 0 and %v", got, last, connect.CodeUnavailable)
	}
}

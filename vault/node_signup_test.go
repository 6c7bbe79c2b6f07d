package vault_test

import (
	"context"
	"testing"

	"hush/vault/caller"
	"hush/vault/counter"
	"hush/vault/outbox"
	"hush/vault/rows"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// A sign-up, whose transaction is padded, counts on its own node as all else
// does. On the row of the first node all nodes would wait for each other.
func TestSignUpsCountOnTheirNode(t *testing.T) {
	t.Parallel()
	c := vaulttest.NewCluster(t)
	opts := vaulttest.Options{
		Manual: true, Policy: caller.Policy{SignUp: caller.SignUpOpen},
		Send: func(context.Context, outbox.Mail) error { return nil },
	}
	c.Node(t, "a", opts)
	b := c.Node(t, "b", opts)
	host := b.MustAccount(t, "host@example.com")
	ofNode := func(name string) string {
		return string(vaulttest.Get(t, c.Store, rows.BucketSystem, []byte(counter.SystemCounts+name)))
	}
	first, second := ofNode(""), ofNode(" 0001")
	_, err := b.Vault.SignUps.CreateAccount(t.Context(), host, signup.NewAccount{Address: "new@example.com", Password: vaulttest.Password})
	vaulttest.Want(t, "CreateAccount()", err, nil)
	vaulttest.Want(t, "counters of node 0", ofNode(""), first)
	vaulttest.Want(t, "counters of node 1 changed", ofNode(" 0001") != second, true)
}

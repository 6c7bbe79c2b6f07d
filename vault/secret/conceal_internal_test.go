package secret

import (
	"testing"

	"hush/seal"
)

// Without a cost, which only tests give, a passphrase costs what package seal says.
func TestPassphraseCost(t *testing.T) {
	t.Parallel()
	cheap := seal.PassphraseParams{MemoryKiB: 64, Time: 1, Threads: 1}
	for _, c := range []struct{ cost, want seal.PassphraseParams }{
		{seal.PassphraseParams{}, seal.NewPassphraseParams()},
		{cheap, cheap},
	} {
		se := New(Options{Keys: seal.NewKeys(seal.NewRootKey()), Cost: c.cost}).Secrets
		got, next := se.newPassphraseParams(), se.newPassphraseParams()
		if got.Salt == next.Salt || got.Salt == (seal.PassphraseParams{}).Salt {
			t.Errorf("newPassphraseParams(): got the salts %x and %x, want two fresh ones", got.Salt, next.Salt)
		}
		want := c.want
		want.Salt = got.Salt
		if got != want {
			t.Errorf("newPassphraseParams() of cost %+v: got %+v, want %+v", c.cost, got, want)
		}
	}
}

package vaulttest

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"hush/seal"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
)

// Caller returns an anonymous caller on the network of that number: an IPv4
// address of the range for benchmarks, 198.18.0.0/15. Equal numbers below
// 131,072 are one network.
func Caller(number int) caller.Caller {
	base := netip.MustParseAddr("198.18.0.0").As4()
	at := binary.BigEndian.Uint32(base[:]) + uint32(number)%(1<<17)
	return caller.Caller{Network: caller.NetworkOf(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, at))))}
}

// WithAccount returns c with the credential of an account that is not stored.
// Its address and its id derive from name.
func WithAccount(c caller.Caller, name string) caller.Caller {
	v := caller.Verified{Address: name, Scopes: caller.ScopesAll}
	copy(v.ID[:], name)
	return caller.WithCredential(c, &v)
}

// MustStoredAccount is WithAccount for an account that is stored, without
// sessions, tokens or keys. Equal names are one account.
func (k *Kit) MustStoredAccount(t testing.TB, c caller.Caller, name string) caller.Caller {
	t.Helper()
	c = WithAccount(c, name)
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error {
		if _, err := account.UsableAccount(tx, c.AccountID()); err == nil {
			return nil
		}
		return account.PutAccount(tx, c.AccountID(), &account.Record{
			Created: k.Clock.Now(), Role: account.RoleCustomer, Proof: account.ProofOperator,
		})
	}))
	if err != nil {
		t.Fatalf("PutAccount(%q): got %v, want nil", name, err)
	}
	return c
}

// MustConceal conceals text and returns the sender's result.
func (k *Kit) MustConceal(t testing.TB, c caller.Caller, text caller.Text, terms secret.Terms) secret.Concealed {
	t.Helper()
	concealed, err := k.Vault.Secrets.ConcealSecret(t.Context(), c, text, terms)
	if err != nil {
		t.Fatalf("ConcealSecret(%d bytes): got %v, want nil", len(text), err)
	}
	return concealed
}

// MustReveal reveals a secret and returns its value.
func (k *Kit) MustReveal(t testing.TB, c caller.Caller, key seal.Token, passphrase caller.Text) string {
	t.Helper()
	revealed, err := k.Vault.Secrets.RevealSecret(t.Context(), c, key.Expose(), secret.Opening{Passphrase: passphrase})
	if err != nil {
		t.Fatalf("RevealSecret(key): got %v, want nil", err)
	}
	return string(revealed.Value)
}

// MustBurn burns the secret of a receipt and returns the receipt.
func (k *Kit) MustBurn(t testing.TB, c caller.Caller, key seal.Token, passphrase caller.Text) receipt.Metadata {
	t.Helper()
	metadata, err := k.Vault.Burns.BurnGuarded(t.Context(), c, key.Expose(), passphrase)
	if err != nil {
		t.Fatalf("BurnGuarded(key): got %v, want nil", err)
	}
	return metadata
}

// MustMetadata fetches a receipt, which the first call moves to viewed.
func (k *Kit) MustMetadata(t testing.TB, c caller.Caller, key seal.Token) receipt.Metadata {
	t.Helper()
	metadata, err := k.Vault.Receipts.GetMetadata(t.Context(), c, key.Expose())
	if err != nil {
		t.Fatalf("GetMetadata(key): got %v, want nil", err)
	}
	return metadata
}

// MustSweep runs the sweeper once.
func (k *Kit) MustSweep(t testing.TB) {
	t.Helper()
	if _, err := k.Vault.Sweep(t.Context()); err != nil {
		t.Fatalf("Sweep(): got %v, want nil", err)
	}
}

// MustReclaim runs the background pass and returns how many slots it freed. The
// kit must be Manual: otherwise the vault runs the pass itself, and two must
// not run at a time.
func (k *Kit) MustReclaim(t testing.TB) int {
	t.Helper()
	freed, err := k.Vault.Sweeper.Reclaim(t.Context())
	if err != nil {
		t.Fatalf("Reclaim(): got %v, want nil", err)
	}
	return freed
}

// MustLiveBytes returns the bytes of live secrets.
func (k *Kit) MustLiveBytes(t testing.TB) int64 {
	t.Helper()
	bytes, err := k.Vault.Usage.LiveBytes(t.Context())
	Want(t, "LiveBytes()", err, nil)
	return bytes
}

// Password is that of the accounts that the kits create.
const Password = "correct horse battery"

// MustCreate creates an account like the operator does.
func (k *Kit) MustCreate(t testing.TB, a signup.OperatorAccount) account.Account {
	t.Helper()
	made, err := k.Vault.Operator().SignUps.CreateAccount(t.Context(), a)
	if err != nil {
		t.Fatalf("Operator.CreateAccount(address): got %v, want nil", err)
	}
	return made
}

// MustAccount creates an account like the operator does and signs in to it.
func (k *Kit) MustAccount(t testing.TB, address caller.Text) caller.Caller {
	t.Helper()
	k.MustCreate(t, signup.OperatorAccount{Address: address, Password: Password})
	return k.MustSignIn(t, address, Password)
}

// MustSignIn signs in and returns the session's caller.
func (k *Kit) MustSignIn(t testing.TB, address, password caller.Text) caller.Caller {
	t.Helper()
	in, err := k.Vault.Sessions.CreateSession(t.Context(), Caller(1), address, password, false)
	if err != nil {
		t.Fatalf("CreateSession(address): got %v, want nil", err)
	}
	return k.MustAuthenticate(t, BySession(in.Cookie))
}

// MustAuthenticate returns the caller of a credential.
func (k *Kit) MustAuthenticate(t testing.TB, credential session.Credential) caller.Caller {
	t.Helper()
	c, err := k.Vault.Sessions.Authenticate(t.Context(), Caller(1).Network, credential)
	if err != nil {
		t.Fatalf("Authenticate(credential): got %v, want nil", err)
	}
	return c
}

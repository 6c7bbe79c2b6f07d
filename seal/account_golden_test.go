package seal_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
)

// accountVectors pin version 1 of what accounts are stored with. As vectors,
// they were computed by another implementation, HPKE included.
type accountVectors struct {
	Root             hexBytes
	Token            string
	Rows             map[string]hexBytes
	Address          string
	AddressID        hexBytes `json:"address_id"`
	ChallengeKey     string   `json:"challenge_key"`
	Label            string
	Row              hexBytes
	Plaintext        string
	FieldSealed      hexBytes `json:"field_sealed"`
	Share            hexBytes
	MailSealed       hexBytes `json:"mail_sealed"`
	Session          string
	SessionRow       hexBytes `json:"session_row"`
	Shrimp           string
	APIToken         string   `json:"api_token"`
	APITokenRow      hexBytes `json:"api_token_row"`
	Password         string
	Salt             hexBytes
	PasswordVerifier hexBytes            `json:"password_verifier"`
	PasswordKeyed    hexBytes            `json:"password_keyed"` // since version 2 of accounts
	AccountPublic    hexBytes            `json:"account_public"`
	WrapLabel        hexBytes            `json:"wrap_label"`
	Wrapped          map[string]hexBytes // by the kind of holder
	EntryRow         hexBytes            `json:"entry_row"`
	EntrySealed      hexBytes            `json:"entry_sealed"`
}

func readAccountVectors(t testing.TB) accountVectors {
	t.Helper()
	text, err := os.ReadFile("testdata/account-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var v accountVectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v accountVectors) keys() *seal.Keys { return seal.NewKeys(seal.RootKeyOf([32]byte(v.Root))) }

func TestGoldenAccountDerivations(t *testing.T) {
	v := readAccountVectors(t)
	keys, session := v.keys(), mustSession(v.Session)
	address, sessionRow, tokenRow := keys.AddressID(v.Address), session.Row(), mustAPIToken(v.APIToken).Row()
	for call, c := range map[string]struct{ got, want []byte }{
		"AddressID(address)": {address[:], v.AddressID},
		"ChallengeKey()":     {[]byte(keys.ChallengeKey()), []byte(v.ChallengeKey)},
		"Shrimp(session)":    {[]byte(keys.Shrimp(session)), []byte(v.Shrimp)},
		"SessionID.Row()":    {sessionRow[:], v.SessionRow},
		"APIToken.Row()":     {tokenRow[:], v.APITokenRow},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: got %x, want %x", call, c.got, c.want)
		}
	}
}

func TestGoldenKindsOfLinks(t *testing.T) {
	v := readAccountVectors(t)
	got := map[string]hexBytes{}
	for name, kind := range map[string]seal.TokenKind{
		"verify": seal.KindVerify, "reset": seal.KindReset, "address": seal.KindAddress, "invite": seal.KindInvite,
	} {
		row := mustToken(v.Token).RowKey(kind)
		got[name] = row[:]
	}
	if diff := cmp.Diff(v.Rows, got); diff != "" {
		t.Errorf("RowKey(kinds of links): (-want +got)\n%s", diff)
	}
}

func TestGoldenFields(t *testing.T) {
	v := readAccountVectors(t)
	got, err := v.keys().OpenField(v.Label, v.Row, v.FieldSealed)
	if err != nil || string(got) != v.Plaintext {
		t.Errorf("OpenField(vector): got %q, %v, want %q", got, err, v.Plaintext)
	}
	got, err = v.keys().OpenMail([32]byte(v.Share), v.Row, v.MailSealed)
	if err != nil || string(got) != v.Plaintext {
		t.Errorf("OpenMail(vector): got %q, %v, want %q", got, err, v.Plaintext)
	}
}

// The password is hashed at the cost that accounts really have.
func TestGoldenAccountKey(t *testing.T) {
	v := readAccountVectors(t)
	params := seal.NewPasswordParams()
	params.Salt = [16]byte(v.Salt)
	hash := params.Hash(v.Password)
	if !hash.MatchesUnkeyed([32]byte(v.PasswordVerifier)) {
		t.Error("MatchesUnkeyed(vector): got false, want true")
	}
	if got := verifierOf(v.keys(), hash); got != [32]byte(v.PasswordKeyed) {
		t.Errorf("PasswordVerifier(hash): got %x, want %x", got, v.PasswordKeyed)
	}
	for kind, holder := range map[string]seal.WrappingSecret{
		"password":  hash.WrappingSecret(),
		"api_token": mustAPIToken(v.APIToken).WrappingSecret(),
		"session":   mustSession(v.Session).WrappingSecret(),
	} {
		key, err := v.keys().UnwrapAccountKey(holder, v.WrapLabel, v.Wrapped[kind])
		wantKey(t, "UnwrapAccountKey("+kind+")", key, err, seal.AccountPublic(v.AccountPublic))
	}
}

func TestGoldenEntry(t *testing.T) {
	v := readAccountVectors(t)
	key, err := v.keys().UnwrapAccountKey(mustSession(v.Session).WrappingSecret(), v.WrapLabel, v.Wrapped["session"])
	if err != nil {
		t.Fatalf("UnwrapAccountKey(session): got %v, want a key", err)
	}
	got, err := key.OpenEntry(seal.RowKey(v.EntryRow), v.EntrySealed)
	if err != nil || got != mustToken(v.Token) {
		t.Errorf("OpenEntry(vector): got the token: %v, %v, want it", got == mustToken(v.Token), err)
	}
}

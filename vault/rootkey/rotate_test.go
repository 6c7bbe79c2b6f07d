package rootkey_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/seal"
	"hush/vault"
	"hush/vault/account"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/credential"
	"hush/vault/feedback"
	"hush/vault/keylist"
	"hush/vault/refusal"
	"hush/vault/rootkey"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/signup"
	"hush/vault/vaulttest"
)

// keyFile is a root key file.
type keyFile struct {
	roots    []seal.RootKey
	operator bool // who writes it
	fault    error
	plug     *plug // nil for none
}

func (f *keyFile) Reload(keys *seal.Keys) (kids [][4]byte, err error) {
	if f.fault != nil {
		return nil, f.fault
	}
	for _, root := range f.roots {
		keys.Ring().Add(root, make([]byte, seal.KeysSize))
		kids = append(kids, root.KID())
	}
	return kids, nil
}

func (f *keyFile) Refresh(keys *seal.Keys) { _, _ = f.Reload(keys) }

func (f *keyFile) Create(keys *seal.Keys) error {
	if f.operator {
		return errors.New("add a key first")
	}
	root := seal.NewRootKey()
	return f.plug.step("file", func() error {
		f.roots = append([]seal.RootKey{root}, f.roots...)
		_, err := f.Reload(keys)
		return err
	})
}

func (f *keyFile) Remove(kid [4]byte) (bool, error) {
	if f.operator || f.fault != nil {
		return false, f.fault
	}
	return true, f.plug.step("file", func() error {
		f.roots = slices.DeleteFunc(slices.Clone(f.roots), func(r seal.RootKey) bool { return r.KID() == kid })
		return nil
	})
}

func (f *keyFile) keys() *seal.Keys {
	return seal.NewKeySet(f.roots, make([]byte, seal.KeySetSize(len(f.roots))))
}

// site is a vault with a root key file and one of everything that a root key made.
type site struct {
	*vaulttest.Member
	file *keyFile

	used, idle         session.SignedIn
	usedToken, unused  seal.APIToken
	live, locked, kept secret.Concealed
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteIn(t, vaulttest.Options{})
}

func newSiteIn(t *testing.T, opts vaulttest.Options) *site {
	t.Helper()
	root := seal.NewRootKey()
	file := &keyFile{roots: []seal.RootKey{root}}
	opts.RootKey, opts.KeyFile = &root, file
	s := &site{file: file, Member: vaulttest.NewMember(t, opts)}
	s.used, s.idle = s.SignIn(t, true), s.SignIn(t, true)
	c := s.MustAuthenticate(t, vaulttest.BySession(s.used.Cookie))
	s.usedToken = s.MustToken(t, c, credential.NewToken{Name: "used", Scopes: caller.ScopesAll})
	s.unused = s.MustToken(t, c, credential.NewToken{Name: "unused", Scopes: caller.ScopesAll})
	s.live = s.MustConceal(t, caller.Caller{}, "live", secret.Terms{})
	s.locked = s.MustConceal(t, caller.Caller{}, "locked", secret.Terms{Passphrase: vaulttest.Passphrase})
	s.kept = s.MustConceal(t, c, "kept", secret.Terms{})
	s.memo(t, c)
	vaulttest.MustFeedback(t, s.Kit, c, "feedback-canary")
	vaulttest.MustException(t, s.Kit, caller.Caller{}, feedback.Exception{Message: "exception-canary"})
	s.guess(t, 4)
	return s
}

func (s *site) memo(t *testing.T, c caller.Caller) {
	t.Helper()
	_, err := s.Vault.Receipts.UpdateMemo(t.Context(), c, s.kept.Metadata.Key.Expose(), "memo-canary")
	vaulttest.Want(t, "UpdateMemo()", err, nil)
}

// guess tries a wrong passphrase, and wants that many tries left.
func (s *site) guess(t *testing.T, left int) {
	t.Helper()
	err := vaulttest.RevealErr(t, s.Kit, vaulttest.Caller(66), s.locked.Secret.Key.Expose(), "guess")
	vaulttest.WantPassphrase(t, "RevealSecret(locked, guess)", err, &refusal.PassphraseError{TriesLeft: left})
}

func (s *site) rotate(t *testing.T) (kid [4]byte) {
	t.Helper()
	kid, err := s.Vault.RootKeys.Rotate(t.Context(), "")
	if err != nil {
		t.Fatalf("Rotate(): got %v, want nil", err)
	}
	vaulttest.Want(t, "KID() after Rotate()", s.Keys.KID(), kid)
	vaulttest.Want(t, "Beat()", s.Vault.Beat(t.Context()), nil)
	return kid
}

// restart opens the store with what the file has now.
func (s *site) restart(t *testing.T) {
	t.Helper()
	s.Keys = s.file.keys()
	s.Reopen(t)
}

func (s *site) retireErr(t *testing.T, kid [4]byte) string {
	t.Helper()
	_, err := s.Vault.RootKeys.Retire(t.Context(), hexOf(kid))
	if _, refused := errors.AsType[*rootkey.RefusedError](err); !refused {
		t.Fatalf("Retire(%x): got %v, want a refusal", kid, err)
	}
	return err.Error()
}

func hexOf(kid [4]byte) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for _, b := range kid {
		text.WriteByte(digits[b>>4])
		text.WriteByte(digits[b&15])
	}
	return text.String()
}

// uses returns what depends on a root key.
func (s *site) uses(t *testing.T, kid [4]byte) map[keylist.SealedKind]int {
	t.Helper()
	list, err := s.Vault.RootKeys.List(t.Context())
	vaulttest.Want(t, "List()", err, nil)
	for _, k := range list.Keys {
		if k.KID == kid {
			return k.Uses
		}
	}
	t.Fatalf("List(): got no key %x, want it listed", kid)
	return nil
}

func (s *site) wantUses(t *testing.T, kid [4]byte, want map[keylist.SealedKind]int) {
	t.Helper()
	got := s.uses(t, kid)
	delete(got, keylist.SealedEpochs) // only where shares are masked
	for kind, n := range want {
		vaulttest.Want(t, "uses of "+hexOf(kid)+": "+string(kind), got[kind], n)
	}
	vaulttest.Want(t, "kinds of uses of "+hexOf(kid), len(got), len(want))
}

// The whole life of a root key: everything works after a rotation, also after a
// restart; what can move moves; the old key is retired once nothing needs it, and
// opens nothing any more.
func TestRotateAndRetire(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.Keys.KID()
	s.wantUses(t, old, map[keylist.SealedKind]int{
		keylist.SealedSecrets: 3, keylist.SealedReceipts: 3, keylist.SealedFields: 3, keylist.SealedPasswords: 1, keylist.SealedPairs: 1,
		keylist.SealedTokens: 2, keylist.SealedSessions: 2,
	})
	next := s.rotate(t)
	vaulttest.Want(t, "keys in the file", len(s.file.roots), 2)
	s.guess(t, 3) // the counters of tries go on
	s.restart(t)
	s.guess(t, 2)
	s.wantEverything(t)
	vaulttest.Want(t, "Reseal()", s.Vault.RootKeys.Reseal(t.Context()), nil)
	s.restart(t)
	s.wantAccount(t)
	s.wantUses(t, old, map[keylist.SealedKind]int{
		keylist.SealedSecrets: 2, keylist.SealedReceipts: 2, keylist.SealedTokens: 1, keylist.SealedSessions: 1,
	})
	s.Clock.Advance(time.Hour)
	if text := s.retireErr(t, old); !strings.Contains(text, "secrets (2,") || !strings.Contains(text, "API tokens (1,") {
		t.Errorf("Retire(old key): got %q, want what depends on it", text)
	}
	s.endOld(t)
	s.wantUses(t, old, nil)
	removed, err := s.Vault.RootKeys.Retire(t.Context(), hexOf(old))
	vaulttest.Want(t, "Retire(old key)", err, nil)
	vaulttest.Want(t, "Retire(old key) removed it", removed, true)
	s.wantAudited(t, "root-key-rotated "+hexOf(next), "root-key-retired "+hexOf(old))
	s.wantOldKeyUseless(t, next)
}

// A request goes on after a rotation. What its collect link opens is sealed anew when that
// is used; what a repeat of an answer opens is not, and keeps the old key needed until the
// request is forgotten.
func TestRotateWithRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	c := s.MustAuthenticate(t, vaulttest.BySession(s.used.Cookie))
	a := s.MustAsk(t, c, 3)
	made := s.MustAnswer(t, vaulttest.Caller(2), a, "of before")
	old := s.Keys.KID()
	vaulttest.Want(t, "uses of the old key", s.uses(t, old)[keylist.SealedRequests], 2)
	next := s.rotate(t)
	vaulttest.Want(t, "Reseal()", s.Vault.RootKeys.Reseal(t.Context()), nil)
	vaulttest.Want(t, "uses of the old key before the link is used", s.uses(t, old)[keylist.SealedRequests], 2)
	s.MustAnswer(t, vaulttest.Caller(2), a, "of after")
	for range 2 {
		got := s.MustCollect(t, c, a)
		vaulttest.Want(t, "answers", len(got.Answers), 2)
		vaulttest.Want(t, "uses of the old key", s.uses(t, old)[keylist.SealedRequests], 1)
		vaulttest.Want(t, "uses of the new key", s.uses(t, next)[keylist.SealedRequests], 2)
		s.restart(t)
	}
	m, err := s.SendAnswer(t, vaulttest.Caller(2), a, made)
	vaulttest.Want(t, "AnswerRequest(again)", err, nil)
	vaulttest.Want(t, "receipt of the repeat", m.Key, made.Metadata.Key)
	for i, want := range []string{"of before", "of after"} {
		text, err := s.OpenAnswer(t, c, a, s.MustCollect(t, c, a).Answers[i], "")
		vaulttest.Want(t, "OpenAnswer()", err, nil)
		vaulttest.Want(t, "OpenAnswer()", text, want)
	}
	s.Pass(t, 9*24*time.Hour)
	vaulttest.Want(t, "uses of the old key in the end", s.uses(t, old)[keylist.SealedRequests], 0)
}

// wantAudited compares the rows of the audit trail about root keys.
func (s *site) wantAudited(t *testing.T, want ...string) {
	t.Helper()
	filter := audit.Filter{Kinds: []audit.Type{audit.KeyRotated, audit.KeyRetired}}
	page, err := s.Vault.Operator().Audit.Page(t.Context(), filter, "")
	vaulttest.Want(t, "Page()", err, nil)
	var got []string
	for _, row := range page.Rows {
		subject, _ := row.SubjectText()
		got = append(got, row.Kind.String()+" "+subject)
	}
	if !slices.Equal(got, want) {
		t.Errorf("audit rows about root keys: got %q, want %q", got, want)
	}
}

// wantEverything uses what the first root key made.
func (s *site) wantEverything(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "RevealSecret(live)", s.MustReveal(t, caller.Caller{}, s.live.Secret.Key, ""), "live")
	fresh := s.MustConceal(t, caller.Caller{}, "fresh", secret.Terms{})
	vaulttest.Want(t, "RevealSecret(fresh)", s.MustReveal(t, caller.Caller{}, fresh.Secret.Key, ""), "fresh")
	s.wantAccount(t)
	_, err := s.Vault.Operator().SignUps.CreateAccount(t.Context(), signup.OperatorAccount{Address: vaulttest.MemberAddress, Password: vaulttest.Password})
	vaulttest.WantErr(t, "CreateAccount(address of before)", err, refusal.ErrDuplicate)
}

// wantAccount signs in, and uses the session and token of before.
func (s *site) wantAccount(t *testing.T) {
	t.Helper()
	vaulttest.Want(t, "shrimp", s.MustAuthenticate(t, vaulttest.BySession(s.used.Cookie)).Shrimp(), s.used.Shrimp)
	for _, cred := range []session.Credential{vaulttest.BySession(s.used.Cookie), vaulttest.ByToken(s.usedToken), vaulttest.BySession(s.SignIn(t, false).Cookie)} {
		c := s.MustAuthenticate(t, cred)
		vaulttest.Want(t, "Address()", c.Address(), vaulttest.MemberAddress)
		s.WantList(t, c, 1, 0)
		vaulttest.Want(t, "memo", string(s.MustMetadata(t, c, s.kept.Metadata.Key).Memo), "memo-canary")
	}
}

// endOld ends what only people or time end.
func (s *site) endOld(t *testing.T) {
	t.Helper()
	c := s.MustAuthenticate(t, vaulttest.ByToken(s.unused))
	vaulttest.Want(t, "Address() of the token used at last", c.Address(), vaulttest.MemberAddress)
	s.MustAuthenticate(t, vaulttest.BySession(s.idle.Cookie))
	s.Pass(t, 31*24*time.Hour)
}

// The attack: the thief has the root key that was retired, and the store of now.
func (s *site) wantOldKeyUseless(t *testing.T, next [4]byte) {
	t.Helper()
	vaulttest.Want(t, "keys in the file", len(s.file.roots), 1)
	s.restart(t)
	vaulttest.Want(t, "KID() without the old key", s.Keys.KID(), next)
	c := s.MustAuthenticate(t, vaulttest.ByToken(s.usedToken))
	vaulttest.Want(t, "Address() without the old key", c.Address(), vaulttest.MemberAddress)
	s.SignIn(t, false)
	opts := s.VaultOptions()
	opts.Keys = seal.NewKeys(s.RootKey)
	_, err := vault.Open(t.Context(), opts)
	vaulttest.WantErr(t, "Open(old root key)", err, seal.ErrWrongRootKey)
	for key, value := range s.RowsOf(t, account.BucketAccount) {
		r, err := account.DecodeAccount(value)
		vaulttest.Want(t, "DecodeAccount()", err, nil)
		got := opts.Keys.PasswordMatches(r.Password.Params.Hash(vaulttest.Password), r.Password.Verifier, s.RootKey.KID())
		vaulttest.Want(t, "password of "+hexOf([4]byte([]byte(key))), got, false)
	}
}

// A rotation needs a key in the file of an operator, and names it if there are
// several. Each refusal changes nothing.
func TestRotateWithTheOperatorsFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.file.operator = true
	old := s.Keys.KID()
	refused := func(want string) {
		t.Helper()
		_, err := s.Vault.RootKeys.Rotate(t.Context(), "")
		if _, ok := errors.AsType[*rootkey.RefusedError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("Rotate(): got %v, want a refusal with %q", err, want)
		}
		vaulttest.Want(t, "KID() after a refusal", s.Keys.KID(), old)
	}
	refused("add a key first")
	s.file.fault = errors.New("not readable")
	refused("not readable")
	s.file.roots = append(s.file.roots, seal.NewRootKey(), seal.NewRootKey())
	s.file.fault = nil
	refused(hexOf(s.file.roots[2].KID()))
	s.file.fault = errors.New("not readable") // the start has read it
	kid, err := s.Vault.RootKeys.Rotate(t.Context(), hexOf(s.file.roots[1].KID()))
	vaulttest.Want(t, "Rotate(named key)", err, nil)
	vaulttest.Want(t, "Rotate(named key)", kid, s.file.roots[1].KID())
	s.Clock.Advance(time.Hour)
	for name, want := range map[string]string{
		hexOf(kid): "is the current one", hexOf(s.file.roots[2].KID()): "does not list", "xyz": "is not the name of a root key",
	} {
		_, err := s.Vault.RootKeys.Retire(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Retire(%q): got %v, want %q", name, err, want)
		}
	}
}

// A key that is given where its name belongs is not repeated.
func TestKeysAreNotRepeated(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.file.roots = append(s.file.roots, seal.NewRootKey())
	text := strings.TrimSpace(string(s.file.roots[0].Text()))
	_, rotated := s.Vault.RootKeys.Rotate(t.Context(), text)
	_, retired := s.Vault.RootKeys.Retire(t.Context(), text)
	for name, err := range map[string]error{"Rotate": rotated, "Retire": retired} {
		if err == nil || !strings.Contains(err.Error(), "is not the name of a root key") || strings.Contains(err.Error(), text) {
			t.Errorf("%s(a root key): got %v, want an error without it", name, err)
		}
	}
}

// A key is not retired while what began before the rotation may still use it.
func TestRetireWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.Keys.KID()
	s.rotate(t)
	if text := s.retireErr(t, old); !strings.Contains(text, "try again in 1m0s") {
		t.Errorf("Retire(at once): got %q, want a wait", text)
	}
}

// The file must have each key that is needed, in any order; the first start with
// fewer changes nothing.
func TestStartWithoutAnOldKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.RootKey
	s.rotate(t)
	opts := s.VaultOptions()
	opts.Keys = seal.NewKeys(s.file.roots[0])
	_, err := vault.Open(t.Context(), opts)
	missing, ok := errors.AsType[*keylist.MissingRootKeyError](err)
	if !ok || !slices.Equal(missing.KIDs, [][4]byte{old.KID()}) {
		t.Errorf("Open(without the old key): got %v, want that %x is missing", err, old.KID())
	}
	slices.Reverse(s.file.roots)
	s.restart(t)
	s.wantEverything(t)
}

// A pass that is interrupted leaves rows of both keys, which the next one finishes;
// a row that changed meanwhile keeps the change.
func TestResealResumes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 200 {
		s.AddAccount(t, caller.Text("person-"+hexOf([4]byte{byte(i)})+"@example.com"), vaulttest.Password)
	}
	old := s.Keys.KID()
	s.rotate(t)
	ctx := &endsAfter{Context: t.Context(), left: 3}
	if err := s.Vault.RootKeys.Reseal(ctx); err == nil {
		t.Fatal("Reseal(interrupted): got nil, want an error")
	}
	if left := s.uses(t, old)[keylist.SealedFields]; left == 0 || left > 203 {
		t.Fatalf("fields under the old key after an interruption: got %d, want some of 203", left)
	}
	s.restart(t)
	vaulttest.Want(t, "Reseal()", s.Vault.RootKeys.Reseal(t.Context()), nil)
	vaulttest.Want(t, "fields under the old key", s.uses(t, old)[keylist.SealedFields], 0)
	left, _ := s.Vault.RootKeys.Progress()
	vaulttest.Want(t, "rows left", left, 0)
	s.wantAccount(t)
}

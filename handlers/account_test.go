package handlers_test

import (
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/durationpb"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

func TestChangeAccountPasswordKeepsTheSession(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	other, _ := s.signIn(t, false)
	_, err := s.accounts(b).ChangeAccountPassword(t.Context(), &hushv1.ChangeAccountPasswordRequest{
		CurrentPassword: testPassword, NewPassword: "seventeen small elms",
	})
	if err != nil || len(b.set) != 0 {
		t.Fatalf("ChangeAccountPassword: got %v and the cookies %q, want neither", err, b.set)
	}
	if _, err := s.accounts(b).GetAccount(t.Context(), &hushv1.GetAccountRequest{}); err != nil {
		t.Errorf("GetAccount with the session that changed it: got %v, want no error", err)
	}
	_, err = s.accounts(other).GetAccount(t.Context(), &hushv1.GetAccountRequest{})
	if connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("GetAccount with another session: got %v, want unauthenticated", err)
	}
}

func TestDestroyAccountClearsTheCookie(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	_, err := s.accounts(b).DestroyAccount(t.Context(), &hushv1.DestroyAccountRequest{Confirmation: "wrong password"})
	if connect.CodeOf(err) != connect.CodePermissionDenied || len(b.set) != 0 {
		t.Errorf("DestroyAccount with a wrong password: got %v and the cookies %q, want permission denied and none", err, b.set)
	}
	if _, err := s.accounts(b).DestroyAccount(t.Context(), &hushv1.DestroyAccountRequest{Confirmation: testPassword}); err != nil {
		t.Fatalf("DestroyAccount: got %v, want no error", err)
	}
	if diff := cmp.Diff([]string{clearedCookie}, b.set); diff != "" {
		t.Errorf("DestroyAccount: Set-Cookie (-want +got):\n%s", diff)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, _ := s.signIn(t, false)
	for _, c := range []struct{ asked, now, before string }{{"pt-BR", "pt_BR", ""}, {"de", "de", "pt_BR"}} {
		res, err := s.accounts(b).UpdateLocale(t.Context(), &hushv1.UpdateLocaleRequest{Locale: c.asked})
		if err != nil || res.GetNewLocale() != c.now || res.GetOldLocale() != c.before {
			t.Errorf("UpdateLocale(%s): got %v %v, want %s after %q", c.asked, res, err, c.now, c.before)
		}
	}
	_, err := s.accounts(b).UpdateLocale(t.Context(), &hushv1.UpdateLocaleRequest{Locale: "tlh"})
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("UpdateLocale(tlh): got %v, want an invalid argument", err)
	}
	res, err := s.accounts(b).UpdateNotifications(t.Context(), &hushv1.UpdateNotificationsRequest{
		Notifications: &hushv1.Notifications{SecretOpened: true},
	})
	if err != nil || !res.GetAccount().GetNotifications().GetSecretOpened() || res.GetAccount().GetLocale() != "de" {
		t.Errorf("UpdateNotifications: got %v %v, want the account with both settings", res, err)
	}
}

func TestAPITokens(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ctx := t.Context()
	b, _ := s.signIn(t, false)
	made, err := s.accounts(b).GenerateApiToken(ctx, &hushv1.GenerateApiTokenRequest{
		Name: "ci", Ttl: durationpb.New(3600e9),
		Scopes: []hushv1.TokenScope{hushv1.TokenScope_TOKEN_SCOPE_METADATA, hushv1.TokenScope_TOKEN_SCOPE_CONCEAL},
	})
	if err != nil || len(made.GetToken()) != 40 {
		t.Fatalf("GenerateApiToken: got %v, want a token", err)
	}
	want := []hushv1.TokenScope{hushv1.TokenScope_TOKEN_SCOPE_CONCEAL, hushv1.TokenScope_TOKEN_SCOPE_METADATA}
	if diff := cmp.Diff(want, made.GetApiToken().GetScopes()); diff != "" {
		t.Errorf("GenerateApiToken: scopes (-want +got):\n%s", diff)
	}
	token := &browser{bearer: made.GetToken()}
	if _, err := s.sessions(token).Authcheck(ctx, &hushv1.AuthcheckRequest{}); err != nil {
		t.Errorf("Authcheck with the token: got %v, want no error", err)
	}
	if _, err := s.accounts(token).GetAccount(ctx, &hushv1.GetAccountRequest{}); reasonOf(t, err) != hushv1.Refusal_REASON_SCOPE {
		t.Errorf("GetAccount with the token: got %v, want it to lack the scope", err)
	}
	list, err := s.accounts(b).ListApiTokens(ctx, &hushv1.ListApiTokensRequest{})
	if err != nil || len(list.GetApiTokens()) != 1 || list.GetApiTokens()[0].GetName() != "ci" {
		t.Errorf("ListApiTokens: got %v %v, want ci", list, err)
	}
	if _, err := s.accounts(b).RevokeApiToken(ctx, &hushv1.RevokeApiTokenRequest{TokenId: made.GetApiToken().GetTokenId()}); err != nil {
		t.Errorf("RevokeApiToken: got %v, want no error", err)
	}
	if _, err := s.sessions(token).Authcheck(ctx, &hushv1.AuthcheckRequest{}); connect.CodeOf(err) != connect.CodeUnauthenticated {
		t.Errorf("Authcheck with a revoked token: got %v, want unauthenticated", err)
	}
}

func TestExportAccount(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	b, session := s.signIn(t, false)
	s.bearer(t, caller.ScopesAll)
	receipt := s.conceal(t, b)
	a, ask := s.askRequest(t, 2)
	asked, err := hushv1connect.NewRequestServiceClient(s.client(b), s.url).CreateRequest(t.Context(), ask)
	if err != nil {
		t.Fatalf("CreateRequest: got %v, want no error", err)
	}
	if _, err := hushv1connect.NewRequestServiceClient(s.client(&browser{}), s.url).AnswerRequest(t.Context(), sendAnswer(t, a, asked.GetRequestKey())); err != nil {
		t.Fatalf("AnswerRequest: got %v, want no error", err)
	}
	res, err := s.accounts(b).ExportAccount(t.Context(), &hushv1.ExportAccountRequest{})
	if err != nil {
		t.Fatalf("ExportAccount: got %v, want no error", err)
	}
	if got := res.GetAccount().GetAddress(); got != testAddress {
		t.Errorf("ExportAccount: got the account %s, want %s", got, testAddress)
	}
	if len(res.GetApiTokens()) != 1 || len(res.GetSessions()) != 1 || res.GetSessions()[0].GetSessionId() != session.GetSessionId() {
		t.Errorf("ExportAccount: got the tokens %v and sessions %v, want one of each", res.GetApiTokens(), res.GetSessions())
	}
	if len(res.GetMetadata()) != 1 || res.GetMetadata()[0].GetMetadataKey() != receipt.GetMetadataKey() || res.GetMetadata()[0].GetSecretKey() != "" {
		t.Errorf("ExportAccount: got the receipts %v, want one without its secret's key", res.GetMetadata())
	}
	if r := res.GetRequests(); len(r) != 1 || r[0].GetId() != asked.GetRequest().GetId() || r[0].GetAnswered() != 1 || r[0].GetWaiting() != 1 {
		t.Errorf("ExportAccount: got the requests %v, want one with an answer", r)
	}
	if said := res.String(); strings.Contains(said, asked.GetRequestKey()) || strings.Contains(said, asked.GetCollectKey()) {
		t.Errorf("ExportAccount: got a key of a request in %s, want none", said)
	}
	if res.GetSealedCount() != 0 {
		t.Errorf("ExportAccount: got %d sealed receipts, want 0", res.GetSealedCount())
	}
	// A token that the operator created opens only later entries.
	res, err = s.accounts(s.bearer(t, caller.ScopesAll)).ExportAccount(t.Context(), &hushv1.ExportAccountRequest{})
	if err != nil || len(res.GetMetadata()) != 0 || res.GetSealedCount() != 1 {
		t.Errorf("ExportAccount with a later token: got %d receipts, %d sealed, %v, want one sealed",
			len(res.GetMetadata()), res.GetSealedCount(), err)
	}
	burned, err := s.accounts(b).BurnAllSecrets(t.Context(), &hushv1.BurnAllSecretsRequest{})
	if err != nil || burned.GetBurned() != 1 {
		t.Errorf("BurnAllSecrets: got %v %v, want 1", burned, err)
	}
}

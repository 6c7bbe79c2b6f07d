package handlers_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/gen/hush/admin/v1/adminv1connect"
	hushv1 "hush/gen/hush/v1"
	"hush/handlers"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/request"
	"hush/vault/secret"
	"hush/vault/session"
	"hush/vault/vaulttest"
)

// newAdmin serves the operator's service of a new vault.
func newAdmin(t *testing.T) (adminv1connect.AdminServiceClient, *vaulttest.Kit) {
	t.Helper()
	kit := vaulttest.New(t, vaulttest.Options{Manual: true})
	return adminOf(t, kit), kit
}

// adminOf returns a client of the operator's service of a vault.
func adminOf(t *testing.T, kit *vaulttest.Kit) adminv1connect.AdminServiceClient {
	t.Helper()
	server := operatorServer(t, kit)
	return adminv1connect.NewAdminServiceClient(server.Client(), server.URL)
}

// operatorServer serves the operator's service over HTTP.
func operatorServer(t *testing.T, kit *vaulttest.Kit) *httptest.Server {
	t.Helper()
	path, handler := handlers.NewAdmin(kit.Vault, &url.URL{Scheme: "https", Host: "hush.example"}, slog.New(slog.DiscardHandler), handlers.Local{})
	if path != "/hush.admin.v1.AdminService/" {
		t.Fatalf("NewAdmin: got %q, want the service's path", path)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func TestAdminAccounts(t *testing.T) {
	t.Parallel()
	admin, _ := newAdmin(t)
	ctx := t.Context()
	made, err := admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{
		Address: " Ada@Example.com", Password: testPassword, Role: hushv1.Role_ROLE_COLONEL, Locale: "pt-br",
	})
	account := made.GetAccount()
	if err != nil || account.GetAddress() != testAddress || account.GetRole() != hushv1.Role_ROLE_COLONEL || account.GetLocale() != "pt_BR" {
		t.Fatalf("CreateAccount: got %v %v, want a colonel", made, err)
	}
	_, err = admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: testAddress})
	if connect.CodeOf(err) != connect.CodeAlreadyExists {
		t.Errorf("CreateAccount again: got %v, want that it exists", err)
	}
	second, err := admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: "bob@example.com"})
	if err != nil || second.GetAccount().GetRole() != hushv1.Role_ROLE_CUSTOMER {
		t.Errorf("CreateAccount without a role: got %v %v, want a customer", second, err)
	}
	page, err := admin.ListAccounts(ctx, &adminv1.ListAccountsRequest{PageSize: 1})
	if err != nil || len(page.GetAccounts()) != 1 || page.GetNextPageToken() == "" {
		t.Fatalf("ListAccounts: got %v %v, want one and a token", page, err)
	}
	rest, err := admin.ListAccounts(ctx, &adminv1.ListAccountsRequest{PageToken: page.GetNextPageToken()})
	if err != nil || len(rest.GetAccounts()) != 1 || rest.GetNextPageToken() != "" {
		t.Errorf("ListAccounts, second page: got %v %v, want one and no token", rest, err)
	}
	demoted, err := admin.SetRole(ctx, &adminv1.SetRoleRequest{Account: account.GetAccountId(), Role: hushv1.Role_ROLE_CUSTOMER})
	if err != nil || demoted.GetAccount().GetRole() != hushv1.Role_ROLE_CUSTOMER {
		t.Errorf("SetRole: got %v %v, want a customer", demoted, err)
	}
	for _, enable := range []bool{false, true} {
		res, err := admin.DisableAccount(ctx, &adminv1.DisableAccountRequest{Account: testAddress, Enable: enable})
		if err != nil || res.GetAccount().GetDisabled() == enable {
			t.Errorf("DisableAccount(enable: %t): got %v %v, want the opposite", enable, res, err)
		}
	}
	if _, err := admin.ResetPassword(ctx, &adminv1.ResetPasswordRequest{Account: testAddress, Password: "seventeen small elms"}); err != nil {
		t.Errorf("ResetPassword: got %v, want no error", err)
	}
	if _, err := admin.DestroyAccount(ctx, &adminv1.DestroyAccountRequest{Account: testAddress}); err != nil {
		t.Errorf("DestroyAccount: got %v, want no error", err)
	}
	_, err = admin.GetAccount(ctx, &adminv1.GetAccountRequest{Account: testAddress})
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("GetAccount of a destroyed one: got %v, want not found", err)
	}
}

func TestAdminTokens(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	ctx := t.Context()
	if _, err := admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: testAddress}); err != nil {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	made, err := admin.CreateToken(ctx, &adminv1.CreateTokenRequest{
		Account: testAddress, Name: "ci", Scopes: []hushv1.TokenScope{hushv1.TokenScope_TOKEN_SCOPE_CONCEAL}, Ttl: durationpb.New(3600e9),
	})
	if err != nil {
		t.Fatalf("CreateToken: got %v, want no error", err)
	}
	who, err := kit.Vault.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Token: caller.Text(made.GetToken())})
	if err != nil || who.Address() != testAddress || !who.May(caller.ScopeConceal) || who.May(caller.ScopeAccount) {
		t.Errorf("Authenticate with the token: got %v, want the account with one scope", err)
	}
	shown, err := admin.GetAccount(ctx, &adminv1.GetAccountRequest{Account: testAddress})
	if err != nil || len(shown.GetApiTokens()) != 1 || len(shown.GetSessions()) != 0 {
		t.Fatalf("GetAccount: got %v %v, want one token", shown, err)
	}
	list, err := admin.ListTokens(ctx, &adminv1.ListTokensRequest{Account: testAddress})
	if err != nil {
		t.Fatalf("ListTokens: got %v, want no error", err)
	}
	if diff := cmp.Diff(shown.GetApiTokens(), list.GetApiTokens(), protocmp.Transform()); diff != "" {
		t.Errorf("GetAccount and ListTokens differ:\n%s", diff)
	}
	ended, err := admin.RevokeToken(ctx, &adminv1.RevokeTokenRequest{Account: testAddress, Token: "ci"})
	if err != nil || ended.GetApiToken().GetTokenId() != made.GetApiToken().GetTokenId() {
		t.Errorf("RevokeToken: got %v %v, want the token", ended, err)
	}
	if _, err := kit.Vault.Sessions.Authenticate(ctx, caller.Network{}, session.Credential{Token: caller.Text(made.GetToken())}); err == nil {
		t.Error("Authenticate with a revoked token: got no error, want one")
	}
}

// A scope that this release does not know must not be ignored: a token without
// scopes has all of them.
func TestAdminRefusesUnknownScopes(t *testing.T) {
	t.Parallel()
	admin, _ := newAdmin(t)
	if _, err := admin.CreateAccount(t.Context(), &adminv1.CreateAccountRequest{Address: testAddress}); err != nil {
		t.Fatalf("CreateAccount: got %v, want no error", err)
	}
	for _, scope := range []hushv1.TokenScope{0, 6, -1} {
		_, err := admin.CreateToken(t.Context(), &adminv1.CreateTokenRequest{Account: testAddress, Scopes: []hushv1.TokenScope{scope}})
		if connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("CreateToken with the scope %d: got %v, want an invalid argument", scope, err)
		}
	}
}

func TestAdminImportNamesTheEntry(t *testing.T) {
	t.Parallel()
	admin, _ := newAdmin(t)
	ctx := t.Context()
	entry := func(address, token string) *adminv1.ImportAccountsRequest_Entry {
		return &adminv1.ImportAccountsRequest_Entry{Address: address, Token: token}
	}
	good := entry("bob@example.com", strings.Repeat("0a", 20))
	for name, c := range map[string]struct {
		entries []*adminv1.ImportAccountsRequest_Entry
		code    connect.Code
		field   string
	}{
		"a bad address":      {[]*adminv1.ImportAccountsRequest_Entry{good, entry("nobody", "")}, connect.CodeInvalidArgument, "entries[1].address"},
		"a bad token":        {[]*adminv1.ImportAccountsRequest_Entry{good, entry("c@example.com", "xyz")}, connect.CodeInvalidArgument, "entries[1].token"},
		"an address twice":   {[]*adminv1.ImportAccountsRequest_Entry{good, entry("BOB@example.com", "")}, connect.CodeAlreadyExists, "entries[1].address"},
		"ten thousand and 1": {make([]*adminv1.ImportAccountsRequest_Entry, 10_001), connect.CodeInvalidArgument, ""},
	} {
		for i := range c.entries {
			if c.entries[i] == nil {
				c.entries[i] = good
			}
		}
		_, err := admin.ImportAccounts(ctx, &adminv1.ImportAccountsRequest{Entries: c.entries})
		refusal, _ := detailOf[*hushv1.Refusal](err)
		if connect.CodeOf(err) != c.code || c.field != "" && refusal.GetField() != c.field {
			t.Errorf("ImportAccounts with %s: got %v, want %v that names %q", name, err, c.code, c.field)
		}
	}
	for _, want := range []*adminv1.ImportAccountsResponse{{Imported: 1}, {Skipped: 1}} {
		res, err := admin.ImportAccounts(ctx, &adminv1.ImportAccountsRequest{
			Entries: []*adminv1.ImportAccountsRequest_Entry{good}, SkipExisting: true,
		})
		if diff := cmp.Diff(want, res, protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("ImportAccounts: got %v and (-want +got):\n%s", err, diff)
		}
	}
}

func TestAdminPlaces(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	ctx := t.Context()
	here, there := &adminv1.Place{Name: "Here", Latitude: 1.5, Altitude: -2}, &adminv1.Place{Name: "there", Latitude: 91}
	_, err := admin.ImportPlaces(ctx, &adminv1.ImportPlacesRequest{Places: []*adminv1.Place{here, there}})
	refusal, _ := detailOf[*hushv1.Refusal](err)
	if connect.CodeOf(err) != connect.CodeInvalidArgument || refusal.GetField() != "places[1].latitude" {
		t.Errorf("ImportPlaces with a bad one: got %v for %q, want the entry named", err, refusal.GetField())
	}
	if _, err := kit.Vault.Places.LookupPlace(ctx, "here"); err == nil {
		t.Error("LookupPlace after a refused import: got a place, want none")
	}
	res, err := admin.ImportPlaces(ctx, &adminv1.ImportPlacesRequest{Places: []*adminv1.Place{here}})
	if err != nil || res.GetImported() != 1 {
		t.Fatalf("ImportPlaces: got %v %v, want 1", res, err)
	}
	list, err := admin.ListPlaces(ctx, &adminv1.ListPlacesRequest{})
	if err != nil || len(list.GetPlaces()) < 2 || !list.GetPlaces()[1].GetBuiltIn() {
		t.Fatalf("ListPlaces: got %v %v, want the imported one and then those that are built in", list, err)
	}
	if diff := cmp.Diff(here, list.GetPlaces()[0], protocmp.Transform()); diff != "" {
		t.Errorf("ListPlaces: first one (-want +got):\n%s", diff)
	}
	for _, want := range []connect.Code{0, connect.CodeNotFound} {
		_, err := admin.RemovePlace(ctx, &adminv1.RemovePlaceRequest{Name: "HERE"})
		if want == 0 && err != nil || want != 0 && connect.CodeOf(err) != want {
			t.Errorf("RemovePlace: got %v, want code %d", err, want)
		}
	}
}

func TestAdminBurnsAReportedLink(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	kept, err := kit.Vault.Secrets.ConcealSecret(t.Context(), caller.Caller{}, "text", secret.Terms{})
	if err != nil {
		t.Fatalf("ConcealSecret: got %v, want no error", err)
	}
	link := "https://hush.example/secret/" + kept.Secret.Key.Expose()
	res, err := admin.BurnSecret(t.Context(), &adminv1.BurnSecretRequest{Link: link})
	if err != nil {
		t.Fatalf("BurnSecret: got %v, want no error", err)
	}
	m := res.GetMetadata()
	if m.GetState() != hushv1.State_STATE_BURNED || m.GetMetadataKey() != "" || m.GetSecretKey() != "" {
		t.Errorf("BurnSecret: got state %v and keys %q %q, want burned and none", m.GetState(), m.GetMetadataKey(), m.GetSecretKey())
	}
	if _, err := admin.BurnSecret(t.Context(), &adminv1.BurnSecretRequest{Link: link}); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("BurnSecret again: got %v, want not found", err)
	}
}

// The operator closes the request of a reported link, which shows its card to no one but
// its requester from then on, and the trail says that the operator did.
func TestAdminClosesAReportedRequest(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	owner := kit.MustStoredAccount(t, vaulttest.Caller(1), "a")
	a := kit.MustAsk(t, owner, 3)
	kit.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	for link, want := range map[string]connect.Code{
		"no link": connect.CodeInvalidArgument, "https://hush.example/c#" + a.CollectKey.Expose(): connect.CodeNotFound,
	} {
		if _, err := admin.WithdrawRequest(t.Context(), &adminv1.WithdrawRequestRequest{Link: link}); connect.CodeOf(err) != want {
			t.Errorf("WithdrawRequest(%s): got %v, want %v", link, err, want)
		}
	}
	for _, want := range []int32{1, 0} {
		res, err := admin.WithdrawRequest(t.Context(), &adminv1.WithdrawRequestRequest{Link: "https://hush.example/q#" + a.Key.Expose()})
		if err != nil || res.GetBurned() != want {
			t.Errorf("WithdrawRequest: got %v, %v, want %d burned", res, err, want)
		}
	}
	shown, err := kit.Vault.Requests.GetRequest(t.Context(), vaulttest.Caller(2), a.Key.Expose(), a.Proof())
	vaulttest.Want(t, "GetRequest()", err, nil)
	vaulttest.Want(t, "state", shown.Request.State, request.StateWithdrawn)
	vaulttest.Want(t, "card", shown.Card, "")
	vaulttest.Want(t, "audit rows", vaulttest.AuditKinds(t, kit)[audit.Withdraw], 2)
}

func TestAdminDomains(t *testing.T) {
	t.Parallel()
	h, _, domain, dns := newDomains(t)
	admin := adminOf(t, h.kit)
	ctx, name := t.Context(), domain.GetDisplayDomain()
	dns.SetTXT(domain.GetTxtValidationHost()+"."+domain.GetBaseDomain(), domain.GetTxtValidationValue())
	for _, account := range []string{"", testAddress} {
		res, err := admin.ListDomains(ctx, &adminv1.ListDomainsRequest{Account: account})
		if diff := cmp.Diff([]*hushv1.Domain{domain}, res.GetDomains(), protocmp.Transform()); err != nil || diff != "" {
			t.Errorf("ListDomains(%q): got %v and (-want +got):\n%s", account, err, diff)
		}
		for _, named := range []string{name, domain.GetDomainId()} {
			verified, err := admin.VerifyDomain(ctx, &adminv1.VerifyDomainRequest{Account: account, Domain: named})
			if err != nil || verified.GetDomain().GetState() != hushv1.DomainState_DOMAIN_STATE_VERIFIED {
				t.Errorf("VerifyDomain(%q, %s): got %v %v, want it verified", account, named, verified, err)
			}
		}
		domain = mustList(t, admin)[0]
	}
	_, err := admin.VerifyDomain(ctx, &adminv1.VerifyDomainRequest{Domain: "other.example.com"})
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("VerifyDomain of one that nobody claims: got %v, want not found", err)
	}
}

func mustList(t *testing.T, admin adminv1connect.AdminServiceClient) []*hushv1.Domain {
	t.Helper()
	res, err := admin.ListDomains(t.Context(), &adminv1.ListDomainsRequest{Account: testAddress})
	if err != nil || len(res.GetDomains()) == 0 {
		t.Fatalf("ListDomains: got %v %v, want some", res, err)
	}
	return res.GetDomains()
}

// The operator's messages pass validation and the error table like all others:
// an error that is not in it is logged with an id and not shown.
func TestAdminChain(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	_, err := admin.SetRole(t.Context(), &adminv1.SetRoleRequest{Account: testAddress})
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("SetRole without a role: got %v, want an invalid argument", err)
	}
	log := &bytes.Buffer{}
	_, handler := handlers.NewAdmin(kit.Vault, &url.URL{}, slog.New(slog.NewTextHandler(log, nil)), handlers.Local{})
	body := `{"account":"canary","role":"canary"}`
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/hush.admin.v1.AdminService/SetRole", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != 400 || strings.Contains(w.Body.String()+log.String(), "canary") {
		t.Errorf("SetRole of what is no role: got %d %s, want 400 without the input", w.Code, w.Body)
	}
}

// The operator's socket has JSON under every name that connect knows, too: a restriction
// that is misspelt in one of them must not give a token of every scope.
func TestMisspeltRestrictionsOfOperators(t *testing.T) {
	t.Parallel()
	server := operatorServer(t, vaulttest.New(t, vaulttest.Options{Manual: true}))
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8"} {
		for message, path := range map[string]string{
			`{"account":"ada@example.com","scope":["TOKEN_SCOPE_CONCEAL"]}`: "scope: unknown field",
			`{"account":"ada@example.com","scopes":[]}`:                     "scopes: must hold at least one",
			`{"account":"ada@example.com","scopes":["CANARY"]}`:             "scopes[0]: ",
			`{"account":"ada@example.com","scopes":"CANARY"}`:               "scopes: must be a list",
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+adminv1connect.AdminServiceCreateTokenProcedure, strings.NewReader(message))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", contentType)
			res, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || !strings.Contains(string(got), `"invalid_argument"`) || !strings.Contains(string(got), path) || strings.Contains(string(got), "CANARY") {
				t.Errorf("CreateToken(%s) as %s: got %s, want invalid_argument with %q", message, contentType, got, path)
			}
		}
	}
}

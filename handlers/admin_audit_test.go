package handlers_test

import (
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	adminv1 "hush/gen/hush/admin/v1"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func TestAdminAuditRows(t *testing.T) {
	t.Parallel()
	admin, kit := newAdmin(t)
	ctx := t.Context()
	kept := kit.MustConceal(t, vaulttest.Caller(1), "x", secret.Terms{})
	kit.Clock.Advance(time.Minute)
	later := kit.Clock.Now()
	kit.MustReveal(t, vaulttest.Caller(1), kept.Secret.Key, "")
	made, err := admin.CreateAccount(ctx, &adminv1.CreateAccountRequest{Address: testAddress})
	vaulttest.Want(t, "CreateAccount()", err, nil)
	page, err := admin.ListAuditRows(ctx, &adminv1.ListAuditRowsRequest{})
	if err != nil || len(page.GetRows()) != 3 || page.GetNextPageToken() != "" || page.GetUnreadable() != 0 {
		t.Fatalf("ListAuditRows: got %v %v, want three rows on one page", page, err)
	}
	concealed, revealed, account := page.GetRows()[0], page.GetRows()[1], page.GetRows()[2]
	if concealed.GetKind() != "secret-concealed" || revealed.GetKind() != "secret-revealed" || account.GetKind() != "account-created" {
		t.Errorf("ListAuditRows: got %v, want a conceal, a reveal and an account", page)
	}
	if concealed.GetSubject() != revealed.GetSubject() || concealed.GetSubjectIsAccount() {
		t.Errorf("ListAuditRows: got %v, want one receipt as the subject of two rows", page)
	}
	if account.GetSubject() != made.GetAccount().GetAccountId() || !account.GetSubjectIsAccount() {
		t.Errorf("ListAuditRows: got %v, want the account %s as the subject", account, made.GetAccount().GetAccountId())
	}
	if !revealed.GetTime().AsTime().Equal(later) || revealed.GetSequence() != 2 || revealed.GetNode() != 0 || revealed.GetResult() != "done" {
		t.Errorf("ListAuditRows: got %v, want row 2 of node 0, done at %s", revealed, later)
	}
	some, err := admin.ListAuditRows(ctx, &adminv1.ListAuditRowsRequest{
		Since: timestamppb.New(later), Until: timestamppb.New(later.Add(time.Second)), Kinds: []string{"secret-revealed", "secret-concealed"},
	})
	if err != nil || len(some.GetRows()) != 1 {
		t.Errorf("ListAuditRows(since, until, kinds): got %v %v, want the reveal", some, err)
	}
	for _, wrong := range []*adminv1.ListAuditRowsRequest{{Kinds: []string{"revealed"}}, {PageToken: "x"}} {
		if _, err := admin.ListAuditRows(ctx, wrong); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("ListAuditRows(%v): got %v, want an invalid argument", wrong, err)
		}
	}
}

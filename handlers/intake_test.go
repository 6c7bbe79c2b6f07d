package handlers_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"

	hushv1 "hush/gen/hush/v1"
	"hush/gen/hush/v1/hushv1connect"
	"hush/handlers"
	"hush/vault/caller"
	"hush/vault/vaulttest"
)

// solve solves a challenge.
func solve(t *testing.T, c *hushv1.AltchaChallengeResponse) string {
	t.Helper()
	for n := range c.GetMaxNumber() + 1 {
		sum := sha256.Sum256([]byte(c.GetSalt() + strconv.FormatInt(n, 10)))
		if hex.EncodeToString(sum[:]) != c.GetChallenge() {
			continue
		}
		raw, err := json.Marshal(map[string]any{
			"algorithm": c.GetAlgorithm(), "challenge": c.GetChallenge(), "number": n,
			"salt": c.GetSalt(), "signature": c.GetSignature(),
		})
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(raw)
	}
	t.Fatalf("challenge %v: got no solution, want one", c)
	return ""
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	ctx, b := t.Context(), &browser{}
	challenges := hushv1connect.NewChallengeServiceClient(s.client(b), s.url)
	intake := hushv1connect.NewIntakeServiceClient(s.client(b), s.url)
	made, err := challenges.AltchaChallenge(ctx, &hushv1.AltchaChallengeRequest{Action: "feedback"})
	if err != nil || made.GetExpireTime() == nil {
		t.Fatalf("AltchaChallenge: got %v %v, want a challenge that ends", made, err)
	}
	feedback := &hushv1.ReceiveFeedbackRequest{Message: "It works."}
	if _, err := intake.ReceiveFeedback(ctx, feedback); reasonOf(t, err) != hushv1.Refusal_REASON_CHALLENGE {
		t.Errorf("ReceiveFeedback without a solution: got %v, want it refused", err)
	}
	feedback.AuthenticityPayload = solve(t, made)
	if _, err := intake.ReceiveFeedback(ctx, feedback); err != nil {
		t.Errorf("ReceiveFeedback: got %v, want no error", err)
	}
	verify := &hushv1.AltchaVerifyRequest{AuthenticityPayload: feedback.GetAuthenticityPayload()}
	if _, err := challenges.AltchaVerify(ctx, verify); reasonOf(t, err) != hushv1.Refusal_REASON_CHALLENGE {
		t.Errorf("AltchaVerify of a spent one: got %v, want it refused", err)
	}
	if made, err = challenges.AltchaChallenge(ctx, &hushv1.AltchaChallengeRequest{}); err != nil {
		t.Fatalf("AltchaChallenge: got %v, want no error", err)
	}
	if _, err := challenges.AltchaVerify(ctx, &hushv1.AltchaVerifyRequest{AuthenticityPayload: solve(t, made)}); err != nil {
		t.Errorf("AltchaVerify: got %v, want no error", err)
	}
	_, err = challenges.AltchaVerifySpam(ctx, &hushv1.AltchaVerifySpamRequest{AuthenticityPayload: "e30="})
	if reasonOf(t, err) != hushv1.Refusal_REASON_NOT_CONFIGURED {
		t.Errorf("AltchaVerifySpam without a server: got %v, want that it is not set up", err)
	}
}

// A caller who is not a colonel must not even learn that the service exists.
func TestColonelServiceIsNotThereForOthers(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, vaulttest.Options{}, nil)
	for name, b := range map[string]*browser{"anybody": {}, "a customer": s.bearer(t, 0), "a stranger": {bearer: "0000"}} {
		colonels := hushv1connect.NewColonelServiceClient(s.client(b), s.url)
		_, index := colonels.GetIndex(t.Context(), &hushv1.GetIndexRequest{})
		_, list := colonels.ListExceptions(t.Context(), &hushv1.ListExceptionsRequest{})
		_, burn := colonels.BurnReportedSecret(t.Context(), &hushv1.BurnReportedSecretRequest{})
		_, invite := s.accounts(b).CreateInvite(t.Context(), &hushv1.CreateInviteRequest{})
		_, invites := s.accounts(b).ListInvites(t.Context(), &hushv1.ListInvitesRequest{})
		_, revoke := s.accounts(b).RevokeInvite(t.Context(), &hushv1.RevokeInviteRequest{})
		_, find := colonels.FindAccount(t.Context(), &hushv1.FindAccountRequest{})
		_, role := colonels.SetAccountRole(t.Context(), &hushv1.SetAccountRoleRequest{})
		_, disable := colonels.DisableAccount(t.Context(), &hushv1.DisableAccountRequest{})
		_, reset := colonels.ResetAccountPassword(t.Context(), &hushv1.ResetAccountPasswordRequest{})
		_, destroy := colonels.DestroyOtherAccount(t.Context(), &hushv1.DestroyOtherAccountRequest{})
		for _, err := range []error{index, list, burn, invite, invites, revoke, find, role, disable, reset, destroy} {
			if connect.CodeOf(err) != connect.CodeUnimplemented {
				t.Errorf("a colonel's method for %s: got %v, want it not to be there", name, err)
			}
		}
	}
}

func TestColonel(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	kit := vaulttest.Options{Policy: caller.Policy{Colonels: []string{testAddress}}, HasDiskSpace: func() bool { return !full.Load() }}
	s := newTestServer(t, kit, func(o *handlers.Options) {
		o.FileBytes, o.FreeBytes = func() int64 { return 4096 }, func() int64 { return 8192 }
	})
	ctx := t.Context()
	b, _ := s.signIn(t, false)
	colonels := hushv1connect.NewColonelServiceClient(s.client(b), s.url)
	intake := hushv1connect.NewIntakeServiceClient(s.client(b), s.url)
	kept, err := intake.ReceiveException(ctx, &hushv1.ReceiveExceptionRequest{Message: "x is not a function", Line: 3, Release: "1.2.3"})
	if err != nil || kept.GetException().GetLine() != 3 || len(kept.GetException().GetExceptionId()) != 31 {
		t.Fatalf("ReceiveException: got %v %v, want it kept", kept, err)
	}
	if _, err := intake.ReceiveFeedback(ctx, &hushv1.ReceiveFeedbackRequest{Message: "It works."}); err != nil {
		t.Fatalf("ReceiveFeedback: got %v, want no error", err)
	}
	list, err := colonels.ListExceptions(ctx, &hushv1.ListExceptionsRequest{})
	if err != nil || len(list.GetExceptions()) != 1 || list.GetExceptions()[0].GetMessage() != "x is not a function" {
		t.Errorf("ListExceptions: got %v %v, want the report", list, err)
	}
	reported := s.conceal(t, &browser{})
	index, err := colonels.GetIndex(ctx, &hushv1.GetIndexRequest{})
	if err != nil {
		t.Fatalf("GetIndex: got %v, want no error", err)
	}
	if len(index.GetRecentAccounts()) != 1 || len(index.GetTodayFeedback()) != 1 || index.GetTodayFeedback()[0].GetMessage() != "It works." {
		t.Errorf("GetIndex: got the accounts %v and feedback %v, want one of each", index.GetRecentAccounts(), index.GetTodayFeedback())
	}
	counts := index.GetCounts()
	if counts.GetSessions() != 1 || counts.GetAccounts() != 1 || counts.GetSecrets() != 1 || counts.GetSecretsCreated() != 1 || counts.GetExceptions() != 1 {
		t.Errorf("GetIndex: got the counts %v, want one of each kind", counts)
	}
	store := index.GetStore()
	if store.GetBackend() != "bolt" || store.GetFileBytes() != 4096 || store.GetLiveBytes() == 0 {
		t.Errorf("GetIndex: got the store %v, want bolt with a file of 4096 bytes and something alive", store)
	}
	if store.GetFreeBytes() != 8192 || store.GetDiskFull() {
		t.Errorf("GetIndex: got the store %v, want 8192 bytes free", store)
	}
	full.Store(true)
	if index, err := colonels.GetIndex(ctx, &hushv1.GetIndexRequest{}); err != nil || !index.GetStore().GetDiskFull() {
		t.Errorf("GetIndex on a full disk: got %v, %v, want it to say so", index.GetStore(), err)
	}
	full.Store(false)
	if build := index.GetBuild(); build.GetVersion() != "1.2.3" || build.GetGoVersion() == "" || !build.GetStartTime().AsTime().Equal(vaulttest.StartTime()) {
		t.Errorf("GetIndex: got the build %v, want its release and start", build)
	}
	burned, err := colonels.BurnReportedSecret(ctx, &hushv1.BurnReportedSecretRequest{Link: reported.GetSecretKey()})
	if m := burned.GetMetadata(); err != nil || m.GetState() != hushv1.State_STATE_BURNED || m.GetMetadataKey() != "" || m.GetSecretKey() != "" {
		t.Errorf("BurnReportedSecret: got %v, want a burned receipt without keys", err)
	}
	invite, err := s.accounts(b).CreateInvite(ctx, &hushv1.CreateInviteRequest{})
	if err != nil || invite.GetInvite() == "" || invite.GetExpireTime() == nil {
		t.Errorf("CreateInvite: got %v, want an invite that ends", err)
	}
	listed, err := s.accounts(b).ListInvites(ctx, &hushv1.ListInvitesRequest{})
	if err != nil || len(listed.GetInvites()) != 1 || listed.GetInvites()[0].GetCreator() == "" {
		t.Fatalf("ListInvites: got %v, %v, want the one invite with its creator", listed, err)
	}
	if _, err := s.accounts(b).RevokeInvite(ctx, &hushv1.RevokeInviteRequest{InviteId: listed.GetInvites()[0].GetInviteId()}); err != nil {
		t.Errorf("RevokeInvite: got %v, want nil", err)
	}
	if listed, err = s.accounts(b).ListInvites(ctx, &hushv1.ListInvitesRequest{}); err != nil || len(listed.GetInvites()) != 0 {
		t.Errorf("ListInvites: got %v, %v, want none that is revoked", listed, err)
	}
}

package request_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/caller"
	"hush/vault/receipt"
	"hush/vault/refusal"
	"hush/vault/request"
	"hush/vault/vaulttest"
)

// Closing ends a request, by either way. What waits goes on, unless it is burned too.
func TestClose(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	owner, responder := k.MustStoredAccount(t, vaulttest.Caller(1), "a"), vaulttest.Caller(2)
	a := k.MustAsk(t, owner, 5)
	k.MustAnswer(t, responder, a, vaulttest.Plaintext)
	re, ctx := k.Vault.Requests, t.Context()
	for _, c := range []caller.Caller{k.MustStoredAccount(t, vaulttest.Caller(1), "b"), owner} {
		_, err := re.CloseByID(ctx, c, "00"+a.Request.ID[2:], true)
		vaulttest.WantErr(t, "CloseByID(unknown)", err, refusal.ErrNotFound)
	}
	_, err := re.CloseByID(ctx, k.MustStoredAccount(t, vaulttest.Caller(1), "b"), a.Request.ID, true)
	vaulttest.WantErr(t, "CloseByID(another account)", err, refusal.ErrNotFound)
	_, err = re.CloseByID(ctx, caller.Caller{}, a.Request.ID, true)
	vaulttest.WantErr(t, "CloseByID(no account)", err, refusal.ErrUnauthenticated)
	k.Clock.Advance(time.Minute)
	done, err := re.CloseByID(ctx, owner, a.Request.ID, false)
	vaulttest.Want(t, "CloseByID()", err, nil)
	vaulttest.Want(t, "Closing", done.Burned, 0)
	vaulttest.Want(t, "Closing.Request.State", done.Request.State, request.StateClosed)
	vaulttest.Want(t, "Closing.Request.Updated", done.Request.Updated, k.Clock.Now())
	_, err = k.SendAnswer(t, responder, a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(closed)", err, refusal.ErrRequestEnded)
	vaulttest.Want(t, "GetRequest().State", mustGet(t, k, a).Request.State, request.StateClosed)
	text, err := k.OpenAnswer(t, owner, a, k.MustCollect(t, owner, a).Answers[0], "")
	vaulttest.Want(t, "OpenAnswer(closed)", err, nil)
	vaulttest.Want(t, "text", text, vaulttest.Plaintext)

	b := k.MustAsk(t, owner, 5)
	one, two := k.MustAnswer(t, responder, b, vaulttest.Plaintext), k.MustAnswer(t, responder, b, vaulttest.Plaintext)
	k.MustBurn(t, responder, one.Metadata.Key, "")
	done, err = re.CloseByLink(ctx, caller.Caller{}, b.CollectLink(), true)
	vaulttest.Want(t, "CloseByLink(burn)", err, nil)
	vaulttest.Want(t, "Closing.Burned", done.Burned, 1)
	vaulttest.WantState(t, k, two.Metadata.Key, receipt.StateBurned)
	done, err = re.CloseByLink(ctx, caller.Caller{}, b.CollectLink(), true)
	vaulttest.Want(t, "CloseByLink(again)", err, nil)
	vaulttest.Want(t, "Closing.Burned", done.Burned, 0)
	vaulttest.Want(t, "audit rows of closings", vaulttest.AuditKinds(t, k)[audit.Close], 2)
}

// A request whose time is over takes no answers, and is forgotten when none can wait. Until
// then its link does not show whether one came.
func TestTimes(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	a, empty := k.MustAsk(t, caller.Caller{}, 2), k.MustAsk(t, caller.Caller{}, 2)
	vaulttest.AdvanceInSteps(t, k, 23*time.Hour)
	late := k.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	vaulttest.AdvanceInSteps(t, k, time.Hour)
	_, err := k.SendAnswer(t, vaulttest.Caller(2), a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(past)", err, refusal.ErrRequestEnded)
	wantCounts(t, k, a, request.StatePast, 1, 1)
	wantCounts(t, k, empty, request.StatePast, 0, 0)
	_, err = k.Vault.Requests.GetCollection(t.Context(), caller.Caller{}, empty.CollectLink())
	vaulttest.Want(t, "GetCollection(past)", err, nil)
	answered, err := k.Vault.Requests.GetRequest(t.Context(), caller.Caller{}, a.Key.Expose(), a.Proof())
	vaulttest.Want(t, "GetRequest(answered)", err, nil)
	unanswered, err := k.Vault.Requests.GetRequest(t.Context(), caller.Caller{}, empty.Key.Expose(), empty.Proof())
	vaulttest.Want(t, "GetRequest(not answered)", err, nil)
	vaulttest.Want(t, "GetRequest(answered)", answered.Request, unanswered.Request)
	vaulttest.AdvanceInSteps(t, k, answer.Lifetime-2*time.Hour)
	text, err := k.OpenAnswer(t, caller.Caller{}, a, vaulttest.AnswerOf(t, k.MustCollect(t, caller.Caller{}, a), late), vaulttest.Claim(1))
	vaulttest.Want(t, "OpenAnswer(late)", err, nil)
	vaulttest.Want(t, "text", text, vaulttest.Plaintext)
	vaulttest.Want(t, "Lapse()", func() int { k.Clock.Advance(2 * time.Minute); return k.MustLapse(t) }(), 1)
	vaulttest.AdvanceInSteps(t, k, 3*time.Hour)
	for _, bucket := range []string{request.BucketRequest, request.BucketCollection, request.BucketRequests, answer.BucketAnswer, answer.BucketAnswers} {
		vaulttest.Want(t, "rows of "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), 0)
	}
	_, err = k.SendAnswer(t, vaulttest.Caller(2), a, late)
	vaulttest.WantErr(t, "AnswerRequest(again, forgotten)", err, refusal.ErrNotFound)
}

// An account lists its requests, the newest first, and no one else's.
func TestList(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	owner, other := k.MustStoredAccount(t, vaulttest.Caller(1), "a"), k.MustStoredAccount(t, vaulttest.Caller(1), "b")
	var want []string
	for range 5 {
		k.Clock.Advance(time.Second)
		want = append([]string{k.MustAsk(t, owner, 1).Request.ID}, want...)
	}
	k.MustAsk(t, other, 1)
	k.MustAsk(t, vaulttest.Caller(1), 1)
	var got []string
	for token := ""; ; {
		page, err := k.Vault.Requests.ListRequests(t.Context(), owner, 2, token)
		vaulttest.Want(t, "ListRequests()", err, nil)
		for _, r := range page.Requests {
			got = append(got, r.ID)
		}
		if token = page.Next; token == "" {
			break
		}
	}
	vaulttest.Want(t, "ListRequests()", strings.Join(got, " "), strings.Join(want, " "))
	for _, token := range []string{"x", "00", strings.Repeat("00", 31)} {
		_, err := k.Vault.Requests.ListRequests(t.Context(), owner, 2, token)
		vaulttest.WantInvalid(t, "ListRequests(token)", err, "page_token")
	}
	_, err := k.Vault.Requests.ListRequests(t.Context(), caller.Caller{}, 2, "")
	vaulttest.WantErr(t, "ListRequests(no account)", err, refusal.ErrUnauthenticated)
}

// Those who watch a collection hear of all that happens to it, on any node; and if the
// notifications are lost, by the next poll.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, losing := range map[string]bool{"told": false, "polled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { watchCollection(t, losing) })
		})
	}
}

// An administrator closes a reported request. From then on its card shows to its requester
// alone.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{Policy: caller.Policy{Requests: caller.RequestsAnyone, Colonels: []string{vaulttest.MemberAddress}}})
	colonel := m.MustEnter(t)
	a := m.MustAsk(t, vaulttest.Caller(1), 3)
	made := m.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	for _, c := range []caller.Caller{{}, m.MustStoredAccount(t, vaulttest.Caller(1), "a")} {
		_, err := m.Vault.Requests.Withdraw(t.Context(), c, a.Key.Expose())
		vaulttest.WantErr(t, "Withdraw(no colonel)", err, refusal.ErrNotFound)
	}
	_, err := m.Vault.Requests.Withdraw(t.Context(), colonel, a.CollectKey.Expose())
	vaulttest.WantErr(t, "Withdraw(another key)", err, refusal.ErrNotFound)
	burned, err := m.Vault.Requests.Withdraw(t.Context(), colonel, a.Key.Expose())
	vaulttest.Want(t, "Withdraw()", err, nil)
	vaulttest.Want(t, "Withdraw() burned", burned, 1)
	vaulttest.WantState(t, m.Kit, made.Metadata.Key, receipt.StateBurned)
	shown := mustGet(t, m.Kit, a)
	vaulttest.Want(t, "state", shown.Request.State, request.StateWithdrawn)
	vaulttest.Want(t, "card", shown.Card, "")
	_, err = m.Vault.Requests.CloseByLink(t.Context(), caller.Caller{}, a.CollectLink(), false)
	vaulttest.Want(t, "CloseByLink()", err, nil)
	vaulttest.Want(t, "state", mustGet(t, m.Kit, a).Request.State, request.StateWithdrawn)
	vaulttest.Want(t, "audit rows", vaulttest.AuditKinds(t, m.Kit)[audit.Withdraw], 1)
}

// With an account that ends, its requests close and their answers burn. One that is
// disabled takes no answers meanwhile.
func TestAccountEnds(t *testing.T) {
	t.Parallel()
	m := vaulttest.NewMember(t, vaulttest.Options{})
	c := m.MustEnter(t)
	a := m.MustAsk(t, c, 3)
	made := m.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	_, err := m.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.MemberAddress, true)
	vaulttest.Want(t, "DisableAccount()", err, nil)
	_, err = m.SendAnswer(t, vaulttest.Caller(2), a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(disabled)", err, refusal.ErrRequestEnded)
	vaulttest.Want(t, "state", mustGet(t, m.Kit, a).Request.State, request.StateWithdrawn)
	_, err = m.Vault.Operator().Accounts.DisableAccount(t.Context(), vaulttest.MemberAddress, false)
	vaulttest.Want(t, "DisableAccount(false)", err, nil)
	m.MustAnswer(t, vaulttest.Caller(2), a, vaulttest.Plaintext)
	burned, err := m.Vault.DestroyAccount(t.Context(), m.MustEnter(t), vaulttest.Password)
	vaulttest.Want(t, "DestroyAccount()", err, nil)
	vaulttest.Want(t, "DestroyAccount() burned", burned, 2)
	vaulttest.WantState(t, m.Kit, made.Metadata.Key, receipt.StateBurned)
	_, err = m.SendAnswer(t, vaulttest.Caller(2), a, a.MakeAnswer(t, vaulttest.Plaintext, ""))
	vaulttest.WantErr(t, "AnswerRequest(destroyed)", err, refusal.ErrRequestEnded)
}

package feedback_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/rows"
	"hush/vault/vaulttest"
)

// withRole returns c with an account that is not stored, and with the role if
// colonel is set.
func withRole(c caller.Caller, id caller.AccountID, colonel bool) caller.Caller {
	return caller.WithCredential(c, &caller.Verified{ID: id, Colonel: colonel, Scopes: caller.ScopesAll})
}

// colonel is a caller with the role, customer one without.
func colonel() caller.Caller  { return withRole(vaulttest.Caller(9), caller.AccountID{9}, true) }
func customer() caller.Caller { return withRole(vaulttest.Caller(8), caller.AccountID{8}, false) }

// mustSweepAfter moves the clock on, and sweeps until the leap is believed.
func mustSweepAfter(t *testing.T, k *vaulttest.Kit, d time.Duration) {
	t.Helper()
	k.Clock.Advance(d - 2*time.Minute)
	k.MustSweep(t)
	for range 2 {
		k.Clock.Advance(time.Minute)
		k.MustSweep(t)
	}
}

// messages are the texts of a list.
func messages(list []feedback.Feedback) []string {
	texts := []string{}
	for _, f := range list {
		texts = append(texts, f.Message)
	}
	return texts
}

func wantMessages(t *testing.T, call string, list []feedback.Feedback, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), messages(list)); diff != "" {
		t.Errorf("%s: -want +got\n%s", call, diff)
	}
}

func TestReceiveFeedback(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	err := k.Vault.Inbox.ReceiveFeedback(t.Context(), customer(), feedback.NewFeedback{Message: " Nice place. ", TimeZone: "Europe/Berlin", Version: "1.2"})
	vaulttest.WantErr(t, "ReceiveFeedback(customer)", err, nil)
	k.Clock.Advance(time.Minute)
	err = k.Vault.Inbox.ReceiveFeedback(t.Context(), vaulttest.Caller(1), feedback.NewFeedback{
		Message: "Me too.", Challenge: vaulttest.MustSolve(t, k, "feedback").Payload(t),
	})
	vaulttest.WantErr(t, "ReceiveFeedback(anonymous with a solution)", err, nil)
	index := vaulttest.MustIndex(t, k, colonel())
	want := []feedback.Feedback{
		{Message: "Me too.", Sender: vaulttest.Caller(1).Network.Masked(), Created: vaulttest.StartTime().Add(time.Minute)},
		{Message: "Nice place. [TZ: Europe/Berlin] [v1.2]", Sender: caller.AccountID{8}.String(), Created: vaulttest.StartTime()},
	}
	if diff := cmp.Diff(want, index.Today); diff != "" {
		t.Errorf("GetIndex().Today: -want +got\n%s", diff)
	}
	for _, record := range vaulttest.RowsIn(t, k.Store, feedback.BucketFeedback) {
		if strings.Contains(string(record), "Nice") {
			t.Errorf("stored feedback: got its text in the clear, want it sealed")
		}
	}
}

func TestReceiveFeedbackRefuses(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	invalid := []struct {
		name     string
		feedback feedback.NewFeedback
		text     string
	}{
		{"nothing", feedback.NewFeedback{}, "You can be more original than that!"},
		{"white space", feedback.NewFeedback{Message: " \n"}, "You can be more original than that!"},
		{"long", feedback.NewFeedback{Message: strings.Repeat("ä", 1501)}, "must be at most 1500 characters long"},
		{"not UTF-8", feedback.NewFeedback{Message: "\xff"}, "is not valid UTF-8"},
		{"long zone", feedback.NewFeedback{Message: "text", TimeZone: strings.Repeat("z", 65)}, "must be at most 64 bytes long"},
		{"long version", feedback.NewFeedback{Message: "text", Version: strings.Repeat("1", 33)}, "must be at most 32 bytes long"},
	}
	for _, test := range invalid {
		err := k.Vault.Inbox.ReceiveFeedback(t.Context(), customer(), test.feedback)
		wantInvalidText(t, "ReceiveFeedback("+test.name+")", err, test.text)
	}
	anonymous := func(challenge string) error {
		return k.Vault.Inbox.ReceiveFeedback(t.Context(), vaulttest.Caller(1), feedback.NewFeedback{Message: "text", Challenge: challenge})
	}
	vaulttest.WantChallenge(t, "ReceiveFeedback(no solution)", anonymous(""), "Cannot skip authenticity check")
	vaulttest.WantChallenge(t, "ReceiveFeedback(bad solution)", anonymous("e30="), "You need to be carbon-based to do that")
	vaulttest.WantChallenge(t, "ReceiveFeedback(solution for something else)",
		anonymous(vaulttest.MustSolve(t, k, "conceal").Payload(t)), "You need to be carbon-based to do that")
	vaulttest.Want(t, "kept feedback", vaulttest.MustIndex(t, k, colonel()).Counts.Feedback, 0)
	vaulttest.MustFeedback(t, k, customer(), strings.Repeat("ä", 1500))
}

// wantInvalidText fails the test unless err is an InvalidError of that text.
func wantInvalidText(t *testing.T, call string, err error, text string) {
	t.Helper()
	vaulttest.WantErr(t, call, err, refusal.ErrInvalid)
	if err != nil && !strings.HasSuffix(err.Error(), text) {
		t.Errorf("%s: got %q, want %q at its end", call, err, text)
	}
}

// The same from the same sender is kept once, the newest; from others, or a
// day later, it is something else.
func TestReceiveFeedbackAgain(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	vaulttest.MustFeedback(t, k, customer(), "again")
	vaulttest.MustFeedback(t, k, customer(), "something else")
	k.Clock.Advance(time.Hour)
	vaulttest.MustFeedback(t, k, customer(), "again")
	wantMessages(t, "GetIndex().Today", vaulttest.MustIndex(t, k, colonel()).Today, "again", "something else")
	vaulttest.MustFeedback(t, k, colonel(), "again")
	index := vaulttest.MustIndex(t, k, colonel())
	wantMessages(t, "GetIndex().Today", index.Today, "again", "again", "something else")
	vaulttest.Want(t, "GetIndex().Counts.Feedback", index.Counts.Feedback, 3)
	vaulttest.Want(t, "GetIndex().Counts.TodayFeedback", index.Counts.TodayFeedback, 3)
	mustSweepAfter(t, k, 24*time.Hour)
	vaulttest.MustFeedback(t, k, customer(), "again")
	vaulttest.Want(t, "GetIndex().Counts.Feedback a day later", vaulttest.MustIndex(t, k, colonel()).Counts.Feedback, 4)
}

// Feedback grows older in lists at once, and in counters when the sweeper
// comes; it leaves the lists after 14 days and the store after 30.
func TestFeedbackAges(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	vaulttest.MustFeedback(t, k, customer(), "first")
	k.Clock.Advance(time.Hour)
	vaulttest.MustFeedback(t, k, customer(), "second")
	steps := []struct {
		after                   time.Duration // of the first
		today, yesterday, older []string
		counts                  [4]int64 // all, today, yesterday, older
	}{
		{24*time.Hour - time.Millisecond, []string{"second", "first"}, nil, nil, [4]int64{2, 2, 0, 0}},
		{24 * time.Hour, []string{"second"}, []string{"first"}, nil, [4]int64{2, 1, 1, 0}},
		{48 * time.Hour, nil, []string{"second"}, []string{"first"}, [4]int64{2, 0, 1, 1}},
		{49 * time.Hour, nil, nil, []string{"second", "first"}, [4]int64{2, 0, 0, 2}},
		{14 * 24 * time.Hour, nil, nil, []string{"second"}, [4]int64{2, 0, 0, 2}},
		{30 * 24 * time.Hour, nil, nil, nil, [4]int64{1, 0, 0, 1}},
		{30*24*time.Hour + time.Hour, nil, nil, nil, [4]int64{}},
	}
	for _, step := range steps {
		mustSweepAfter(t, k, vaulttest.StartTime().Add(step.after).Sub(k.Clock.Now()))
		index := vaulttest.MustIndex(t, k, colonel())
		at := fmt.Sprintf("GetIndex() after %v: ", step.after)
		wantMessages(t, at+"Today", index.Today, step.today...)
		wantMessages(t, at+"Yesterday", index.Yesterday, step.yesterday...)
		wantMessages(t, at+"Older", index.Older, step.older...)
		c := index.Counts
		vaulttest.Want(t, at+"Counts", [4]int64{c.Feedback, c.TodayFeedback, c.YesterdayFeedback, c.OlderFeedback}, step.counts)
	}
	if got := len(vaulttest.RowsIn(t, k.Store, feedback.BucketFeedback)); got != 0 {
		t.Errorf("stored feedback after 30 days: got %d, want 0", got)
	}
}

// No list is longer than its most, and none hides the next.
func TestFeedbackLists(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for range 2 {
		var all sync.WaitGroup
		for i := range feedback.IndexFeedback + 3 {
			all.Go(func() {
				err := k.Vault.Inbox.ReceiveFeedback(t.Context(), customer(), feedback.NewFeedback{Message: fmt.Sprintf("message %d", i)})
				vaulttest.WantErr(t, "ReceiveFeedback(one of many)", err, nil)
			})
		}
		all.Wait()
		mustSweepAfter(t, k, 24*time.Hour)
	}
	vaulttest.MustFeedback(t, k, customer(), "last")
	index := vaulttest.MustIndex(t, k, colonel())
	vaulttest.Want(t, "len(Today)", len(index.Today), 1)
	vaulttest.Want(t, "len(Yesterday)", len(index.Yesterday), feedback.IndexFeedback)
	vaulttest.Want(t, "len(Older)", len(index.Older), feedback.IndexFeedback)
	vaulttest.Want(t, "Counts.YesterdayFeedback", index.Counts.YesterdayFeedback, feedback.IndexFeedback+3)
	vaulttest.Want(t, "Counts.OlderFeedback", index.Counts.OlderFeedback, feedback.IndexFeedback+3)
}

// The oldest makes room for the newest.
func TestRings(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	err := k.Store.Update(t.Context(), rows.Plain(func(tx *rows.Tx) error { return feedback.FillRings(tx, k.Clock.Now()) }))
	if err != nil {
		t.Fatalf("FillRings(): got %v, want nil", err)
	}
	vaulttest.MustFeedback(t, k, customer(), "one more")
	vaulttest.MustException(t, k, customer(), feedback.Exception{Message: "one more"})
	for _, bucket := range []string{feedback.BucketFeedback, feedback.BucketException} {
		vaulttest.Want(t, "rows in "+bucket, len(vaulttest.RowsIn(t, k.Store, bucket)), feedback.RingSize)
		if vaulttest.Get(t, k.Store, bucket, feedback.RingKey(1)) != nil || vaulttest.Get(t, k.Store, bucket, feedback.RingKey(2)) == nil {
			t.Errorf("%s: got another row dropped, want the oldest gone and the next there", bucket)
		}
	}
	counts := vaulttest.MustIndex(t, k, colonel()).Counts
	vaulttest.Want(t, "Counts.Feedback", counts.Feedback, feedback.RingSize)
	vaulttest.Want(t, "Counts.TodayFeedback", counts.TodayFeedback, feedback.RingSize)
	vaulttest.Want(t, "Counts.Exceptions", counts.Exceptions, feedback.RingSize)
}

// A row that cannot be read, or does not open, does not block further feedback.
func TestFeedbackDamaged(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	vaulttest.MustFeedback(t, k, customer(), "cut")
	vaulttest.MustFeedback(t, k, customer(), "moved")
	vaulttest.Put(t, k.Store, feedback.BucketFeedback, feedback.RingKey(1), []byte{1, 2, 3})
	vaulttest.Put(t, k.Store, feedback.BucketFeedback, feedback.RingKey(3), vaulttest.Get(t, k.Store, feedback.BucketFeedback, feedback.RingKey(2)))
	vaulttest.Put(t, k.Store, feedback.BucketFeedback, feedback.RingKey(2), nil)
	vaulttest.MustFeedback(t, k, customer(), "whole")
	wantMessages(t, "GetIndex().Today", vaulttest.MustIndex(t, k, colonel()).Today, "whole")
}

// A sender pastes a link into a message. It opens nothing for the readers.
func TestFeedbackScrubbed(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	key := seal.NewToken(k.Clock.Now()).Expose()
	vaulttest.MustFeedback(t, k, customer(), "It fails at https://hush.example/secret/"+key+" here.")
	wantMessages(t, "GetIndex().Today", vaulttest.MustIndex(t, k, colonel()).Today, "It fails at https://hush.example/secret/[removed] here.")
}

func TestFeedbackWithoutRoom(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true, HasDiskSpace: func() bool { return false }})
	err := k.Vault.Inbox.ReceiveFeedback(t.Context(), customer(), feedback.NewFeedback{Message: "text"})
	vaulttest.WantErr(t, "ReceiveFeedback(full disk)", err, refusal.ErrUnavailable)
	_, err = k.Vault.Inbox.ReceiveException(t.Context(), customer(), feedback.Exception{Message: "text"})
	vaulttest.WantErr(t, "ReceiveException(full disk)", err, refusal.ErrUnavailable)
}

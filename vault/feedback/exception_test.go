package feedback_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hush/seal"
	"hush/vault/caller"
	"hush/vault/feedback"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

func mustExceptions(t *testing.T, k *vaulttest.Kit, size int, token string) ([]feedback.Exception, string) {
	t.Helper()
	list, next, err := k.Vault.Inbox.ListExceptions(t.Context(), colonel(), size, token)
	if err != nil {
		t.Fatalf("ListExceptions(%d, %q): got %v, want nil", size, token, err)
	}
	return list, next
}

func TestReceiveException(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	sent := feedback.Exception{
		ID: "mine", User: "me", Created: time.Unix(1, 0), Message: "x is not a function", Type: "TypeError",
		Stack: "at f (https://hush.example/assets/index-abc.js:10:25)", URL: "https://hush.example/account?tab=1#top",
		UserAgent:   "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
		Environment: "production", Release: "1.2.3", Line: 10, Column: -1,
	}
	kept := vaulttest.MustException(t, k, vaulttest.Caller(1), sent)
	if _, ok := seal.ParseToken(kept.ID); !ok {
		t.Errorf("ReceiveException().ID: got %q, want 31 characters 0-9 and a-z", kept.ID)
	}
	want := sent
	want.ID, want.User, want.Created = kept.ID, vaulttest.Caller(1).Network.Masked(), vaulttest.StartTime()
	want.URL = "https://hush.example/account"
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("ReceiveException(): -want +got\n%s", diff)
	}
	list, next := mustExceptions(t, k, 0, "")
	if diff := cmp.Diff([]feedback.Exception{want}, list); diff != "" || next != "" {
		t.Errorf("ListExceptions(): got next %q, -want +got\n%s", next, diff)
	}
	if got := vaulttest.MustException(t, k, customer(), sent).User; got != (caller.AccountID{8}).String() {
		t.Errorf("ReceiveException(account).User: got %q, want the account's id", got)
	}
}

func TestReceiveExceptionRefuses(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	tests := []struct {
		name string
		e    feedback.Exception
		text string
	}{
		{"nothing", feedback.Exception{Type: "Error"}, "Exception data required"},
		{"white space", feedback.Exception{Message: "\t"}, "Exception data required"},
		{"message", feedback.Exception{Message: strings.Repeat("é", 1001)}, "must be at most 1000 characters long"},
		{"stack", feedback.Exception{Message: "m", Stack: strings.Repeat("é", 2501)}, "must be at most 2500 characters long"},
		{"type", feedback.Exception{Message: "m", Type: strings.Repeat("t", 401)}, "must be at most 400 bytes long"},
		{"URL", feedback.Exception{Message: "m", URL: strings.Repeat("u", 2049)}, "must be at most 2048 bytes long"},
		{"browser", feedback.Exception{Message: "m", UserAgent: strings.Repeat("a", 401)}, "must be at most 400 bytes long"},
		{"environment", feedback.Exception{Message: "m", Environment: strings.Repeat("e", 201)}, "must be at most 200 bytes long"},
		{"release", feedback.Exception{Message: "m", Release: strings.Repeat("r", 201)}, "must be at most 200 bytes long"},
		{"not UTF-8", feedback.Exception{Message: "m", Stack: "\xc3("}, "is not valid UTF-8"},
	}
	for _, test := range tests {
		_, err := k.Vault.Inbox.ReceiveException(t.Context(), vaulttest.Caller(1), test.e)
		wantInvalidText(t, "ReceiveException("+test.name+")", err, test.text)
	}
	vaulttest.MustException(t, k, vaulttest.Caller(1), feedback.Exception{Message: strings.Repeat("é", 1000), Stack: strings.Repeat("é ", 1250)})
}

func TestListExceptions(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	for i := range 5 {
		vaulttest.MustException(t, k, vaulttest.Caller(1), feedback.Exception{Message: fmt.Sprintf("number %d", i)})
	}
	var got []string
	token := ""
	for page := 0; page == 0 || token != ""; page++ {
		var list []feedback.Exception
		list, token = mustExceptions(t, k, 2, token)
		for _, e := range list {
			got = append(got, e.Message)
		}
	}
	if diff := cmp.Diff([]string{"number 4", "number 3", "number 2", "number 1", "number 0"}, got); diff != "" {
		t.Errorf("ListExceptions(2, …): -want +got\n%s", diff)
	}
	for _, token := range []string{"00", "zz", strings.Repeat("0", 18)} {
		_, _, err := k.Vault.Inbox.ListExceptions(t.Context(), colonel(), 0, token)
		vaulttest.WantErr(t, "ListExceptions("+token+")", err, refusal.ErrInvalid)
	}
	for _, c := range []caller.Caller{{}, vaulttest.Caller(1), customer()} {
		_, _, err := k.Vault.Inbox.ListExceptions(t.Context(), c, 0, "")
		vaulttest.WantErr(t, "ListExceptions(no colonel)", err, refusal.ErrNotFound)
	}
}

func TestExceptionsEnd(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Manual: true})
	vaulttest.MustException(t, k, vaulttest.Caller(1), feedback.Exception{Message: "old"})
	mustSweepAfter(t, k, feedback.ExceptionTime-time.Millisecond)
	list, _ := mustExceptions(t, k, 0, "")
	vaulttest.Want(t, "len(ListExceptions()) before the end", len(list), 1)
	k.Clock.Advance(time.Millisecond)
	list, _ = mustExceptions(t, k, 0, "")
	vaulttest.Want(t, "len(ListExceptions()) at the end", len(list), 0)
	k.MustSweep(t)
	vaulttest.Want(t, "rows after Sweep()", len(vaulttest.RowsIn(t, k.Store, feedback.BucketException)), 0)
	vaulttest.Want(t, "Counts.Exceptions", vaulttest.MustIndex(t, k, colonel()).Counts.Exceptions, 0)
}

// A page fails while it shows a live secret, and its report has the link in
// every field, and in other spellings, too. Readers of reports, logs or the
// data folder find nothing that opens.
func TestExceptionCanaries(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	k := vaulttest.New(t, vaulttest.Options{Manual: true, Log: slog.New(slog.NewTextHandler(&log, nil))})
	key := k.MustConceal(t, vaulttest.Caller(1), "text", secret.Terms{}).Secret.Key.Expose()
	token := seal.NewAPIToken().Expose()
	canaries := []string{
		key, token, hex.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte(key)), "ada@example.com", "203.0.113.7", "2001:db8::7",
	}
	text := "failed: " + strings.Join(canaries, " ") + " https://hush.example/secret/" + key + "?x=" + token + " \"/private/" + key + "\""
	kept := vaulttest.MustException(t, k, vaulttest.Caller(1), feedback.Exception{
		Message: text, Type: key, Stack: "at https://hush.example/secret/" + key + ":1:2\n" + text, URL: "https://ada:" + token + "@hush.example/secret/" + key + "#" + key,
		UserAgent: "Agent " + key, Environment: key, Release: "v" + key,
	})
	list, _ := mustExceptions(t, k, 0, "")
	shown := fmt.Sprintf("%+v %+v", kept, list) + log.String()
	for _, record := range vaulttest.RowsIn(t, k.Store, feedback.BucketException) {
		shown += string(record)
	}
	for _, canary := range canaries {
		if strings.Contains(shown, canary) {
			t.Errorf("what is kept of a report: got %q in it, want it taken out", canary)
		}
	}
	vaulttest.Want(t, "ReceiveException().URL", kept.URL, "https://hush.example/secret/[removed]")
}

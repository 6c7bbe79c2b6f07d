package onetime_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/otstest"
)

// The servers' receipts have the text of a secret. It must not reach a Receipt, an
// error or a notice, where a program would log it.
func TestLeakedTextIsNotShown(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		var seen heard
		f := newForeign(t, protocol, otstest.Options{Release: release}, withAccount(client.Options{Notice: seen.note}))
		shown := &strings.Builder{}
		show := func(values ...any) {
			for _, value := range values {
				fmt.Fprintf(shown, "%v\n%+v\n%#v\n", value, value, value)
			}
		}
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		receipt, err := f.Receipt(t.Context(), shared.Receipt.Key)
		show(shared, shared.Receipt, receipt, err)
		for receipt, err := range f.Receipts(t.Context()) {
			show(receipt, err)
		}
		for receipt, err := range f.Watch(t.Context(), shared.Receipt.Key) {
			show(receipt, err)
			break
		}
		receipt, err = f.Burn(t.Context(), shared.Receipt.Key, client.Text{})
		show(receipt, err)
		show(f.Receipt(t.Context(), shared.Receipt.Key))
		for what, hidden := range map[string]string{"text": aCanary, "token": aToken, "key": shared.Link.Key.Expose(), "key of the receipt": shared.Receipt.Key.Expose()} {
			if strings.Contains(shown.String()+seen.text, hidden) {
				t.Errorf("the %s is shown", what)
			}
		}
	})
}

// The test above proves nothing of a double that does not leak.
func TestDoubleLeaks(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		held := mustConceal(t, f.URL, "/api/v1/share", `secret=`+strings.ReplaceAll(aCanary, " ", "+"))
		answer := get(t, f.URL+"/api/"+protocol.String()+"/private/"+held["metadata_key"].(string))
		if leaks, want := strings.Contains(answer, aCanary), release != otstest.Release0266 || protocol == client.ProtocolV1; leaks != want {
			t.Errorf("a receipt has the text: got %v, want %v", leaks, want)
		}
	})
}

func mustConceal(t *testing.T, base, path, form string) map[string]any {
	t.Helper()
	res, err := http.Post(base+path, "application/x-www-form-urlencoded", strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func get(t *testing.T, address string) string {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A server may repeat what it was sent. Its words are for the sender, but not those.
func TestEchoedTextIsNotShown(t *testing.T) {
	t.Parallel()
	for name, echo := range map[string]string{
		"text":       "Bad secret: " + aCanary,
		"a part":     "Bad secret: " + aCanary[3:14] + "…",
		"passphrase": "Too weak: " + aPhrase,
		"short text": "Bad secret: 4711",
		"terminal":   "\x1b[2J\u202eBad",
	} {
		for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
			body, err := json.Marshal(map[string]string{"message": echo})
			if err != nil {
				t.Fatal(err)
			}
			f := newForeign(t, protocol, otstest.Options{Intercept: otstest.RepliesWith(422, string(body), false)}, client.Options{})
			request := clienttest.Text(aCanary)
			request.Passphrase = client.Hide(aPhrase)
			if name == "short text" {
				request.Content.Bytes = []byte("4711")
			}
			_, err = f.Share(t.Context(), request)
			got := clienttest.WantError(t, "Share", err, client.ErrRefused)
			if strings.ContainsAny(got.Message, "\x1b\u202e") || name != "terminal" && strings.Contains(got.Message, "Bad") || strings.Contains(got.Message, "weak") {
				t.Errorf("%s: got %q, want nothing of it", name, got.Message)
			}
		}
	}
}

// What a server says of a refused text is for its sender.
func TestRefusalIsTold(t *testing.T) {
	t.Parallel()
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		f := newForeign(t, protocol, otstest.Options{Release: otstest.Release02211}, client.Options{})
		request := clienttest.Text(aCanary)
		request.Passphrase = client.Hide("short")
		_, err := f.Share(t.Context(), request)
		if got := clienttest.WantError(t, "Share", err, client.ErrRefused); !strings.Contains(got.Message, "at least 8 characters") {
			t.Errorf("Share: got %q, want the words of the server", got.Message)
		}
	}
}

// Old releases cut a text without a word. It must not be shared like that.
func TestCutTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 100_001)
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		guest := newForeign(t, protocol, otstest.Options{Release: release}, client.Options{})
		_, err := guest.Share(t.Context(), clienttest.Text(long))
		clienttest.WantError(t, "Share(100,001 characters)", err, client.ErrUnsupported)
		if len(guest.Calls()) != 0 {
			t.Errorf("Share(100,001 characters): got the calls %v, want none", guest.Calls())
		}
		owner := newForeign(t, protocol, otstest.Options{Release: release}, withAccount(client.Options{}))
		if release == otstest.Release0266 {
			_, err := owner.Share(t.Context(), clienttest.Text(long))
			if got := clienttest.WantError(t, "Share", err, client.ErrRefused); !strings.Contains(got.Message, "10000 bytes") {
				t.Errorf("Share: got %q, want the words of the server", got.Message)
			}
			return
		}
		shared := clienttest.MustShare(t, owner.Client, clienttest.Text(long))
		opened, err := owner.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
		clienttest.WantText(t, opened, err, long)
		if opened.Incomplete {
			t.Error("Open: got an incomplete text, want all of it")
		}
	})
}

// A server may have a lower limit than that of the reference. Two releases say that
// they cut a text, to the sender or where the key is asked for.
func TestCutTextIsBurned(t *testing.T) {
	t.Parallel()
	for _, release := range []otstest.Release{otstest.ReleaseREF, otstest.Release0205} {
		f := newForeign(t, client.ProtocolV2, otstest.Options{Release: release, TextMax: 10}, client.Options{})
		_, err := f.Share(t.Context(), clienttest.Text(aCanary))
		clienttest.WantError(t, release.String()+": Share", err, client.ErrRefused)
		wantSilent(t, err, client.Shared{})
		if f.Waiting() != 0 {
			t.Errorf("%v: got %d waiting secrets, want that it was burned", release, f.Waiting())
		}
	}
}

// A text that another client shared may be cut. What is left reaches the recipient,
// with a word; v1 has none.
func TestCutTextIsIncomplete(t *testing.T) {
	t.Parallel()
	for _, release := range []otstest.Release{otstest.ReleaseREF, otstest.Release0205, otstest.Release02211} {
		f := newForeign(t, client.ProtocolV2, otstest.Options{Release: release, TextMax: 10}, client.Options{})
		held := mustConceal(t, f.URL, "/api/v1/share", "secret="+strings.Repeat("x", 30))
		link := client.Link{Server: f.URL, Encryption: client.EncryptionServer, Key: client.Hide(held["secret_key"].(string)), Foreign: true}
		opened, err := f.Open(t.Context(), link, client.Text{}, client.Claim{})
		if err != nil || !opened.Incomplete || !strings.HasPrefix(string(opened.Content.Bytes), "xxxxxxxxxx") {
			t.Errorf("%v: Open: got %q, Incomplete %v, %v", release, opened.Content.Bytes, opened.Incomplete, err)
		}
	}
}

// A text with bytes that are not UTF-8 cannot be decoded from JSON as it is.
func TestBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	f := newForeign(t, client.ProtocolV1, otstest.Options{Intercept: otstest.OnReveal(otstest.RepliesWith(200, "{\"value\":\"a\xffb\"}", false))}, client.Options{})
	shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
	opened, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
	if err != nil || !opened.Incomplete {
		t.Errorf("Open: got %q, Incomplete %v, %v, want it incomplete", opened.Content.Bytes, opened.Incomplete, err)
	}
}

// A release forgot the passphrase: anyone with the link could open the secret.
func TestDroppedPassphrase(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		f := newForeign(t, protocol, otstest.Options{Release: release, DropPassphrase: true}, client.Options{})
		request := clienttest.Text(aCanary)
		request.Passphrase = client.Hide(aPhrase)
		_, err := f.Share(t.Context(), request)
		clienttest.WantError(t, "Share", err, client.ErrRefused)
		if f.Waiting() != 0 {
			t.Errorf("got %d waiting secrets, want that it was burned", f.Waiting())
		}
	})
}

// What the protocols cannot do is refused before anything is sent, not left out.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	link, err := client.ParseLink("https://hush.example/e#" + clienttest.Key + "m3Ao1zh6SF5YdWe59rNuOPLlLHUiEnvNLR1EI9lfyKV")
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		f := newForeign(t, protocol, otstest.Options{}, client.Options{})
		for name, change := range map[string]func(*client.ShareRequest){
			"end-to-end":     func(r *client.ShareRequest) { r.Encryption = client.EncryptionEndToEnd },
			"label":          func(r *client.ShareRequest) { r.Label = "for Bob" },
			"group":          func(r *client.ShareRequest) { r.Group = make([]byte, 16) },
			"two recipients": func(r *client.ShareRequest) { r.Recipients = []string{"a@example.com", "b@example.com"} },
			"binary":         func(r *client.ShareRequest) { r.Content.Bytes = []byte{0xff, 0xfe} },
			"binary file": func(r *client.ShareRequest) {
				r.Content = &client.Content{IsFile: true, FileName: "a", Bytes: []byte{0xff}}
			},
			"long passphrase": func(r *client.ShareRequest) { r.Passphrase = client.Hide(strings.Repeat("p", 73)) },
		} {
			request := clienttest.Text(aCanary)
			change(&request)
			_, err := f.Share(t.Context(), request)
			clienttest.WantError(t, "Share: "+name, err, client.ErrUnsupported)
		}
		for name, request := range map[string]client.ShareRequest{
			"nothing": {}, "empty text": clienttest.Text(""), "both": {Content: clienttest.Text("a").Content, Generate: &client.Generate{}},
			"short": {Generate: &client.Generate{Length: 3}},
		} {
			_, err := f.Share(t.Context(), request)
			clienttest.WantError(t, "Share: "+name, err, client.ErrUsage)
		}
		_, err := f.Open(t.Context(), link, client.Text{}, client.NewClaim())
		clienttest.WantError(t, "Open(end-to-end link)", err, client.ErrUnsupported)
		_, err = f.Look(t.Context(), link)
		clienttest.WantError(t, "Look(end-to-end link)", err, client.ErrUnsupported)
		_, err = f.Receipt(t.Context(), client.Hide("../../secret/x"))
		clienttest.WantError(t, "Receipt(path)", err, client.ErrLink)
		_, err = f.Burn(t.Context(), client.Hide(""), client.Text{})
		clienttest.WantError(t, "Burn(nothing)", err, client.ErrLink)
		if len(f.Calls()) != 0 {
			t.Errorf("got the calls %v, want none", f.Calls())
		}
	}
}

// A file of text is shared as its text: there is no place for its name.
func TestFileOfText(t *testing.T) {
	t.Parallel()
	for _, protocol := range []client.Protocol{client.ProtocolV1, client.ProtocolV2} {
		f := newForeign(t, protocol, otstest.Options{}, client.Options{})
		shared := clienttest.MustShare(t, f.Client, client.ShareRequest{Content: &client.Content{IsFile: true, FileName: ".env", Bytes: []byte("A=1\n")}})
		opened, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{})
		clienttest.WantText(t, opened, err, "A=1\n")
	}
}

// The calls as they are on the wire: no GET reveals, forms say that they are forms,
// and the flat request follows only where the wrapped one created nothing.
func TestWire(t *testing.T) {
	t.Parallel()
	onAll(t, func(t *testing.T, release otstest.Release, protocol client.Protocol) {
		var mu sync.Mutex
		bodies := map[string][]string{}
		f := newForeign(t, protocol, otstest.Options{Release: release, Intercept: func(s *otstest.Server, w http.ResponseWriter, r *http.Request) bool {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Errorf("reading a body: %v", err)
			}
			mu.Lock()
			bodies[r.URL.Path] = append(bodies[r.URL.Path], string(body))
			mu.Unlock()
			again := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
			again.Header, again.Host = r.Header, r.Host
			s.Serve(w, again)
			return true
		}}, withAccount(client.Options{}))
		shared := clienttest.MustShare(t, f.Client, clienttest.Text(aCanary))
		if _, err := f.Look(t.Context(), shared.Link); err != nil {
			t.Errorf("Look: got %v, want no error", err)
		}
		if _, err := f.Open(t.Context(), shared.Link, client.Text{}, client.Claim{}); err != nil {
			t.Errorf("Open: got %v, want no error", err)
		}
		want := map[client.Protocol]string{client.ProtocolV1: "application/x-www-form-urlencoded", client.ProtocolV2: "application/json"}[protocol]
		for _, call := range f.Calls() {
			if call.Query != "" || call.User != clienttest.Address || call.Method == http.MethodPost && call.ContentType != want {
				t.Errorf("got the call %+v, want %s and no query", call, want)
			}
		}
		wrapped := 1
		if release == otstest.ReleaseREF {
			wrapped = 2
		}
		if got := len(bodies["/api/v2/secret/conceal"]); protocol == client.ProtocolV2 && got != wrapped {
			t.Errorf("got %d requests to conceal, want %d", got, wrapped)
		}
		if protocol == client.ProtocolV2 && !strings.HasPrefix(bodies["/api/v2/secret/conceal"][0], `{"secret":{`) {
			t.Errorf("got %s, want a wrapped request first", bodies["/api/v2/secret/conceal"][0])
		}
	})
}

// A failure that is not the one of the oldest release may have created a secret.
// Sharing it again, flat, would leave one without a link.
func TestFlatOnlyAfterNothing(t *testing.T) {
	t.Parallel()
	for status, message := range map[int]string{500: "An unexpected error occurred :[", 400: "An error occurred :[", 503: "We'll be back shortly!"} {
		f := newForeign(t, client.ProtocolV2, otstest.Options{Intercept: otstest.RepliesWith(status, `{"message":"`+message+`","success":false}`, true)}, client.Options{})
		_, err := f.Share(t.Context(), clienttest.Text(aCanary))
		if err == nil || len(f.Calls()) != 1 {
			t.Errorf("Share after %d %s: got %v and %d calls, want an error and one", status, message, err, len(f.Calls()))
		}
	}
}

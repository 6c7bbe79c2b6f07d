package mail

import (
	"bytes"
	"maps"
	netmail "net/mail"
	"slices"
	"testing"
	"time"

	"hush/locale"
)

// FuzzCompose checks that whatever a message is made of, it has the headers
// that it should have, each once, and the recipient that it was given.
func FuzzCompose(f *testing.F) {
	catalogue, err := locale.New()
	if err != nil {
		f.Fatal(err)
	}
	post, err := NewPost(Relay{Host: "relay.example", From: "a@hush.example"}, "hush.example", catalogue)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("b@example.com", "c@example.com", "c@example.com", "abc123", "example.com", "https://example.com/", "id")
	f.Add(`"b c"@example.com`, "", "Zoë <b>", "=?utf-8?q?x=0d=0a?=", "x\r\ny", "https://[::1]/?q=%0d%0a", "a.b")
	f.Add("b@[192.0.2.1]", "почта@example.com", "{link} {sender}", " ", "bücher.example", "http://x/#'", "-")
	f.Fuzz(func(t *testing.T, to, replyTo, sender, shortkey, domain, link, id string) {
		for _, kind := range Kinds() {
			m := Message{
				Kind: kind, To: to, ReplyTo: replyTo, Sender: sender, Shortkey: shortkey, Domain: domain,
				Link: link, ID: id, When: time.Unix(1_700_000_000, 0), Expires: time.Unix(1_700_000_100, 0),
			}
			if m.check() == nil {
				checkComposed(t, post, m)
			}
		}
	})
}

func checkComposed(t *testing.T, post *Post, m Message) {
	t.Helper()
	letter, err := post.compose(m)
	if err != nil {
		t.Fatalf("compose(%q): %v", m.To, err)
	}
	var written bytes.Buffer
	if _, err := letter.WriteTo(&written); err != nil {
		t.Fatalf("WriteTo: %v", err)
	}
	read, err := netmail.ReadMessage(&written)
	if err != nil {
		t.Fatalf("ReadMessage: %v", err)
	}
	want := []string{"Auto-Submitted", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To", "X-Auto-Response-Suppress"}
	if m.Kind == KindShare {
		want = []string{"Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}
		if m.ReplyTo != "" {
			want = slices.Insert(want, 5, "Reply-To")
		}
	}
	if got := slices.Sorted(maps.Keys(read.Header)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("headers: got %q, want %q", got, want)
	}
	for name, values := range read.Header {
		if len(values) != 1 {
			t.Errorf("header %s: got %q, want it once", name, values)
		}
	}
	recipients, err := letter.GetRecipients()
	if err != nil || !slices.Equal(recipients, []string{"<" + m.To + ">"}) {
		t.Errorf("recipients of %q: got %q, %v, want it alone", m.To, recipients, err)
	}
}

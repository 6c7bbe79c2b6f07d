package mail_test

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"hush/locale"
	"hush/mail"
	"hush/mail/mailtest"
)

func TestEveryKindInEveryLanguage(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	post := mustPost(t, relayOf(s))
	subjects := make(map[mail.Kind][]string)
	for _, kind := range mail.Kinds() {
		for _, l := range locale.Supported() {
			m := message(kind)
			m.Locale = l
			mustSend(t, post, m)
			got := s.Messages()
			s.Forget()
			checkParts(t, got[0], kind, l)
			subjects[kind] = append(subjects[kind], got[0].Header("Subject"))
		}
	}
	for kind, all := range subjects {
		slices.Sort(all)
		if got, want := len(slices.Compact(all)), len(locale.Supported()); got != want {
			t.Errorf("subjects of %s: got %d of %d different: %q", kind, got, want, all)
		}
	}
}

func checkParts(t *testing.T, r mailtest.Received, kind mail.Kind, l locale.Locale) {
	t.Helper()
	text, page := r.Text(), r.HTML()
	if got := r.Link(t); got != link {
		t.Errorf("%s in %s: got the link %q, want %q", kind, l, got, link)
	}
	for _, left := range []string{text, page, r.Header("Subject")} {
		if left == "" || regexp.MustCompile(`\bmail\.[a-z]|\{[a-z]+\}`).MatchString(left) {
			t.Errorf("%s in %s: got %q, want every text and value in its place", kind, l, left)
		}
	}
	links, shown := readPage(t, page)
	if diff := cmp.Diff([]string{link, link}, links); diff != "" {
		t.Errorf("%s in %s: addresses of the page (-want +got):\n%s", kind, l, diff)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimSuffix(line, ":\n")); line != "--" && !strings.Contains(shown, line) {
			t.Errorf("%s in %s: got no %q in the page, want what is in the text", kind, l, line)
		}
	}
	if subject := r.Header("Subject"); !strings.Contains(shown, subject) {
		t.Errorf("%s in %s: got no %q in the page, want the subject for its title", kind, l, subject)
	}
	if lang := `<html lang="` + strings.ReplaceAll(string(l), "_", "-") + `" dir="` + l.Direction() + `">`; !strings.Contains(page, lang) {
		t.Errorf("%s in %s: got no %s, want it in the page", kind, l, lang)
	}
}

// readPage returns every address that the page refers to and what it shows. It
// fails the test for anything that a mail program fetches or runs.
func readPage(t *testing.T, page string) (addresses []string, shown string) {
	t.Helper()
	var text strings.Builder
	styled := false
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				t.Errorf("page: %v", err)
			}
			return addresses, text.String()
		case html.TextToken:
			part := z.Token().Data
			if styled && (strings.Contains(part, "url(") || strings.Contains(part, "@import")) {
				t.Errorf("page: got the style %q, want it to fetch nothing", part)
			}
			text.WriteString(part)
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			styled = token.Data == "style"
			if !slices.Contains([]string{"html", "head", "meta", "title", "style", "body", "table", "tr", "td", "p", "a", "br"}, token.Data) {
				t.Errorf("page: got <%s>, want text and links only", token.Data)
			}
			for _, a := range token.Attr {
				if a.Key == "href" && token.Data == "a" {
					addresses = append(addresses, a.Val)
				} else if strings.Contains(a.Val, "//") || strings.Contains(a.Val, "url(") {
					t.Errorf("page: got %s=%q, want no address there", a.Key, a.Val)
				}
			}
		default: // ends of elements
		}
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	mustSend(t, mustPost(t, relayOf(s)), message(mail.KindShare))
	r := s.Wait(t, 1)[0]
	want := sender + " is sharing a secret with you. It opens only once, so open it when you're ready to save it.\n\n" +
		"You need a passphrase to open it. It isn't in this message: the sender will give it to you separately.\n\n" +
		"Open secret:\n" + link + "\n\n" +
		"The link works until 2026-03-04 14:06 UTC.\n\n" +
		"-- \nSent by hush.example.\n"
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Errorf("text of a share (-want +got):\n%s", diff)
	}
	checkHeaders(t, r, map[string]string{
		"From":           `"Hush" <no-reply@hush.example>`,
		"To":             "<" + recipient + ">",
		"Reply-To":       "<" + sender + ">",
		"Subject":        sender + " sent you a secret",
		"Date":           "Wed, 04 Mar 2026 13:06:07 +0000",
		"Message-Id":     "<id-1@hush.example>",
		"Auto-Submitted": "",
		"User-Agent":     "",
		"X-Mailer":       "",
	})
	if r.From != "no-reply@hush.example" || !slices.Equal(r.To, []string{recipient}) || r.Hello != "hush.example" {
		t.Errorf("envelope: got %q to %q as %q, want the relay's sender, the recipient and the domain", r.From, r.To, r.Hello)
	}
}

func checkHeaders(t *testing.T, r mailtest.Received, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := r.Header(name); got != value {
			t.Errorf("Header(%s): got %q, want %q", name, got, value)
		}
	}
	for name, count := range r.Headers() {
		if count != 1 {
			t.Errorf("header %s: got it %d times, want once", name, count)
		}
	}
}

func TestNotice(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	m := message(mail.KindOpened)
	m.Link = ""
	mustSend(t, mustPost(t, relayOf(s)), m)
	r := s.Wait(t, 1)[0]
	want := "Your secret abc123 was opened: 2026-03-04 13:06 UTC.\n\n" +
		"If the intended recipient didn't open it, someone else has read it.\n\n" +
		"-- \nSent by hush.example.\n"
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Errorf("text of a notice (-want +got):\n%s", diff)
	}
	if strings.Contains(r.HTML(), "href") {
		t.Errorf("page of a notice without a link: got %s, want none", r.HTML())
	}
	checkHeaders(t, r, map[string]string{
		"Reply-To":                 "",
		"Auto-Submitted":           "auto-generated",
		"X-Auto-Response-Suppress": "All",
	})
}

func TestWhatIsNotGiven(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	post := mustPost(t, relayOf(s))
	for range 2 {
		mustSend(t, post, mail.Message{Kind: mail.KindShare, To: recipient, Link: link, Locale: "xx"})
	}
	all := s.Wait(t, 2)
	text := all[0].Text()
	for _, absent := range []string{"passphrase", "UTC", "0001"} {
		if strings.Contains(text, absent) {
			t.Errorf("share without more: got %q, want nothing of %s", text, absent)
		}
	}
	if got, want := all[0].Header("Subject"), "hush.example sent you a secret"; got != want {
		t.Errorf("subject without a sender: got %q, want %q", got, want)
	}
	if _, err := time.Parse(time.RFC1123Z, all[0].Header("Date")); err != nil {
		t.Errorf("date of a message without one: got %q, want the moment of sending", all[0].Header("Date"))
	}
	ids := regexp.MustCompile(`^<[A-Z2-7]{26}@hush\.example>$`)
	if a, b := all[0].Header("Message-Id"), all[1].Header("Message-Id"); a == b || !ids.MatchString(a) {
		t.Errorf("drawn ids: got %q and %q, want two of the sender's domain", a, b)
	}
}

// The attack: a stranger chooses a name that becomes markup in the page.
func TestMarkupIsText(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t)
	m := message(mail.KindInvite)
	m.Sender = `<img src=x onerror="alert(1)"> {link} </title>`
	mustSend(t, mustPost(t, relayOf(s)), m)
	r := s.Wait(t, 1)[0]
	if _, shown := readPage(t, r.HTML()); !strings.Contains(shown, m.Sender) {
		t.Errorf("page: got it shown as %q, want the sender as it is", shown)
	}
	if !strings.Contains(r.Text(), m.Sender) {
		t.Errorf("text: got %q, want the sender as it is", r.Text())
	}
}

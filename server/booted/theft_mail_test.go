package booted_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hush/mail/mailtest"
	"hush/routes/apitest"
	"hush/server/servertest"
	"hush/storage"
)

// The attack: the thief has the data folder, copied while a mail with a link
// was waiting, and comes back with the root key when it was delivered. Then the
// folder holds no link any more, not even together with the old database.
func TestTheftAfterMail(t *testing.T) {
	t.Parallel()
	mails := mailtest.New(t)
	env, s := servertest.StartAccounts(t, servertest.InFolder, "--rate-limits=off", "--smtp-host", mails.Addr, "--smtp-tls=none", "--mail-from=hush@hush.example")
	client := servertest.HTTPClient(t, false, nil)
	mails.Delay(10 * time.Second) // the mail waits while the thief copies
	form := "secret=for+a+friend&recipient=friend@elsewhere.com"
	kept := apitest.Send(t, client, http.MethodPost, s.URL+"/api/v1/share", apitest.Basic(env.Ada.Address, env.Ada.Token), form).OK(t, "share")
	before := copyOf(t, s.Data)
	mails.Delay(0)
	link := kept.At(t, "secret_key")
	l := readLoot(t, before)
	waiting := l.mailsWith(before, link)
	if len(waiting) != 1 {
		t.Fatalf("mails with the link: got %d, want the one that the service has to read itself", len(waiting))
	}
	servertest.WaitUntil(t, "the mail to be sent", func() bool {
		return slices.ContainsFunc(mails.Messages(), func(m mailtest.Received) bool { return strings.Contains(m.Text(), link) })
	})
	servertest.WaitUntil(t, "the mail's share to be overwritten", func() bool { return l.open(waiting[0], copyOf(t, s.Data)) == "" })
	after := copyOf(t, s.Data)
	for _, row := range readLoot(t, after).rows["outbox"] {
		if bytes.Equal(row.key[8:], waiting[0].key[8:]) {
			t.Error("mails that wait: got the one that was sent, want it gone")
		}
	}
	sent := &apitest.Canaries{}
	sent.Add("mailed link", link)
	sent.Add("recipient", "friend@elsewhere.com")
	sent.Add("mailed secret", "for a friend, of ada")
	sent.Search(t, "the data folder", slices.Concat(after["hush.db"], after["shares"]))
	servertest.Drivers(t, s, nil)[0].Reveal(t.Context(), link, "").WantValue(t, "reveal by the friend", "for a friend")
}

// mailsWith returns the queued mails that something in the files opens and that
// have words in them.
func (l *loot) mailsWith(files map[string][]byte, words string) (found []lootRow) {
	for _, row := range l.rows["outbox"] {
		if strings.Contains(l.open(row, files), words) {
			found = append(found, row)
		}
	}
	return found
}

// open tries everything in files as the share of a queued mail.
func (l *loot) open(row lootRow, files map[string][]byte) string {
	for at := 0; at+4 <= len(row.value); at++ {
		if int(binary.BigEndian.Uint32(row.value[at:])) != len(row.value)-at-4 {
			continue
		}
		for _, name := range []string{"shares", "hush.db"} {
			if opened := l.openWith(files[name], row.key[8:], row.value[at+4:]); opened != "" {
				return opened
			}
		}
	}
	return ""
}

// openWith tries the words of a file; shares begin at a multiple of 8.
func (l *loot) openWith(content, row, sealed []byte) string {
	for at := 0; at+storage.ShareSize <= len(content); at += 8 {
		share := [storage.ShareSize]byte(content[at:])
		if share == [storage.ShareSize]byte{} {
			continue
		}
		if opened, err := l.keys.OpenMail(share, row, sealed); err == nil {
			return string(opened)
		}
	}
	return ""
}

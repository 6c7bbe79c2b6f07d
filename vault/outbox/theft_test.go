package outbox_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hush/storage"
	"hush/vault/outbox"
	"hush/vault/refusal"
	"hush/vault/secret"
	"hush/vault/vaulttest"
)

// queuedMails returns the rows of the queue as a thief reads them.
func queuedMails(t *testing.T, s storage.Store) (mails []outbox.StoredMail) {
	t.Helper()
	err := s.View(t.Context(), func(tx storage.Tx) error {
		mails = nil
		return tx.Range(outbox.BucketOutbox, nil, nil, func(key, value []byte) error {
			mail, err := outbox.StoredMailOf(bytes.Clone(key), bytes.Clone(value))
			mails = append(mails, mail)
			return err
		})
	})
	vaulttest.Want(t, "Range(queue)", err, nil)
	return mails
}

// openedBy tries everything in the files of a folder as the share of a mail,
// and returns the link's key if anything opens it. Shares begin at a multiple
// of 8.
func openedBy(t *testing.T, k *vaulttest.Kit, mail outbox.StoredMail, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	vaulttest.Want(t, "ReadDir(data folder)", err, nil)
	for _, file := range files {
		if file.IsDir() {
			continue // of the contents of files, which hold no shares
		}
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		vaulttest.Want(t, "ReadFile("+file.Name()+")", err, nil)
		for at := 0; at+storage.ShareSize <= len(content); at += 8 {
			share := [storage.ShareSize]byte(content[at:])
			if share == [storage.ShareSize]byte{} {
				continue
			}
			if opened, err := mail.Open(k.Keys, share); err == nil {
				return string(opened.Key)
			}
		}
	}
	return ""
}

// The attack: the thief has the data folder and the root key. While a mail
// waits, its link can be read: the service itself has to read it to send it.
// This is the documented exception, and it ends with the wait. A copy that is
// taken after the mail was sent, given up or dropped opens no link, not even
// together with the database from before.
func TestTheftOfQueuedMail(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, k *mailKit, kept secret.Concealed){
		"sent": func(*testing.T, *mailKit, secret.Concealed) {},
		"given up": func(_ *testing.T, k *mailKit, _ secret.Concealed) {
			k.post.fail(refusal.ErrUndeliverable)
		},
		"dropped": func(t *testing.T, k *mailKit, kept secret.Concealed) {
			t.Helper()
			k.MustBurn(t, k.sender, kept.Metadata.Key, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newMailKit(t, vaulttest.Options{Folder: true})
			kept := k.mustShare(t)
			mails := queuedMails(t, k.Store)
			vaulttest.Want(t, "mails that wait", len(mails), 1)
			vaulttest.Want(t, "link in a copy from before", openedBy(t, k.Kit, mails[0], k.CopyDir(t)), kept.Secret.Key.Expose())

			end(t, k, kept)
			vaulttest.MustPost(t, k.Kit)
			vaulttest.Want(t, "mails that wait", len(queuedMails(t, k.Store)), 0)
			vaulttest.Want(t, "link in a copy from after", openedBy(t, k.Kit, mails[0], k.CopyDir(t)), "")
			vaulttest.AwaitShred(t, k.Kit)
		})
	}
}

// The attack: the thief has the data folder, but not the root key. No address
// and no link can be read in it, even while the mail waits.
func TestTheftOfQueuedMailWithoutRootKey(t *testing.T) {
	t.Parallel()
	k := newMailKit(t, vaulttest.Options{})
	kept := k.mustShare(t)
	vaulttest.Want(t, "QueueNotice()", k.Vault.Outbox.QueueNotice(t.Context(), outbox.Mail{Kind: outbox.MailTaken, To: friend}), nil)
	content := k.Stored(t)
	for _, canary := range []string{friend, mailer, kept.Secret.Key.Expose()[:25]} {
		for _, form := range vaulttest.Spellings(canary) {
			vaulttest.Want(t, "the store holds a canary", bytes.Contains(content, []byte(form)), false)
		}
	}
}

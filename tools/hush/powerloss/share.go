package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault/claim"
	"hush/vault/secret"
)

// sealed is a row that holds a secret's text, and what opens it beside the link and
// the root key. The layouts of both kinds of rows are drawn at vault's secretRecord and
// at claim.Record:
//
//	version 1 | slot 8 | generation 8 | header (4, bytes) | sealed content
type sealed struct {
	bucket string
	kidAt  int      // where the header has the id of the root key
	hash   [32]byte // that the key is derived with
}

// sealedText is the row of a secret that waits.
func sealedText() sealed { return sealed{bucket: secret.BucketSecret} }

// sealedClaim is the row of a secret that is bound to its claim.
func sealedClaim(s *keptSecret) sealed {
	return sealed{claim.BucketClaim, len("claim"), sha256.Sum256(append([]byte("hush claim"), s.Claim...))}
}

func (r sealed) isClaim() bool { return r.bucket == claim.BucketClaim }

// findShare finds the share of such a row in a state that has it, and proves
// that it is the one: with the root key, the link and the claim it opens the text.
func (e *examiner) findShare(state snapshot, s *keptSecret, r sealed) (share [shareSize]byte, err error) {
	defer recovered(&err)
	if err := e.lay(state); err != nil {
		return share, err
	}
	folder, err := bolt.OpenFolder(e.dir)
	if err != nil {
		return share, err
	}
	defer folder.Close()
	keys, err := rootKeyOf(folder)
	if err != nil {
		return share, err
	}
	store, shares, err := folder.Open(bolt.Options{})
	if err != nil {
		return share, err
	}
	token, _ := seal.ParseToken(s.Key)
	row := token.RowKey(seal.KindSecret)
	var record []byte
	err = store.View(context.Background(), func(tx storage.Tx) (err error) {
		record, err = tx.Get(r.bucket, row[:])
		return err
	})
	if err != nil {
		return share, err
	}
	slot := storage.Slot{Number: binary.BigEndian.Uint64(record[1:]), Generation: binary.BigEndian.Uint64(record[9:])}
	if share, err = shares.Get(context.Background(), slot); err != nil {
		return share, err
	}
	header := 21 + int(binary.BigEndian.Uint32(record[17:]))
	key, err := keys.SecretKeys().Key([4]byte(record[21+r.kidAt:]), token, row, share, r.hash)
	if err != nil {
		return share, err
	}
	text, err := key.Open(record[21:header], record[header:])
	if err == nil && string(text) != s.Text {
		err = errText
	}
	return share, err
}

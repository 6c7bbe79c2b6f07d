package booted_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"hush/routes/apitest"
	"hush/seal"
	"hush/server/servertest"
	"hush/storage"
	"hush/storage/bolt"
)

// secretsOf returns what only the owners of the test environment's accounts know.
func secretsOf(k *servertest.Env) *apitest.Canaries {
	c := &apitest.Canaries{}
	c.Add("password", apitest.Password)
	c.Add("revoked token", k.Revoked)
	for _, a := range []apitest.Account{k.Ada, k.Bob, k.Cleo, k.Dan} {
		c.Add("address", a.Address)
		tokens := []string{a.Token}
		for _, narrow := range a.Narrow {
			tokens = append(tokens, narrow)
		}
		for _, token := range tokens {
			addDecoded(c, "token", token, hex.DecodeString)
		}
		for _, session := range a.Sessions {
			addDecoded(c, "cookie", session.Cookie, base64.RawURLEncoding.DecodeString)
			c.Add("shrimp", session.Shrimp)
		}
	}
	for _, a := range []apitest.Account{k.Ada, k.Bob, k.Cleo} {
		c.Add("secret", "guarded, of "+a.Address)
		for _, key := range []seal.Token{a.Plain.Secret.Key, a.Plain.Metadata.Key, a.Guarded.Secret.Key, a.Guarded.Metadata.Key} {
			c.Add("link", key.Expose())
		}
	}
	return c
}

// addDecoded adds a credential as it is sent, and the bytes that it stands for.
func addDecoded(c *apitest.Canaries, field, text string, decode func(string) ([]byte, error)) {
	c.Add(field, text)
	if raw, err := decode(text); err == nil {
		c.Add(field+", decoded", string(raw))
	}
}

// loot is what a thief with the root key reads in a data folder.
type loot struct {
	keys *seal.Keys
	rows map[string][]lootRow // by bucket
}

type lootRow struct{ key, value []byte }

// wantedBuckets are those that have to do with accounts and what they list.
func wantedBuckets() []string {
	return []string{
		"account", "address", "tally", "pair", "session", "sessions", "token", "tokens", "ticket", "entry",
		"metadata", "secret", "timeline", "outbox", "delivery",
	}
}

// readLoot opens the files of a copy as the program does.
func readLoot(t *testing.T, files map[string][]byte) *loot {
	t.Helper()
	data := unpack(t, files)
	folder, err := bolt.OpenFolder(data)
	if err != nil {
		t.Fatalf("OpenFolder(copy): got %v, want nil", err)
	}
	defer folder.Close()
	store, _, err := folder.Open(bolt.Options{})
	if err != nil {
		t.Fatalf("Open(copy): got %v, want nil", err)
	}
	l := &loot{rows: map[string][]lootRow{}}
	for _, bucket := range wantedBuckets() {
		err := store.View(t.Context(), func(tx storage.Tx) error {
			l.rows[bucket] = nil
			return tx.Range(bucket, nil, nil, func(key, value []byte) error {
				l.rows[bucket] = append(l.rows[bucket], lootRow{bytes.Clone(key), bytes.Clone(value)})
				return nil
			})
		})
		if err != nil {
			t.Fatalf("Range(%s): got %v, want nil", bucket, err)
		}
	}
	content, err := os.ReadFile(filepath.Join(data, "root.key"))
	if err != nil {
		t.Fatalf("reading the root key: got %v, want nil", err)
	}
	root, err := seal.ParseRootKey(content)
	if err != nil {
		t.Fatalf("ParseRootKey: got %v, want nil", err)
	}
	l.keys = seal.NewKeys(root)
	return l
}

// sized returns the parts of a record that stand behind a length of size.
func sized(record []byte, size int) (parts [][]byte) {
	for at := 0; at+4+size <= len(record); at++ {
		if int(binary.BigEndian.Uint32(record[at:])) == size {
			parts = append(parts, record[at+4:at+4+size])
		}
	}
	return parts
}

// wrappedSize and boxSize are the lengths of a wrapped key and of an entry's
// box; see seal.
const (
	wrappedSize = 60
	boxSize     = 79
)

// unwrap tries holders on every wrapped key in a record, for every pair that
// the record names.
func (l *loot) unwrap(record []byte, holders []seal.WrappingSecret) (opened []seal.AccountKey) {
	for _, pair := range l.rows["pair"] {
		if !bytes.Contains(record, pair.key[16:]) && !bytes.Equal(record, pair.value) {
			continue
		}
		for _, wrapped := range sized(record, wrappedSize) {
			for _, holder := range holders {
				for _, kind := range []byte("pst") {
					key, err := l.keys.UnwrapAccountKey(holder, append(bytes.Clone(pair.key), kind), wrapped)
					if err == nil {
						opened = append(opened, key)
					}
				}
			}
		}
	}
	return opened
}

// guesses takes the bytes of a row for the credential that they are the hash
// of.
func (r lootRow) guesses() (holders []seal.WrappingSecret) {
	for _, content := range [][]byte{r.key, r.value} {
		for at := range content {
			if at+20 <= len(content) {
				if token, ok := seal.ParseAPIToken(hex.EncodeToString(content[at : at+20])); ok {
					holders = append(holders, token.WrappingSecret())
				}
			}
			if at+32 <= len(content) {
				if session, ok := seal.ParseSessionID(base64.RawURLEncoding.EncodeToString(content[at : at+32])); ok {
					holders = append(holders, session.WrappingSecret())
				}
			}
		}
	}
	return holders
}

// read opens whatever keys open of the entries, and with that the receipts. It
// returns the links of secrets.
func (l *loot) read(keys []seal.AccountKey) (links []string) {
	receipts := map[string][]byte{}
	for _, r := range l.rows["metadata"] {
		receipts[string(r.key)] = r.value
	}
	for _, entry := range l.rows["entry"] {
		row := seal.RowKey(entry.key[len(entry.key)-len(seal.RowKey{}):])
		for _, box := range sized(entry.value, boxSize) {
			for _, key := range keys {
				receipt, err := key.OpenEntry(row, box)
				if err != nil {
					continue
				}
				for _, sealed := range sized(receipts[string(row[:])], 12+31+16) {
					if link, err := l.keys.OpenMetadata(receipt, row, "key", sealed); err == nil {
						links = append(links, string(link))
					}
				}
			}
		}
	}
	return links
}

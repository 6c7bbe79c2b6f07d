package doctor_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hush/seal"
	"hush/storage"
	"hush/storage/bolt"
	"hush/vault/answer"
	"hush/vault/audit"
	"hush/vault/claim"
	"hush/vault/cluster"
	"hush/vault/counter"
	"hush/vault/doctor"
	"hush/vault/exam"
	"hush/vault/keylist"
	"hush/vault/passphrase"
	"hush/vault/receipt"
	"hush/vault/request"
	"hush/vault/rows"
	"hush/vault/secret"
	"hush/vault/shares"
	"hush/vault/sweep"
	"hush/vault/vaulttest"
)

// damage is something that an examination must find.
type damage struct {
	name string
	do   func(t *testing.T, f *folder)
	want []doctor.Code
}

func codes(list ...doctor.Code) []doctor.Code { return list }

// Each damage of a folder is found, and nothing else is.
func TestDamages(t *testing.T) {
	t.Parallel()
	whole := fill(t)
	t.Run("none", func(t *testing.T) { whole.wantCodes(t) })
	known := map[doctor.Code]bool{}
	for _, i := range doctor.Codes() {
		known[i.Code] = true
	}
	for _, list := range [][]damage{storeDamages(), secretDamages(), fileDamages(), requestDamages(), accountDamages()} {
		for _, d := range list {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				f := whole.copied(t)
				d.do(t, &f)
				f.wantCodes(t, d.want...)
				for _, code := range d.want {
					vaulttest.Want(t, "Codes() has "+string(code), known[code], true)
				}
			})
		}
	}
}

// storeDamages are those of files, pages and of what belongs to no package.
func storeDamages() []damage {
	return []damage{
		{"share with a flipped bit", func(t *testing.T, f *folder) {
			f.flip(t, "shares", int64(slotOf(secretOf(t, f).value).Number)*64)
		}, codes(exam.CodeSlotDamaged, exam.CodeShareMissing)},
		{"header of shares with a flipped bit", func(t *testing.T, f *folder) { f.flip(t, "shares", 20) }, codes(doctor.CodeShares)},
		{"shares cut short", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Truncate()", os.Truncate(filepath.Join(f.dir, "shares"), 64), nil)
		}, codes(exam.CodeShareMissing)},
		{"shares grown in part", func(t *testing.T, f *folder) {
			info, err := os.Stat(filepath.Join(f.dir, "shares"))
			vaulttest.Want(t, "Stat()", err, nil)
			vaulttest.Want(t, "Truncate()", os.Truncate(filepath.Join(f.dir, "shares"), info.Size()+20), nil)
		}, codes(doctor.CodeSharesTorn)},
		{"shares of another folder", func(t *testing.T, f *folder) {
			other := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
			other.Close(t)
			content, err := os.ReadFile(filepath.Join(other.Dir, "shares"))
			vaulttest.Want(t, "ReadFile()", err, nil)
			vaulttest.Want(t, "WriteFile()", os.WriteFile(filepath.Join(f.dir, "shares"), content, 0o600), nil)
		}, codes(doctor.CodeShares)},
		{"database cut short", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Truncate()", os.Truncate(filepath.Join(f.dir, "hush.db"), 5*int64(os.Getpagesize())), nil)
		}, codes(doctor.CodeDatabase)},
		{"no database but an empty file", func(t *testing.T, f *folder) {
			vaulttest.Want(t, "Truncate()", os.Truncate(filepath.Join(f.dir, "hush.db"), 0), nil)
		}, codes(doctor.CodeDatabase)},
		{"page in the middle of the database", func(t *testing.T, f *folder) {
			// The first page that is in use; others are free.
			for page := int64(8); f.examine(t).Count(doctor.LevelError) == 0; page++ {
				f.flip(t, "hush.db", page*int64(os.Getpagesize())+9)
			}
		}, codes(doctor.CodeDatabase)},
		{"wrong root key", func(_ *testing.T, f *folder) { f.root = seal.NewRootKey() }, codes(exam.CodeWrongKey)},
		{"verifier missing", func(t *testing.T, f *folder) {
			f.put(t, rows.BucketSystem, []byte(keylist.SystemVerifier), nil)
		}, codes(exam.CodeVerifier)},
		{"clock of 2099", func(t *testing.T, f *folder) {
			f.edit(t, func(tx storage.Tx) error { return cluster.PutMark(tx, f.now.AddDate(73, 0, 0)) })
		}, codes(exam.CodeClockAhead)},
		{"row that cannot be read", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketMetadata, f.rows(t, receipt.BucketMetadata)[0].key, []byte("damaged"))
		}, codes(exam.CodeRow)},
		{"bucket of another release", func(t *testing.T, f *folder) {
			f.put(t, "later", []byte("key"), []byte("value"))
		}, codes(doctor.CodeBucket)},
		{"own row of another release", func(t *testing.T, f *folder) {
			f.put(t, rows.BucketSystem, []byte("later"), []byte("value"))
		}, codes(exam.CodeSystem)},
		{"gap in the audit trail", func(t *testing.T, f *folder) {
			f.put(t, audit.BucketAudit, f.rows(t, audit.BucketAudit)[3].key, nil)
		}, codes(exam.CodeAuditGap)},
		{"end of the audit trail missing", func(t *testing.T, f *folder) {
			list := f.rows(t, audit.BucketAudit)
			f.put(t, audit.BucketAudit, list[len(list)-1].key, nil)
		}, codes(exam.CodeAuditGap)},
		{"audit row beyond the last number", func(t *testing.T, f *folder) {
			f.put(t, rows.BucketSystem, []byte(audit.SystemAudit), vaulttest.Number(uint64(len(f.rows(t, audit.BucketAudit))-1)))
		}, codes(exam.CodeAuditBeyond)},
		{"counter off by one", func(t *testing.T, f *folder) {
			f.edit(t, rows.Plain(func(tx *rows.Tx) error { return counter.Add(tx, counter.Change{Counter: counter.Secrets, By: 1}) }))
		}, codes(exam.CodeCounter)},
	}
}

// requestDamages are those of requests and their answers.
func requestDamages() []damage {
	waiting := func(t *testing.T, f *folder) row {
		t.Helper()
		const state = 1 + 4 + 8 + 8 + 8 + 1 // where the state of an answer is
		for _, r := range f.rows(t, answer.BucketAnswer) {
			if receipt.State(r.value[state]).Live() {
				return r
			}
		}
		t.Fatal("answers: got none that waits, want one")
		return row{}
	}
	return []damage{
		{"secret without its answer", func(t *testing.T, f *folder) {
			f.put(t, answer.BucketAnswer, waiting(t, f).key, nil)
		}, codes(answer.CodeUnnamed, answer.CodeTally)},
		{"answer without its secret", func(t *testing.T, f *folder) {
			r := waiting(t, f)
			const secretRow = 1 + 4 + 8 + 8 + 8 + 1 + 1 + 1 + 8 + 8
			f.put(t, secret.BucketSecret, r.value[secretRow:secretRow+22], nil)
		}, codes(answer.CodeSecret, exam.CodeReceiptSecret, exam.CodeCounter)},
		{"claim on an answer lost", func(t *testing.T, f *folder) {
			for _, r := range f.rows(t, claim.BucketClaim) {
				if r.value[0] == 3 {
					f.put(t, claim.BucketClaim, r.key, nil)
				}
			}
		}, codes(answer.CodeSecret, exam.CodeReceiptClaim, exam.CodeDeadlineStray)},
		{"answer that cannot be read", func(t *testing.T, f *folder) {
			f.put(t, answer.BucketAnswer, waiting(t, f).key, []byte("damaged"))
		}, codes(exam.CodeRow, answer.CodeTally)},
		{"answers of no request", func(t *testing.T, f *folder) {
			r := waiting(t, f)
			f.put(t, answer.BucketAnswer, append(make([]byte, 22), r.key[22:]...), r.value)
		}, codes(answer.CodeRequest)},
		{"tally of no request", func(t *testing.T, f *folder) {
			for _, r := range f.rows(t, answer.BucketAnswers) {
				if bytes.HasPrefix(waiting(t, f).key, r.key) {
					f.put(t, answer.BucketAnswers, make([]byte, 22), r.value)
				}
			}
		}, codes(answer.CodeRequest, answer.CodeTally)},
		{"tally missing", func(t *testing.T, f *folder) {
			f.put(t, answer.BucketAnswers, waiting(t, f).key[:22], nil)
		}, codes(answer.CodeTally, answer.CodeRequest)},
		{"places counted wrongly", func(t *testing.T, f *folder) {
			r := f.rows(t, answer.BucketAnswers)[0]
			r.value[4]++
			f.put(t, answer.BucketAnswers, r.key, r.value)
		}, codes(answer.CodeTally)},
		{"request missing", func(t *testing.T, f *folder) {
			f.put(t, request.BucketRequest, waiting(t, f).key[:22], nil)
		}, codes(request.CodeCollection, request.CodeIndexStray, answer.CodeRequest)},
		{"collect link missing", func(t *testing.T, f *folder) {
			f.put(t, request.BucketCollection, f.rows(t, request.BucketCollection)[0].key, nil)
		}, codes(request.CodeCollection)},
		{"collect link that leads elsewhere", func(t *testing.T, f *folder) {
			list := f.rows(t, request.BucketCollection)
			f.put(t, request.BucketCollection, list[0].key, list[1].value)
		}, codes(request.CodeCollection)},
		{"request that is not listed", func(t *testing.T, f *folder) {
			f.put(t, request.BucketRequests, f.rows(t, request.BucketRequests)[0].key, nil)
		}, codes(request.CodeIndex)},
		{"request that is listed twice", func(t *testing.T, f *folder) {
			key := f.rows(t, request.BucketRequests)[0].key
			key[1] ^= 1
			f.put(t, request.BucketRequests, key, []byte{})
		}, codes(request.CodeIndexStray)},
		{"request that is never forgotten", func(t *testing.T, f *folder) {
			for _, r := range f.rows(t, sweep.BucketDue) {
				if sweep.DueKind(r.key[8]) == sweep.DueRequest {
					f.put(t, sweep.BucketDue, r.key, nil)
				}
			}
		}, codes(exam.CodeDueMissing)},
	}
}

// secretDamages are those of secrets, receipts and shares.
func secretDamages() []damage {
	slot := func(t *testing.T, f *folder, change func(storage.Slot) storage.Slot) {
		t.Helper()
		r := secretOf(t, f)
		f.put(t, secret.BucketSecret, r.key, vaulttest.WithSlot(r.value, change(slotOf(r.value))))
	}
	return []damage{
		{"secret without receipt", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketMetadata, receiptOf(t, f), nil)
		}, codes(exam.CodeSecretReceipt, exam.CodeExpiryStray, exam.CodeCounter)},
		{"receipt without secret", func(t *testing.T, f *folder) {
			f.put(t, secret.BucketSecret, secretOf(t, f).key, nil)
		}, codes(exam.CodeReceiptSecret, exam.CodeCounter)},
		{"receipt of no state", func(t *testing.T, f *folder) {
			key := receiptOf(t, f)
			for _, r := range f.rows(t, receipt.BucketMetadata) {
				if string(r.key) == string(key) {
					r.value[1] = 9
					f.put(t, receipt.BucketMetadata, key, r.value)
				}
			}
		}, codes(exam.CodeReceiptState, exam.CodeSecretReceipt)},
		{"secret that never expires", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketExpiry, expiryOf(t, f, receiptOf(t, f)), nil)
		}, codes(exam.CodeExpiryMissing)},
		{"secret that expires late", func(t *testing.T, f *folder) {
			key := expiryOf(t, f, receiptOf(t, f))
			f.put(t, receipt.BucketExpiry, key, nil, append(vaulttest.Number(uint64(f.now.AddDate(0, 1, 0).UnixMilli())), key[8:]...), []byte{})
		}, nil}, // the sweeper puts off what it cannot read
		{"expiry of nothing", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketExpiry, make([]byte, 30), []byte{})
		}, codes(exam.CodeExpiryStray)},
		{"second expiry", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketExpiry, append(vaulttest.Number(1), receiptOf(t, f)...), []byte{})
		}, codes(exam.CodeExpiryStray)},
		{"wrong generation", func(t *testing.T, f *folder) {
			slot(t, f, func(s storage.Slot) storage.Slot { s.Generation++; return s })
		}, codes(exam.CodeShareGeneration)},
		{"slot beyond the file", func(t *testing.T, f *folder) {
			slot(t, f, func(s storage.Slot) storage.Slot { s.Number = 1 << 40; return s })
		}, codes(exam.CodeShareMissing)},
		{"two secrets with one slot", func(t *testing.T, f *folder) {
			slot(t, f, func(own storage.Slot) storage.Slot {
				for _, r := range f.rows(t, secret.BucketSecret) {
					if other := slotOf(r.value); other != own {
						return other
					}
				}
				return own
			})
		}, codes(exam.CodeSlotShared)},
		{"share destroyed", func(t *testing.T, f *folder) {
			s := slotOf(secretOf(t, f).value)
			opened, err := bolt.OpenFolder(f.dir)
			vaulttest.Want(t, "OpenFolder()", err, nil)
			_, shares, err := opened.Open(bolt.Options{Small: true})
			vaulttest.Want(t, "Folder.Open()", err, nil)
			vaulttest.Want(t, "Destroy()", shares.Destroy(t.Context(), s), nil)
			vaulttest.Want(t, "Folder.Close()", opened.Close(), nil)
		}, codes(exam.CodeShareMissing)},
		{"waiting secret on the list to be destroyed", func(t *testing.T, f *folder) {
			s := slotOf(secretOf(t, f).value)
			f.put(t, shares.BucketShred, vaulttest.Number(s.Number), vaulttest.Number(s.Generation))
		}, codes(exam.CodeShredLive)},
		{"earlier share of a slot on the list", func(t *testing.T, f *folder) {
			s := slotOf(secretOf(t, f).value)
			f.put(t, shares.BucketShred, vaulttest.Number(s.Number), vaulttest.Number(s.Generation-1))
		}, codes(exam.CodeShredLeft)},
		{"ended share on the list", func(t *testing.T, f *folder) {
			f.put(t, shares.BucketShred, vaulttest.Number(1000), vaulttest.Number(1))
		}, codes(exam.CodeShredLeft)},
		{"secret of a wrong length", func(t *testing.T, f *folder) {
			r := secretOf(t, f)
			f.put(t, secret.BucketSecret, r.key, r.value[:len(r.value)-1])
		}, codes(exam.CodeSecretSize)},
		{"tries of no secret", func(t *testing.T, f *folder) {
			r := f.rows(t, passphrase.BucketAttempt)[0]
			f.put(t, passphrase.BucketAttempt, append(make([]byte, 22), 'g'), r.value)
		}, codes(exam.CodeAttemptStray)},
		{"timeline of no receipt", func(t *testing.T, f *folder) {
			f.put(t, "timeline", make([]byte, 22), f.rows(t, "timeline")[0].value)
		}, codes(exam.CodeTimelineStray)},
		{"receipt that its account does not list", func(t *testing.T, f *folder) {
			f.put(t, receipt.BucketEntry, f.rows(t, receipt.BucketEntry)[0].key, nil)
		}, codes(exam.CodeReceiptEntry)},
		{"listed receipt that does not exist", func(t *testing.T, f *folder) {
			r := f.rows(t, receipt.BucketEntry)[0]
			f.put(t, receipt.BucketEntry, append(r.key[:len(r.key)-22:len(r.key)-22], make([]byte, 22)...), r.value)
		}, codes(exam.CodeEntryReceipt)},
		{"claim lost", func(t *testing.T, f *folder) {
			f.put(t, claim.BucketClaim, claimOf(t, f).key, nil)
		}, codes(exam.CodeReceiptClaim, exam.CodeDeadlineStray)},
		{"claim without deadline", lose(claim.BucketDeadline), codes(exam.CodeDeadlineMissing)},
		{"claim of a wrong length", func(t *testing.T, f *folder) {
			r := claimOf(t, f)
			f.put(t, claim.BucketClaim, r.key, r.value[:len(r.value)-1])
		}, codes(exam.CodeClaimSize)},
		{"claim whose share is on the list to be destroyed", func(t *testing.T, f *folder) {
			s := slotOf(claimOf(t, f).value)
			f.put(t, shares.BucketShred, vaulttest.Number(s.Number), vaulttest.Number(s.Generation))
		}, codes(exam.CodeShredLive)},
		{"claim with the slot of a secret", func(t *testing.T, f *folder) {
			r := claimOf(t, f)
			f.put(t, claim.BucketClaim, r.key, vaulttest.WithSlot(r.value, slotOf(secretOf(t, f).value)))
		}, codes(exam.CodeSlotShared)},
		{"claim of which nothing can be read", func(t *testing.T, f *folder) {
			f.put(t, claim.BucketClaim, claimOf(t, f).key, []byte("damaged"))
		}, codes(exam.CodeRow, exam.CodeReceiptClaim)},
		{"mail that does not open", func(t *testing.T, f *folder) {
			r := f.rows(t, "outbox")[0]
			r.value[len(r.value)-1] ^= 1
			f.put(t, "outbox", r.key, r.value)
		}, codes(exam.CodeMailSealed)},
		{"mail lost", func(t *testing.T, f *folder) {
			f.put(t, "outbox", f.rows(t, "outbox")[0].key, nil)
		}, codes(exam.CodeCounter)},
		{"delivery that never ends", func(t *testing.T, f *folder) {
			for _, r := range f.rows(t, sweep.BucketDue) {
				if sweep.DueKind(r.key[8]) == sweep.DueDelivery {
					f.put(t, sweep.BucketDue, r.key, nil)
				}
			}
		}, codes(exam.CodeDueMissing)},
	}
}

// receiptOf returns the row of the receipt of an anonymous secret that waits, and
// whose link was not tried.
func receiptOf(t *testing.T, f *folder) []byte {
	t.Helper()
	return simple(t, f).key
}

// secretOf returns the secret of receiptOf.
func secretOf(t *testing.T, f *folder) row {
	t.Helper()
	const at = 3 + 5*8 + 8 // of the secret's row in a receipt
	key := simple(t, f).value[at : at+22]
	for _, r := range f.rows(t, secret.BucketSecret) {
		if bytes.Equal(r.key, key) {
			return r
		}
	}
	t.Fatal("secrets: got none of the receipt, want one")
	return row{}
}

func simple(t *testing.T, f *folder) row {
	t.Helper()
	others := slices.Concat(f.rows(t, receipt.BucketEntry), f.rows(t, "timeline"))
	for _, r := range f.rows(t, receipt.BucketMetadata) {
		named := slices.ContainsFunc(others, func(o row) bool { return bytes.HasSuffix(o.key, r.key) })
		const ofServer = 3 // the version of receipts of secrets that the server encrypts
		if r.value[0] == ofServer && receipt.State(r.value[1]).Live() && !named {
			return r
		}
	}
	t.Fatal("receipts: got none of an anonymous secret that waits, want one")
	return row{}
}

// claimOf returns a claim on a secret that is no answer.
func claimOf(t *testing.T, f *folder) row {
	t.Helper()
	for _, r := range f.rows(t, claim.BucketClaim) {
		if r.value[0] == 2 {
			return r
		}
	}
	t.Fatal("claims: got none on a secret that is no answer, want one")
	return row{}
}

// expiryOf returns the row of a receipt in the index of what expires.
func expiryOf(t *testing.T, f *folder, row []byte) []byte {
	t.Helper()
	for _, r := range f.rows(t, receipt.BucketExpiry) {
		if string(r.key[8:]) == string(row) {
			return r.key
		}
	}
	t.Fatal("index of what expires: got no row of the receipt, want one")
	return nil
}

// Shares that wait for secrets are no finding: a run that was killed leaves up to 1,024.
// More are.
func TestSharesThatNothingUses(t *testing.T) {
	t.Parallel()
	k := vaulttest.New(t, vaulttest.Options{Folder: true, Manual: true})
	const ready = 1024
	for _, put := range []int{ready, 1} {
		_, err := k.Shares.PutMany(t.Context(), make([][storage.ShareSize]byte, put))
		vaulttest.Want(t, "PutMany()", err, nil)
		k.Close(t)
		var got int64
		for _, g := range (folder{dir: k.Dir, root: k.RootKey, now: k.Clock.Now()}).examine(t).Groups() {
			if g.Code == exam.CodeSlotOrphaned {
				got = g.Count
			}
		}
		want := int64(0)
		if put == 1 {
			want = ready + 1
		}
		vaulttest.Want(t, "slots that nothing uses", got, want)
		k = vaulttest.New(t, vaulttest.Options{After: k, Manual: true})
	}
}

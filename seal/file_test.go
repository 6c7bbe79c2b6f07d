package seal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"hush/seal"
)

// fileVectors pin version 1 of what files are stored with. As vectors, they were computed
// by another implementation.
type fileVectors struct {
	Root          hexBytes
	FileKey       hexBytes `json:"file_key"`
	Upload        hexBytes
	Number, Count uint64
	Part          string
	PartSealed    hexBytes `json:"part_sealed"`
	Token         hexBytes
	Row           hexBytes
	Share         hexBytes
	UploadSealed  hexBytes `json:"upload_sealed"`
}

func readFileVectors(t *testing.T) fileVectors {
	t.Helper()
	text, err := os.ReadFile("testdata/file-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var v fileVectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// sampleFileKey returns the key of bytes 60 to 7f, that of the vectors.
func sampleFileKey() seal.FileKey {
	bytes := make([]byte, 32)
	for i := range bytes {
		bytes[i] = byte(0x60 + i)
	}
	key, _ := seal.FileKeyOf(bytes)
	return key
}

func samplePlace() seal.PartPlace {
	return seal.PartPlace{Upload: [16]byte{1, 2, 3, 15: 16}, Number: 7, Count: 9}
}

// wantFileKey fails the test unless a call gave the key of the given bytes.
func wantFileKey(t *testing.T, call string, key seal.FileKey, err error, want []byte) {
	t.Helper()
	if err != nil || !bytes.Equal(key.Expose(), want) {
		t.Errorf("%s: got another key or %v, want that which was sealed", call, err)
	}
}

func TestGoldenFiles(t *testing.T) {
	v := readFileVectors(t)
	key, err := seal.FileKeyOf(v.FileKey)
	wantFileKey(t, "FileKeyOf(vector)", key, err, v.FileKey)
	got, err := key.OpenPart(seal.PartPlace{Upload: [16]byte(v.Upload), Number: v.Number, Count: v.Count}, v.PartSealed)
	if err != nil || string(got) != v.Part {
		t.Errorf("OpenPart(vector): got %q, %v, want %q", got, err, v.Part)
	}
	keys := seal.NewKeys(seal.RootKeyOf([32]byte(v.Root)))
	key, err = keys.OpenUpload([32]byte(v.Token), seal.RowKey(v.Row), [32]byte(v.Share), v.UploadSealed)
	wantFileKey(t, "OpenUpload(vector)", key, err, v.FileKey)
}

func TestFileKeys(t *testing.T) {
	key := seal.NewFileKey()
	if bytes.Equal(key.Expose(), seal.NewFileKey().Expose()) {
		t.Error("NewFileKey twice: got one key, want two")
	}
	again, err := seal.FileKeyOf(key.Expose())
	wantFileKey(t, "FileKeyOf(Expose())", again, err, key.Expose())
	clear(key.Expose()) // a copy
	wantFileKey(t, "Expose() after its result was cleared", key, nil, again.Expose())
	for _, n := range []int{0, 31, 33} {
		if _, err := seal.FileKeyOf(make([]byte, n)); !errors.Is(err, seal.ErrSealBroken) {
			t.Errorf("FileKeyOf(%d bytes): got %v, want %v", n, err, seal.ErrSealBroken)
		}
	}
}

func TestPartRoundTrip(t *testing.T) {
	key, at := sampleFileKey(), samplePlace()
	for _, n := range []int{0, 1, 4096, 1 << 20} {
		part := bytes.Repeat([]byte{0xa5}, n)
		sealed, other := key.SealPart(at, part), key.SealPart(at, part)
		if len(sealed) != n+seal.PartOverhead || bytes.Equal(sealed[:12], other[:12]) {
			t.Errorf("SealPart(%d bytes): got %d bytes, or a nonce twice, want %d", n, len(sealed), n+seal.PartOverhead)
		}
		got, err := key.OpenPart(at, sealed)
		if err != nil || !bytes.Equal(got, part) || cap(got) != n {
			t.Errorf("OpenPart(%d bytes): got %d bytes with room for %d, %v, want the part alone", n, len(got), cap(got), err)
		}
		if n > 0 && &got[0] != &sealed[12] {
			t.Errorf("OpenPart(%d bytes): got the part in memory of its own, want it in place", n)
		}
	}
}

// An attacker who can write to the disk moves a part to another place, or changes it.
func TestPartsAreBoundToTheirPlace(t *testing.T) {
	key, at := sampleFileKey(), samplePlace()
	sealed := key.SealPart(at, []byte("part"))
	places := []seal.PartPlace{
		{Upload: at.Upload, Number: at.Number + 1, Count: at.Count},
		{Upload: at.Upload, Number: at.Number, Count: at.Count + 1},
		{Upload: at.Upload, Number: at.Count, Count: at.Number},
		{Upload: at.Upload, Number: at.Number | 1<<63, Count: at.Count},
		{Upload: at.Upload, Number: at.Number, Count: at.Count | 1<<63},
	}
	for i := range at.Upload {
		places = append(places, seal.PartPlace{Upload: [16]byte(flipped(at.Upload[:], i)), Number: at.Number, Count: at.Count})
	}
	for _, place := range places {
		got, err := key.OpenPart(place, bytes.Clone(sealed))
		wantBroken(t, "OpenPart(another place)", got, err)
	}
	for i := range sealed {
		got, err := key.OpenPart(at, flipped(sealed, i))
		wantBroken(t, "OpenPart(sealed changed)", got, err)
		got, err = key.OpenPart(at, bytes.Clone(sealed[:i]))
		wantBroken(t, "OpenPart(sealed cut)", got, err)
	}
	got, err := key.OpenPart(at, append(bytes.Clone(sealed), 0))
	wantBroken(t, "OpenPart(a byte more)", got, err)
	for i := range 32 {
		other, _ := seal.FileKeyOf(flipped(key.Expose(), i))
		got, err := other.OpenPart(at, bytes.Clone(sealed))
		wantBroken(t, "OpenPart(another key)", got, err)
	}
}

// wantNoFileKey fails the test unless a call gave nothing but ErrSealBroken.
func wantNoFileKey(t *testing.T, call string, err error) {
	t.Helper()
	if !errors.Is(err, seal.ErrSealBroken) {
		t.Errorf("%s: got %v, want %v", call, err, seal.ErrSealBroken)
	}
}

// The stored hash of the upload token, the share and the root key are each of no use
// without the others.
func TestUploadOpensWithAllOfItsPartsAlone(t *testing.T) {
	p, f := sampleParts(), sampleFileKey()
	token, share := p.passphrase, p.share
	sealed := p.keys().SealUpload(token, p.row, share, f)
	if other := p.keys().SealUpload(token, p.row, share, f); bytes.Equal(other[:12], sealed[:12]) {
		t.Error("SealUpload twice: got one nonce, want two")
	}
	got, err := p.keys().OpenUpload(token, p.row, share, sealed)
	wantFileKey(t, "OpenUpload(sealed)", got, err, f.Expose())
	for i := range 32 {
		_, err := p.keys().OpenUpload([32]byte(flipped(token[:], i)), p.row, share, sealed)
		wantNoFileKey(t, "OpenUpload(other token)", err)
		_, err = p.keys().OpenUpload(token, p.row, [32]byte(flipped(share[:], i)), sealed)
		wantNoFileKey(t, "OpenUpload(other share)", err)
	}
	for i := range p.row {
		_, err := p.keys().OpenUpload(token, seal.RowKey(flipped(p.row[:], i)), share, sealed)
		wantNoFileKey(t, "OpenUpload(other row)", err)
	}
	_, err = otherRoot().OpenUpload(token, p.row, share, sealed)
	wantNoFileKey(t, "OpenUpload(other root key)", err)
	_, err = p.keys().OpenUpload(share, p.row, token, sealed)
	wantNoFileKey(t, "OpenUpload(token and share exchanged)", err)
	for i := range sealed {
		_, err := p.keys().OpenUpload(token, p.row, share, flipped(sealed, i))
		wantNoFileKey(t, "OpenUpload(sealed changed)", err)
		_, err = p.keys().OpenUpload(token, p.row, share, sealed[:i])
		wantNoFileKey(t, "OpenUpload(sealed cut)", err)
	}
	_, err = p.keys().OpenUpload(token, p.row, share, append(bytes.Clone(sealed), 0))
	wantNoFileKey(t, "OpenUpload(a byte more)", err)
}

// What the same parts seal as an answer's repeat is not the key of an upload.
func TestUploadIsNoOtherValue(t *testing.T) {
	p := sampleParts()
	sealed := p.keys().SealRepeat(p.share, p.row[:], mustToken(p.token))
	_, err := p.keys().OpenUpload(p.share, p.row, p.share, sealed)
	wantNoFileKey(t, "OpenUpload(result of SealRepeat)", err)
}

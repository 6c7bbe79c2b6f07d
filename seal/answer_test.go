package seal_test

import (
	"encoding/json"
	"os"
	"testing"

	"hush/seal"
)

// requestVectors pin version 1 of what requests and answers are stored with. As vectors,
// they were computed by another implementation.
type requestVectors struct {
	Root             hexBytes
	Token            string
	Request          string
	RequestRow       hexBytes `json:"request_row"`
	CollectRow       hexBytes `json:"collect_row"`
	Private          hexBytes
	CollectionSealed hexBytes `json:"collection_sealed"`
	Call             hexBytes
	Answer           hexBytes
	RepeatSealed     hexBytes `json:"repeat_sealed"`
}

func readRequestVectors(t *testing.T) requestVectors {
	t.Helper()
	text, err := os.ReadFile("testdata/request-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	var v requestVectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v requestVectors) keys() *seal.Keys { return seal.NewKeys(seal.RootKeyOf([32]byte(v.Root))) }

func (v requestVectors) collectRow() seal.RowKey { return mustToken(v.Token).RowKey(seal.KindCollect) }

func TestGoldenRequests(t *testing.T) {
	v := readRequestVectors(t)
	if got := v.collectRow(); got != seal.RowKey(v.CollectRow) {
		t.Errorf("RowKey(collect): got %x, want %x", got, v.CollectRow)
	}
	if got := mustToken(v.Token).RowKey(seal.KindRequest); got != seal.RowKey(v.RequestRow) {
		t.Errorf("RowKey(request): got %x, want %x", got, v.RequestRow)
	}
	request, pair, err := v.keys().OpenCollection(mustToken(v.Token), v.collectRow(), v.CollectionSealed)
	wantKey(t, "OpenCollection(vector)", pair, err, seal.AccountKeyOf([32]byte(v.Private)).Public())
	if request != mustToken(v.Request) {
		t.Error("OpenCollection(vector): got another key of the request, want that of the vector")
	}
	receipt, err := v.keys().OpenRepeat([32]byte(v.Call), v.Answer, v.RepeatSealed)
	if err != nil || receipt != mustToken(v.Token) {
		t.Errorf("OpenRepeat(vector): got the token: %v, %v, want it", receipt == mustToken(v.Token), err)
	}
}

func TestOpenCollectionReturnsWhatWasSealed(t *testing.T) {
	p := sampleParts()
	collect, request, pair := mustToken(p.token), seal.NewToken(sampleTime), seal.NewAccountKey()
	row := collect.RowKey(seal.KindCollect)
	sealed := p.keys().SealCollection(collect, row, request, pair)
	got, opened, err := p.keys().OpenCollection(collect, row, sealed)
	wantKey(t, "OpenCollection(sealed)", opened, err, pair.Public())
	if got != request {
		t.Error("OpenCollection(sealed): got another key of the request, want the same")
	}
	for name, open := range map[string]func() (seal.Token, seal.AccountKey, error){
		"other root key":    func() (seal.Token, seal.AccountKey, error) { return otherRoot().OpenCollection(collect, row, sealed) },
		"other collect key": func() (seal.Token, seal.AccountKey, error) { return p.keys().OpenCollection(request, row, sealed) },
		"other row": func() (seal.Token, seal.AccountKey, error) {
			return p.keys().OpenCollection(collect, collect.RowKey(seal.KindRequest), sealed)
		},
	} {
		token, _, err := open()
		wantNoToken(t, "OpenCollection("+name+")", token, err)
	}
	for i := range sealed {
		token, _, err := p.keys().OpenCollection(collect, row, flipped(sealed, i))
		wantNoToken(t, "OpenCollection(sealed changed)", token, err)
		token, _, err = p.keys().OpenCollection(collect, row, sealed[:i])
		wantNoToken(t, "OpenCollection(sealed cut)", token, err)
	}
	// What holds something else is damage.
	for _, plain := range [][]byte{nil, make([]byte, 31), make([]byte, 63), append([]byte(p.token), make([]byte, 31)...)} {
		token, _, err := p.keys().OpenCollection(collect, row, p.keys().SealMetadata(collect, row, "collection", plain))
		wantNoToken(t, "OpenCollection(another content)", token, err)
	}
}

func TestOpenRepeatReturnsWhatWasSealed(t *testing.T) {
	p := sampleParts()
	receipt, place := mustToken(p.token), []byte("place")
	sealed := p.keys().SealRepeat(p.share, place, receipt)
	got, err := p.keys().OpenRepeat(p.share, place, sealed)
	if err != nil || got != receipt {
		t.Errorf("OpenRepeat(sealed): got the token: %v, %v, want it", got == receipt, err)
	}
	token, err := p.keys().OpenRepeat(p.passphrase, place, sealed)
	wantNoToken(t, "OpenRepeat(other call)", token, err)
	token, err = p.keys().OpenRepeat(p.share, []byte("places"), sealed)
	wantNoToken(t, "OpenRepeat(other place)", token, err)
	token, err = otherRoot().OpenRepeat(p.share, place, sealed)
	wantNoToken(t, "OpenRepeat(other root key)", token, err)
	for i := range sealed {
		token, err := p.keys().OpenRepeat(p.share, place, flipped(sealed, i))
		wantNoToken(t, "OpenRepeat(sealed changed)", token, err)
		token, err = p.keys().OpenRepeat(p.share, place, sealed[:i])
		wantNoToken(t, "OpenRepeat(sealed cut)", token, err)
	}
}

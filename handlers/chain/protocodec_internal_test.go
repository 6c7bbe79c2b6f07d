package chain

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
)

// The codec decodes an accepted message like protobuf itself. A refused one has too
// many fields, one that is unknown, or is malformed; of a request that only reads,
// unknown fields are dropped.
func FuzzProtoCodec(f *testing.F) {
	for _, message := range []proto.Message{
		&hushv1.ConcealSecretRequest{Secret: "x", Recipients: []string{"a@b.c", ""}, Passphrase: "p"},
		&hushv1.ConcealSecretRequest{Recipients: make([]string, maxElements+1)},
		&hushv1.ConcealSecretRequest{},
	} {
		data, err := proto.Marshal(message)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\xfa\x3f\x03abc"))
	f.Add([]byte("\x0a\x01x\x12\x05\xfa\x3f\x02ab"))
	f.Add([]byte("\xfa\xff\xff\xff\x0f\x00")) // the number of refusedNumber
	f.Add([]byte("\x0b\x0b\x0b"))
	strict := protoCodec{elements: maxElements}
	lenient := protoCodec{elements: maxElements, reads: kinds{"hush.v1.ConcealSecretRequest": true}}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, dropped, want := new(hushv1.ConcealSecretRequest), new(hushv1.ConcealSecretRequest), new(hushv1.ConcealSecretRequest)
		err, errDropped := strict.Unmarshal(data, got), lenient.Unmarshal(data, dropped)
		wrong := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: protoDepth}.Unmarshal(data, want)
		exact := new(hushv1.ConcealSecretRequest)
		_ = proto.Unmarshal(data, exact)
		unknown := wrong == nil && !proto.Equal(exact, want)
		switch {
		case (err == nil) != (errDropped == nil):
			t.Errorf("Unmarshal(%x): got %v and %v, want both or none", data, err, errDropped)
		case err == nil && (wrong != nil || !proto.Equal(dropped, want)):
			t.Errorf("Unmarshal(%x) of a reading request: got %v, want %v, %v", data, dropped, want, wrong)
		case err == nil && unknown != (refusedBy(got) != nil):
			t.Errorf("Unmarshal(%x): got refused by %v, want that for unknown fields alone: %t", data, refusedBy(got), unknown)
		case err == nil && !unknown && !proto.Equal(got, want):
			t.Errorf("Unmarshal(%x): got %v, want %v", data, got, want)
		case err == nil && len(got.GetRecipients()) > maxElements:
			t.Errorf("Unmarshal(%x): got %d recipients, want at most %d", data, len(got.GetRecipients()), maxElements)
		case err != nil && wrong == nil && !errors.Is(err, errElements):
			t.Errorf("Unmarshal(%x): got %v, want no error", data, err)
		}
	})
}

func TestCrowded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"secret":"` + strings.Repeat(",", 100) + `"}`:             false,
		`{"secret":"\"` + strings.Repeat(",", 100) + `"}`:           false,
		`{"secret":"\\",` + strings.Repeat(`"",`, 9):                true,
		`{"recipients":[` + strings.Repeat(`"",`, 9) + `""]}`:       false,
		`{"recipients":[` + strings.Repeat(`"",`, 10) + `""]}`:      true,
		`{"other":{"a":[` + strings.Repeat(`{"a":1},`, 10) + `1]}}`: true,
		strings.Repeat(`\`, 100):                                    false,
		"":                                                          false,
	} {
		if got := crowded([]byte(text), 10); got != want {
			t.Errorf("crowded(%s): got %t, want %t", text, got, want)
		}
	}
}

func TestProtoCodecWritesWhatItReads(t *testing.T) {
	t.Parallel()
	want := &hushv1.ConcealSecretRequest{Secret: "x", Recipients: []string{"a@b.c"}}
	once, err := protoCodec{}.MarshalAppend([]byte("before"), want)
	again, stable := protoCodec{}.MarshalStable(want)
	if err != nil || stable != nil || !bytes.Equal(once, append([]byte("before"), again...)) {
		t.Errorf("MarshalAppend, MarshalStable: got %x, %v and %x, %v, want the same", once, err, again, stable)
	}
	got := new(hushv1.ConcealSecretRequest)
	if err := (protoCodec{}).Unmarshal(again, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("Unmarshal: got %v, %v, want %v", got, err, want)
	}
	if err := (protoCodec{}).Unmarshal(nil, "text"); !errors.Is(err, errNoMessage) {
		t.Errorf("Unmarshal(into a text): got %v, want %v", err, errNoMessage)
	}
}

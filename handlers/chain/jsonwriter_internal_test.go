package chain

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	hushv1 "hush/gen/hush/v1"
	"hush/testtier"
)

// What the codec writes without reflection is what protojson writes, but for its
// random spaces: for messages with any field set, to values that are common,
// rare or refused.
func TestHotMessagesAreWrittenLikeOthers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	hot, rounds := 0, 1000
	if testtier.IsFull() {
		rounds = 20_000
	}
	for range rounds {
		for _, message := range []proto.Message{new(hushv1.ConcealSecretResponse), new(hushv1.RevealSecretResponse)} {
			fill(random, message.ProtoReflect(), 8+random.IntN(60))
			want, wantErr := protojson.Marshal(message)
			got, err := jsonCodec{}.Marshal(message)
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("Marshal(%v): got error %v, want %v", message, err, wantErr)
			}
			if _, ok := appendHot(nil, message); ok {
				hot++
			}
			if err == nil && !bytes.Equal(compact(t, got), compact(t, want)) {
				t.Fatalf("Marshal: got %s, want %s", got, want)
			}
		}
	}
	if hot < rounds/20 || hot > 2*rounds-rounds/20 {
		t.Errorf("got %d of %d messages written without reflection, want many of both kinds", hot, 2*rounds)
	}
	for _, message := range []proto.Message{(*hushv1.ConcealSecretResponse)(nil), (*hushv1.RevealSecretResponse)(nil)} {
		if got, err := (jsonCodec{}).Marshal(message); err != nil || string(got) != "{}" {
			t.Errorf("Marshal(%T(nil)): got %s, %v, want {}", message, got, err)
		}
	}
}

// What is written follows what was there.
func TestHotMessagesAreAppended(t *testing.T) {
	t.Parallel()
	got, err := jsonCodec{}.MarshalAppend([]byte("before"), &hushv1.RevealSecretResponse{Value: "text"})
	if err != nil || string(got) != `before{"value":"text"}` {
		t.Errorf("MarshalAppend: got %s, %v, want it after what was there", got, err)
	}
}

// What is read without reflection is what protojson reads, and what it refuses is
// refused.
func TestHotRequestsAreReadLikeOthers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	hot, refused, rounds := 0, 0, 6000
	if testtier.IsFull() {
		rounds = 60_000
	}
	for range rounds {
		text := []byte(anyObject(random))
		for _, want := range []proto.Message{new(hushv1.ConcealSecretRequest), new(hushv1.RevealSecretRequest)} {
			got := proto.Clone(want)
			wantErr := protojson.UnmarshalOptions{RecursionLimit: jsonDepth}.Unmarshal(text, want)
			if err := readJSON(string(text), got); (err == nil) != (wantErr == nil) {
				t.Fatalf("Unmarshal(%q): got error %v, want %v", text, err, wantErr)
			}
			switch {
			case wantErr != nil:
				refused++
			case !proto.Equal(got, want):
				t.Fatalf("Unmarshal(%q): got %v, want %v", text, got, want)
			case readHot(text, got):
				hot++
			}
		}
	}
	if hot < rounds/60 || refused < rounds/60 {
		t.Errorf("of %d messages: got %d read without reflection and %d refused, want many of each", 2*rounds, hot, refused)
	}
	full := &hushv1.RevealSecretRequest{Claim: []byte("claim")}
	if !readHot([]byte(`{"secretKey":"key"}`), full) || len(full.GetClaim()) > 0 || full.GetSecretKey() != "key" {
		t.Errorf("readHot into a message that has a claim: got %v, want the key alone", full)
	}
}

// anyObject returns an object, or what is nearly one.
func anyObject(random *rand.Rand) string {
	names := []string{"secret", "ttl", "passphrase", "shareDomain", "authenticityPayload", "memo", "secretKey", "share_domain", "other", "Secret", "claim", `se\u0063ret`}
	space := func() string { return pick(random, "", " ", "\n\t", "\r", "\v", "\u00a0") }
	b := space() + "{"
	for i := range random.IntN(4) {
		if i > 0 {
			b += space() + pick(random, ",", ",,", "")
		}
		name := names[random.IntN(len(names))]
		b += space() + `"` + name + pick(random, `":`, `" :`, `":`, `";`, `"`) + space()
		texts := []string{`"text"`, `""`, `"é\"`, `"é"`, `"\n"`, "\"\n\"", "\"\x7f\u2028\"", "\"\xff\"", `"\u0041"`, "null", "1", "{}", "[]", `"a`, "\"\x00\""}
		if name == "ttl" {
			texts = []string{`"3600s"`, `"1s"`, `"0s"`, `"00s"`, `"01s"`, `"-1s"`, `"+1s"`, `"1.5s"`, `"s"`, `""`, `"1"`, `"1 s"`, `"999999999s"`, `"9999999999s"`, `"315576000001s"`, `"1e3s"`, "3600"}
		}
		b += pick(random, texts...)
	}
	return b + pick(random, "}", "", "}}", "},", "} x") + space()
}

// compact drops the spaces that protojson adds at random.
func compact(t *testing.T, written []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, written); err != nil {
		t.Fatalf("%s: %v", written, err)
	}
	return b.Bytes()
}

// fill sets each field of a message and of those in it with a chance in percent.
func fill(random *rand.Rand, m protoreflect.Message, chance int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if random.IntN(100) >= chance {
			continue
		}
		if !field.IsList() {
			m.Set(field, anyValue(random, m.NewField(field), field, chance))
			continue
		}
		if random.IntN(3) > 0 && field.Name() != "events" {
			continue // lists but this one are rare
		}
		list := m.Mutable(field).List()
		for range random.IntN(3) {
			list.Append(anyValue(random, list.NewElement(), field, chance))
		}
	}
}

func anyValue(random *rand.Rand, value protoreflect.Value, field protoreflect.FieldDescriptor, chance int) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.MessageKind:
		fill(random, value.Message(), chance)
		return value
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(random.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(random.IntN(field.Enum().Values().Len() + random.IntN(8)/7)))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(make([]byte, random.IntN(40)))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(anyText(random))
	case protoreflect.Int32Kind: // nanoseconds, too
		return protoreflect.ValueOfInt32(pick(random, int32(0), 0, 0, 0, 0, 0, 1, 1000, 1_000_000, 500_000_000, 123_456_000, 999_999_999, -1, 1_000_000_000))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(pick(random, uint32(2), 0, 1<<32-1))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(pick(random, uint64(9_000_000), 0, 1<<64-1))
	default: // seconds
		return protoreflect.ValueOfInt64(pick(random, int64(1_795_236_735), 3600, 604_800, 0, 1, 59, 253_402_300_799, 253_402_300_800, 315_576_000_000, 315_576_000_001, -1, -62_135_596_800, -62_135_596_801))
	}
}

// pick returns the first of the values in most cases.
func pick[T any](random *rand.Rand, values ...T) T {
	if random.IntN(3) > 0 {
		return values[0]
	}
	return values[random.IntN(len(values))]
}

func anyText(random *rand.Rand) string {
	pieces := []string{"plain", "a key", `"`, `\`, "/", "<&>", "é", "😀", "\u2028", "\x7f", "\ufffd", "\x00", "\x1f", "\b\f\n\r\t", "\v"}
	if random.IntN(40) == 0 {
		pieces = []string{"\xff", "\xed\xa0\x80"}
	}
	text := ""
	for range random.IntN(5) {
		text += pieces[random.IntN(len(pieces))]
	}
	return text
}

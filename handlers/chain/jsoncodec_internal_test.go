package chain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	hushv1 "hush/gen/hush/v1"
)

// A client makes an error in its JSON, and the response, which the client logs,
// quotes the secret.
func TestJSONErrorsNeverQuote(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"canary", `"canary"`, `{"secret":canary}`, `{"secret":"canary`, `{"secret":"x"}canary`, `{"secret":{"canary":1}}`,
		`{"secret":["canary"]}`, `{"secret":"canary","secret":"canary"}`, `{"canary\ud800":"x","secret":"canary\ud800"}`,
		"{\"secret\":\"canary\xff\"}", `{"ttl":"canary"}`, `{"ttl":"canary s"}`, `{"recipients":"canary"}`, `{"canary`,
		`{"secret":"\canary"}`, "{\"secret\":\"canary\n\"}", strings.Repeat(`{"the canary":`, 40), strings.Repeat("[", 100_000),
		`{"secret":` + strings.Repeat("[", 100_000), "", "\x00canary", `{"other":"canary"}`, `{"sealed":{"other":"canary"}}`,
		`{"` + strings.Repeat("canary", 20) + `":1}`, `{"[canary]":1}`, `{"@type":"canary"}`,
	} {
		err := readJSON(text, new(hushv1.ConcealSecretRequest))
		if err == nil {
			t.Errorf("Unmarshal(%.60q): got no error, want one", text)
			continue
		}
		if strings.Contains(err.Error(), "canary") || len(err.Error()) > 60 {
			t.Errorf("Unmarshal(%.60q): got %v, want its place at most", text, err)
		}
	}
}

// readJSON reads a message as a call does: the codec decodes it, or leaves it to
// validation to refuse it.
func readJSON(text string, message proto.Message) error {
	if err := (jsonCodec{}).Unmarshal([]byte(text), message); err != nil {
		return err
	}
	return refusedBy(message)
}

func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	want := &hushv1.ConcealSecretRequest{Secret: "<&> \u2028 \x00 👩‍💻", Recipients: []string{"a", "b"}}
	for name, marshal := range map[string]func(any) ([]byte, error){"Marshal": jsonCodec{}.Marshal, "MarshalStable": jsonCodec{}.MarshalStable} {
		text, err := marshal(want)
		if err != nil {
			t.Fatalf("%s: got %v, want no error", name, err)
		}
		got := &hushv1.ConcealSecretRequest{}
		if err := (jsonCodec{}).Unmarshal(text, got); err != nil {
			t.Fatalf("Unmarshal: got %v, want no error", err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s and Unmarshal (-want +got):\n%s", name, diff)
		}
	}
	for name, err := range map[string]error{
		"Unmarshal": jsonCodec{}.Unmarshal([]byte("{}"), "no message"),
		"Marshal":   second(jsonCodec{}.Marshal("no message")),
	} {
		if err == nil {
			t.Errorf("%s of what is no message: got no error, want one", name)
		}
	}
}

func second(_ []byte, err error) error { return err }

func TestReadLimits(t *testing.T) {
	t.Parallel()
	larger := map[string]int{
		"/hush.v1.SecretService/ConcealSecret":       concealLimit,
		"/hush.v1.RequestService/AnswerRequest":      concealLimit,
		"/hush.v1.FileService/PutPart":               partLimit,
		"/hush.v1.DomainService/UpdateDomainLogo":    imageLimit,
		"/hush.v1.ChallengeService/AltchaVerifySpam": verdictLimit,
		"/hush.v1.IntakeService/ReceiveException":    reportLimit,
	}
	for procedure := range methods(t) {
		want := max(messageLimit, larger[procedure])
		if got := readLimit(procedure); got != want {
			t.Errorf("readLimit(%s): got %d, want %d", procedure, got, want)
		}
	}
}

package chain

import (
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/durationpb"

	adminv1 "hush/gen/hush/admin/v1"
	hushv1 "hush/gen/hush/v1"
)

// A limit that does not compile would make every call of its method fail.
func TestLimitsCompile(t *testing.T) {
	t.Parallel()
	all := append(Services(), adminv1.File_hush_admin_v1_admin_service_proto.Services().ByName("AdminService"))
	kinds := map[protoreflect.MessageDescriptor]bool{}
	for _, service := range all {
		for i := range service.Methods().Len() {
			addKinds(kinds, service.Methods().Get(i).Input())
		}
	}
	checked, err := protovalidate.New() // not at the first, so that each field is looked at
	if err != nil {
		t.Fatal(err)
	}
	for message := range kinds {
		if err := checked.Validate(dynamicpb.NewMessage(message)); !compiles(err) {
			t.Errorf("%s: got %v, want limits that compile", message.FullName(), err)
		}
	}
	if len(kinds) < 95 {
		t.Errorf("got %d kinds of messages, want those of all methods and their parts", len(kinds))
	}
}

// addKinds adds a kind of message and those of its parts.
func addKinds(kinds map[protoreflect.MessageDescriptor]bool, message protoreflect.MessageDescriptor) {
	if kinds[message] {
		return
	}
	kinds[message] = true
	for i := range message.Fields().Len() {
		if part := message.Fields().Get(i).Message(); part != nil {
			addKinds(kinds, part)
		}
	}
}

// compiles reports whether an error says at most that a limit is exceeded.
func compiles(err error) bool {
	_, exceeded := errors.AsType[*protovalidate.ValidationError](err)
	return err == nil || exceeded
}

// The caller made no mistake if the limits do not compile: the cause is logged, and
// not told.
func TestUncheckedLimitsAreInternal(t *testing.T) {
	t.Parallel()
	for _, broken := range []struct {
		err    error
		logged string
	}{
		{new(protovalidate.CompilationError), "checking field limits: compilation error"},
		{errors.New("canary"), "checking field limits: *errors.errorString"},
	} {
		log := new(strings.Builder)
		checked := validation{limits{func() (protovalidate.Validator, error) { return nil, broken.err }}}
		call := mapErrors(slog.New(slog.NewTextHandler(log, nil)))(checked.WrapUnary(nil))
		_, err := call(t.Context(), connect.NewRequest(new(hushv1.ConcealSecretRequest)))
		if connect.CodeOf(err) != connect.CodeInternal || strings.Contains(err.Error(), "limits") {
			t.Errorf("limits that fail with %T: got %v, want an internal error without its cause", broken.err, err)
		}
		if !strings.Contains(log.String(), broken.logged) || strings.Contains(log.String(), "canary") {
			t.Errorf("limits that fail with %T: got log %q, want %q", broken.err, log, broken.logged)
		}
	}
}

// What is no message cannot be checked, and must not pass for one that was.
func TestOnlyMessagesAreChecked(t *testing.T) {
	t.Parallel()
	if err := newValidation().check("text"); !errors.Is(err, errNoMessage) {
		t.Errorf("check(text): got %v, want %v", err, errNoMessage)
	}
	if err := newValidation().check(nil); err != nil {
		t.Errorf("check(nil): got %v, want nil", err)
	}
}

// What isPlain lets pass, protovalidate would too: at every limit, one byte
// beside it, and with characters of several bytes.
func TestPlainMessagesAreValid(t *testing.T) {
	t.Parallel()
	both := newValidation()
	plain, refused := 0, 0
	check := func(message proto.Message) {
		t.Helper()
		want, got := both.limits.validate(message), both.check(message)
		if isPlain(message) {
			plain++
		}
		if want != nil {
			refused++
		}
		if (got == nil) != (want == nil) || got != nil && got.Error() != "invalid_argument: "+want.Error() {
			t.Errorf("%T of %d bytes: got %v, want %v", message, proto.Size(message), got, want)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	secrets := []string{"secret", "", strings.Repeat("x", plainSecret), strings.Repeat("x", plainSecret+1)}
	for range 5000 {
		conceal, reveal := concealAtLimits(random, secrets), revealAtLimits(random)
		check(conceal)
		check(reveal)
	}
	if plain < 500 || refused < 500 {
		t.Errorf("of 10,000 messages: got %d plain and %d refused ones, want 500 of each", plain, refused)
	}
}

// one returns the first of the values in most cases, so that messages are not
// refused for several reasons each.
func one[T any](random *rand.Rand, values ...T) T {
	if random.IntN(5) > 0 {
		return values[0]
	}
	return values[random.IntN(len(values))]
}

// sizes returns texts around a limit.
func sizes(usual, most int) []string {
	texts := []string{strings.Repeat("x", usual), ""}
	for _, length := range []int{1, most - 1, most, most + 1} {
		texts = append(texts, strings.Repeat("x", length), strings.Repeat("é", length), strings.Repeat("😀", length/4))
	}
	return texts
}

func concealAtLimits(random *rand.Rand, secrets []string) *hushv1.ConcealSecretRequest {
	return &hushv1.ConcealSecretRequest{
		Secret: one(random, secrets...),
		Ttl: one(random, nil, &durationpb.Duration{}, &durationpb.Duration{Seconds: 1}, &durationpb.Duration{Seconds: -1},
			&durationpb.Duration{Nanos: 1}, &durationpb.Duration{Nanos: -1}, &durationpb.Duration{Seconds: 1, Nanos: -1},
			&durationpb.Duration{Seconds: 1, Nanos: math.MinInt32}, &durationpb.Duration{Seconds: plainSeconds},
			&durationpb.Duration{Seconds: plainSeconds + 1}, &durationpb.Duration{Seconds: math.MaxInt64}, &durationpb.Duration{Seconds: math.MinInt64}),
		Passphrase:          one(random, sizes(0, plainPassphrase)...),
		Recipients:          one(random, nil, []string{}, []string{"a@example.com"}, []string{""}, slices.Repeat([]string{"a@example.com"}, 11)),
		ShareDomain:         one(random, sizes(0, plainDomain)...),
		AuthenticityPayload: one(random, sizes(0, plainPayload)...),
		Sealed:              one(random, nil, &hushv1.Sealed{}),
		Memo:                one(random, sizes(0, plainMemo)...),
		Group:               one(random, nil, []byte{}, make([]byte, 1), make([]byte, 15), make([]byte, 16), make([]byte, 17)),
	}
}

func revealAtLimits(random *rand.Rand) *hushv1.RevealSecretRequest {
	proof := func() []byte { return one(random, nil, []byte{}, make([]byte, 31), make([]byte, 32), make([]byte, 33)) }
	return &hushv1.RevealSecretRequest{
		SecretKey: one(random, sizes(60, plainKey)...), Passphrase: one(random, sizes(0, plainPassphrase)...),
		LinkProof: proof(), Proof: proof(), Claim: proof(), CollectProof: proof(), AcceptsVersion: one(random, uint32(0), 1, 2, math.MaxUint32),
	}
}

// A field that isPlain does not know would pass without a check.
func TestPlainMessagesHaveNoOtherFields(t *testing.T) {
	t.Parallel()
	for message, want := range map[proto.Message]int{new(hushv1.ConcealSecretRequest): 9, new(hushv1.RevealSecretRequest): 8} {
		if got := message.ProtoReflect().Descriptor().Fields().Len(); got != want {
			t.Errorf("%T: got %d fields, want %d: let isPlain check the others", message, got, want)
		}
	}
}

package handlers

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
	"hush/vault/account"
	"hush/vault/caller"
	"hush/vault/domain"
	"hush/vault/outbox"
	"hush/vault/receipt"
)

// The vault's numbers equal those on the wire. A kind that is added on only one
// side, or in another order, fails here.
func TestNumbersAreThoseOfTheVault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		enum protoreflect.Enum
		want map[protoreflect.Name]int
	}{
		{hushv1.State(0), map[protoreflect.Name]int{
			"STATE_UNSPECIFIED": int(receipt.StateNone), "STATE_NEW": int(receipt.StateNew), "STATE_VIEWED": int(receipt.StateViewed),
			"STATE_RECEIVED": int(receipt.StateReceived), "STATE_BURNED": int(receipt.StateBurned), "STATE_EXPIRED": int(receipt.StateExpired),
		}},
		{hushv1.Encryption(0), map[protoreflect.Name]int{
			"ENCRYPTION_UNSPECIFIED": 0, "ENCRYPTION_SERVER": int(receipt.EncryptionServer),
			"ENCRYPTION_END_TO_END": int(receipt.EncryptionEndToEnd),
		}},
		{hushv1.Role(0), map[protoreflect.Name]int{
			"ROLE_UNSPECIFIED": 0, "ROLE_CUSTOMER": int(account.RoleCustomer), "ROLE_COLONEL": int(account.RoleColonel),
		}},
		{hushv1.Event_Kind(0), map[protoreflect.Name]int{
			"KIND_UNSPECIFIED": 0, "KIND_CREATED": int(receipt.EventCreated), "KIND_LOOKED": int(receipt.EventLooked),
			"KIND_PASSPHRASE": int(receipt.EventPassphrase), "KIND_REVEALED": int(receipt.EventRevealed),
			"KIND_BURNED": int(receipt.EventBurned), "KIND_EXPIRED": int(receipt.EventExpired),
			"KIND_DELIVERED": int(receipt.EventDelivered), "KIND_LAPSED": int(receipt.EventLapsed),
		}},
		{hushv1.Delivery_State(0), map[protoreflect.Name]int{
			"STATE_UNSPECIFIED": 0, "STATE_NOT_CONFIGURED": int(outbox.DeliveryNotConfigured), "STATE_QUEUED": int(outbox.DeliveryQueued),
			"STATE_SENT": int(outbox.DeliverySent), "STATE_FAILED": int(outbox.DeliveryFailed), "STATE_DROPPED": int(outbox.DeliveryDropped),
			"STATE_UNSUPPORTED": int(outbox.DeliveryUnsupported),
		}},
		{hushv1.DomainState(0), map[protoreflect.Name]int{
			"DOMAIN_STATE_UNSPECIFIED": 0, "DOMAIN_STATE_PENDING": int(domain.DomainPending),
			"DOMAIN_STATE_VERIFIED": int(domain.DomainVerified), "DOMAIN_STATE_SUSPENDED": int(domain.DomainSuspended),
		}},
		{hushv1.DomainCheck_Kind(0), map[protoreflect.Name]int{
			"KIND_UNSPECIFIED": 0, "KIND_TXT": int(domain.CheckTXT), "KIND_ADDRESS": int(domain.CheckAddress),
		}},
		{hushv1.ImageKind(0), map[protoreflect.Name]int{
			"IMAGE_KIND_UNSPECIFIED": 0, "IMAGE_KIND_LOGO": int(domain.ImageLogo), "IMAGE_KIND_ICON": int(domain.ImageIcon),
		}},
	} {
		values := c.enum.Descriptor().Values()
		got := map[protoreflect.Name]int{}
		for i := range values.Len() {
			got[values.Get(i).Name()] = int(values.Get(i).Number())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: the vault's numbers and those on the wire (-vault +wire):\n%s", c.enum.Descriptor().FullName(), diff)
		}
	}
}

func TestSignUpOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[caller.SignUp]hushv1.SignUp{
		0: hushv1.SignUp_SIGN_UP_CLOSED, caller.SignUpOpen: hushv1.SignUp_SIGN_UP_OPEN,
		caller.SignUpInvite: hushv1.SignUp_SIGN_UP_INVITE, caller.SignUpClosed: hushv1.SignUp_SIGN_UP_CLOSED,
	} {
		if got := signUpOf(in); got != want {
			t.Errorf("signUpOf(%d): got %v, want %v", in, got, want)
		}
	}
}

// Every set of scopes survives the conversion to the wire and back.
func TestScopesRoundTrip(t *testing.T) {
	t.Parallel()
	for set := range caller.ScopesAll + 1 {
		token, err := newTokenOf("", tokenScopes(set), nil)
		if err != nil || token.Scopes != set {
			t.Errorf("newTokenOf(tokenScopes(%b)): got %b %v, want the same", set, token.Scopes, err)
		}
	}
	for number := range hushv1.TokenScope_name {
		if bit := scopeBit(hushv1.TokenScope(number)); (bit == 0) != (number == 0) {
			t.Errorf("scopeBit(%d): got %b, want one bit for each scope there is", number, bit)
		}
	}
}

func TestAccountOf(t *testing.T) {
	t.Parallel()
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	got := accountOf(account.Account{
		ID: caller.AccountID{15: 7}, Address: "a@example.com", PendingAddress: "b@example.com", Role: account.RoleColonel,
		Verified: true, Created: at(1), Updated: at(2), SignedIn: at(3), Locale: "de", NotifyOpened: true,
		Tally: account.Tally{Created: 4, Shared: 5, Burned: 6, Emails: 7}, Disabled: true, SealedCount: 8,
		TTLCeiling: 9 * time.Second, SecretLimit: 10,
	})
	want := &hushv1.Account{
		AccountId: "00000000000000000000000000000007", Address: "a@example.com", PendingAddress: "b@example.com",
		Role: hushv1.Role_ROLE_COLONEL, Verified: true, CreateTime: timestamppb.New(at(1)), UpdateTime: timestamppb.New(at(2)),
		SignInTime: timestamppb.New(at(3)), Locale: "de", Notifications: &hushv1.Notifications{SecretOpened: true},
		Tally:    &hushv1.Tally{SecretsCreated: 4, SecretsShared: 5, SecretsBurned: 6, EmailsSent: 7},
		Disabled: true, SealedCount: 8, TtlCeiling: 9, SecretLimit: 10,
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("accountOf (-want +got):\n%s", diff)
	}
	fresh := accountOf(account.Account{})
	if fresh.GetSignInTime() != nil || fresh.GetUpdateTime() != nil {
		t.Errorf("accountOf of one that nobody signed in to: got %v, want no such times", fresh)
	}
}

func TestDomainOf(t *testing.T) {
	t.Parallel()
	at := func(n int64) time.Time { return time.Unix(n, 0) }
	got := domainOf(domain.Domain{
		ID: "i", Name: "a.example.com", Base: "example.com", Subdomain: "a.example.com", TRD: "a", TLD: "com", SLD: "example",
		Apex: true, TXTHost: "h", TXTValue: "v", State: domain.DomainSuspended, Resolving: true,
		Checks: []domain.Check{{
			Kind: domain.CheckAddress, Passed: true, Name: "n", Expected: []string{"e"}, Found: []string{"f"}, Problem: "p", Time: at(1),
		}},
		Created: at(2), Updated: at(3), Verified: at(4), Checked: at(5), Address: "a@example.com",
		Logo: &domain.Image{Kind: domain.ImageLogo, Width: 6, Height: 7, Size: 8, Updated: at(9)},
	})
	want := &hushv1.Domain{
		DomainId: "i", DisplayDomain: "a.example.com", BaseDomain: "example.com", Subdomain: "a.example.com",
		Trd: "a", Tld: "com", Sld: "example", IsApex: true, TxtValidationHost: "h", TxtValidationValue: "v",
		State: hushv1.DomainState_DOMAIN_STATE_SUSPENDED, Resolving: true, Brand: &hushv1.Brand{},
		Checks: []*hushv1.DomainCheck{{
			Kind: hushv1.DomainCheck_KIND_ADDRESS, Passed: true, Name: "n", Expected: []string{"e"}, Found: []string{"f"},
			Problem: "p", Time: timestamppb.New(at(1)),
		}},
		CreateTime: timestamppb.New(at(2)), UpdateTime: timestamppb.New(at(3)), VerifyTime: timestamppb.New(at(4)),
		CheckTime: timestamppb.New(at(5)), Custid: "a@example.com",
		Logo: &hushv1.Image{
			ContentType: "image/png", Filename: "logo.png", Width: 6, Height: 7, Size: 8, UpdateTime: timestamppb.New(at(9)),
		},
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("domainOf (-want +got):\n%s", diff)
	}
}

// A brand with all fields set keeps each of them in both directions; one
// without any stays empty.
func TestBrandRoundTrip(t *testing.T) {
	t.Parallel()
	full := &hushv1.Brand{}
	fields := full.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		value := protoreflect.ValueOfBool(false) // set nevertheless
		if fields.Get(i).Kind() == protoreflect.StringKind {
			value = protoreflect.ValueOfString(string(fields.Get(i).Name()))
		}
		full.ProtoReflect().Set(fields.Get(i), value)
	}
	for _, brand := range []*hushv1.Brand{full, {}} {
		if diff := cmp.Diff(brand, brandOf(readBrand(brand)), protocmp.Transform()); diff != "" {
			t.Errorf("brandOf(readBrand(b)) (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(domain.Brand{}, readBrand(nil)); diff != "" {
		t.Errorf("readBrand(nil) (-want +got):\n%s", diff)
	}
}

func TestImageKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[hushv1.ImageKind]string{
		hushv1.ImageKind_IMAGE_KIND_UNSPECIFIED: "logo.png", hushv1.ImageKind_IMAGE_KIND_LOGO: "logo.png",
		hushv1.ImageKind_IMAGE_KIND_ICON: "icon.png",
	} {
		if got := imageOf(domain.Image{Kind: imageKind(kind)}).GetFilename(); got != want {
			t.Errorf("imageOf(%v): got %s, want %s", kind, got, want)
		}
	}
}

func TestDeliveryOf(t *testing.T) {
	t.Parallel()
	got := deliveryOf(outbox.Delivery{Recipient: "a***@e***", State: outbox.DeliverySent, Updated: time.Unix(1, 0), Attempts: 2})
	want := &hushv1.Delivery{
		Recipient: "a***@e***", State: hushv1.Delivery_STATE_SENT, UpdateTime: timestamppb.New(time.Unix(1, 0)), Attempts: 2,
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("deliveryOf (-want +got):\n%s", diff)
	}
}

// Both requests that create a secret have the same options.
func TestTermsOf(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]sharing{
		"ConcealSecret": &hushv1.ConcealSecretRequest{
			Passphrase: "p", Recipients: []string{"r"}, ShareDomain: "d", AuthenticityPayload: "c",
		},
		"GenerateSecret": &hushv1.GenerateSecretRequest{
			Passphrase: "p", Recipients: []string{"r"}, ShareDomain: "d", AuthenticityPayload: "c",
		},
	} {
		got := termsOf(req)
		if got.Passphrase != "p" || len(got.Recipients) != 1 || got.ShareDomain != "d" || got.Challenge != "c" || got.TTL != nil {
			t.Errorf("termsOf(%sRequest): got %v, want every field and no lifetime", name, got)
		}
	}
}

// Times and durations in memory of the caller's are those of the library.
func TestValuesInPlaceEqualNewOnes(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, -1, time.Second, -time.Second, -1500 * time.Millisecond, 7*24*time.Hour + 3, math.MaxInt64, math.MinInt64} {
		if diff := cmp.Diff(durationpb.New(d), durationIn(new(durationpb.Duration), d), protocmp.Transform()); diff != "" {
			t.Errorf("durationIn(%d): %s", d, diff)
		}
		at := time.Unix(0, 0).Add(d)
		if diff := cmp.Diff(stamp(at), stampIn(new(timestamppb.Timestamp), at), protocmp.Transform()); diff != "" {
			t.Errorf("stampIn(%s): %s", at, diff)
		}
	}
	if got := stampIn(new(timestamppb.Timestamp), time.Time{}); got != nil {
		t.Errorf("stampIn of no time: got %v, want nil", got)
	}
}

package routestest

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
)

// Created is when Secret and Receipt were created, as Unix time.
const Created = 1795236735

// Seconds returns a duration for a message.
func Seconds(n int64) *durationpb.Duration {
	return durationpb.New(time.Duration(n) * time.Second)
}

// At returns a Unix time for a message.
func At(epoch int64) *timestamppb.Timestamp {
	return &timestamppb.Timestamp{Seconds: epoch}
}

// Receipt returns a receipt in a state whose secret lives for an hour. It has the
// secret's key while the secret can be revealed.
func Receipt(state hushv1.State) *hushv1.Metadata {
	m := &hushv1.Metadata{
		MetadataKey: MetadataKey, SecretShortkey: "secret", State: state,
		CreateTime: At(Created), UpdateTime: At(Created + 10), ExpireTime: At(Created + 7200),
		SecretExpireTime: At(Created + 3600), Ttl: Seconds(3600), TtlLeft: Seconds(7190),
	}
	if state == hushv1.State_STATE_NEW || state == hushv1.State_STATE_VIEWED {
		m.SecretKey, m.SecretTtlLeft = SecretKey, Seconds(3590)
	}
	return m
}

// Secret returns a new secret that lives for an hour.
func Secret() *hushv1.Secret {
	return &hushv1.Secret{
		SecretKey: SecretKey, State: hushv1.State_STATE_NEW, CreateTime: At(Created),
		ExpireTime: At(Created + 3600), Ttl: Seconds(3600), TtlLeft: Seconds(3590),
	}
}

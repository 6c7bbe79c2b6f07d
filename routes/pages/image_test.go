package pages

import (
	"testing"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
	"hush/routes/call"
)

func TestDecodeImage(t *testing.T) {
	icon := imageKind(hushv1.ImageKind_IMAGE_KIND_ICON)
	got, err := icon.decode(&call.Request{Key: "a key"})
	want := &hushv1.GetPublicImageRequest{DomainId: "a key", Kind: hushv1.ImageKind_IMAGE_KIND_ICON}
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("decode(a key): got %v, %v, want %v", got, err, want)
	}
}

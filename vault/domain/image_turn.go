package domain

import (
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"hush/vault/fair"
)

const (
	// imageMemory is the maximum memory of all images that are decoded at a
	// time, and so of one image.
	imageMemory = 80 << 20
	// imageTurns is how many images share it. Each has one turn; an image that
	// may take more than its part has them all.
	imageTurns = 2
	// imageTimeout is the maximum wait for a turn.
	imageTimeout = 2 * time.Second
)

// imager converts uploads, a few at a time.
type imager struct{ turns *semaphore.Weighted }

func newImager() *imager { return &imager{semaphore.NewWeighted(imageTurns)} }

// acquire waits until an image of a weight in bytes may be decoded, and returns
// a function that ends the turn, or ErrBusy. Turns go to images in the order in which
// they came, so that one that needs all is not passed by for ever.
func (i *imager) acquire(ctx context.Context, weight int) (release func(), err error) {
	taken := int64(1)
	if weight > imageMemory/imageTurns {
		taken = imageTurns
	}
	if err := fair.AcquireWithin(ctx, i.turns, taken, imageTimeout); err != nil {
		return nil, err
	}
	return func() {
		if taken == imageTurns {
			runtime.GC() // frees the decoded image before the next turn
		}
		i.turns.Release(taken)
	}, nil
}

// weighPNG counts the pixels and, for an interlaced file, those of a pass
// besides.
func weighPNG(_ []byte, config image.Config) int {
	switch config.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		return 12
	case color.RGBAModel, color.NRGBAModel:
		return 6
	default:
		return 3
	}
}

// weighGIF counts one byte a pixel, and two while a frame is drawn over
// another.
func weighGIF([]byte, image.Config) int { return 2 }

// weighJPEG counts one byte a pixel for each component, four more each for the
// coefficients of a progressive file, and four for each copy in another colour
// model. A segment after the size may require one.
func weighJPEG(content []byte, config image.Config) int {
	components, copies := 3, 1
	switch config.ColorModel {
	case color.GrayModel:
		components, copies = 1, 0
	case color.CMYKModel:
		components, copies = 4, 2
	}
	if isProgressive(content) {
		return 5*components + 4*copies
	}
	return components + 4*copies
}

// isProgressive reports whether the first frame of a JPEG file is, or might be,
// progressive.
func isProgressive(content []byte) bool {
	const (
		baseline, extended = 0xc0, 0xc1
		head               = 4 // marker and length
	)
	for at := 2; at+head <= len(content); {
		marker := content[at+1]
		switch {
		case content[at] != 0xff:
			return true
		case marker == 0xff: // a filler
			at++
			continue
		case marker == baseline, marker == extended:
			return false
		case marker >= 0xc2 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return true
		}
		at += 2 + int(binary.BigEndian.Uint16(content[at+2:]))
	}
	return true
}

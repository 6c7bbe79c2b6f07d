package domain

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hush/testtier"
	"hush/vault/refusal"
)

// marker is what hides in hostile files, and must not come out again.
const marker = "<script>alert(1)</script>"

// noisy is an image that hardly compresses.
func noisy(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(random.Uint32())
	}
	return m
}

func plain(width, height int, c color.Color) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.Set(x, y, c)
		}
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatalf("png.Encode(image): got %v, want nil", err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatalf("jpeg.Encode(image): got %v, want nil", err)
	}
	return b.Bytes()
}

// gifOf makes a film of equal frames.
func gifOf(t testing.TB, width, height, frames int) []byte {
	t.Helper()
	frame := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
	film := gif.GIF{Image: slices.Repeat([]*image.Paletted{frame}, frames), Delay: make([]int, frames)}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &film); err != nil {
		t.Fatalf("gif.EncodeAll(%d frames): got %v, want nil", frames, err)
	}
	return b.Bytes()
}

// chunk is a part of a PNG file.
func chunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
}

// lyingPNG claims a size that its data does not have.
func lyingPNG(width, height uint32, depth, kind, interlaced byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	head = append(head, depth, kind, 0, 0, interlaced)
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head), chunk("IDAT", []byte("x\x9c")), chunk("IEND", nil))
}

// withChunk puts a part after the head of a PNG file.
func withChunk(file []byte, kind string, data []byte) []byte {
	const head = 8 + 12 + 13
	return slices.Concat(file[:head], chunk(kind, data), file[head:])
}

// withSegment puts a part after the first two bytes of a JPEG file.
func withSegment(file []byte, kind byte, data []byte) []byte {
	size := binary.BigEndian.AppendUint16(nil, uint16(len(data)+2))
	return slices.Concat(file[:2], []byte{0xff, kind}, size, data, file[2:])
}

// wantKept checks all that is promised of an image that was accepted.
func wantKept(t *testing.T, name string, p *picture) {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(p.content))
	if err != nil {
		t.Fatalf("png.Decode(what is kept of %s): got %v, want nil", name, err)
	}
	if size := decoded.Bounds().Size(); size.X != p.width || size.Y != p.height || size.X > 512 || size.Y > 512 {
		t.Errorf("convert(%s): got %v said to be %d by %d, want at most 512 by 512", name, size, p.width, p.height)
	}
	if len(p.content) > 512<<10 {
		t.Errorf("convert(%s): got %d bytes, want at most 512 KiB", name, len(p.content))
	}
	if bytes.Contains(p.content, []byte("script")) {
		t.Errorf("convert(%s): got the marker, want nothing of the file but its pixels", name)
	}
	for rest := p.content[8:]; len(rest) > 0; {
		size := binary.BigEndian.Uint32(rest)
		if kind := string(rest[4:8]); !slices.Contains([]string{"IHDR", "IDAT", "IEND"}, kind) {
			t.Errorf("convert(%s): got a part %q, want pixels only", name, kind)
		}
		rest = rest[12+size:]
	}
}

func TestConvertImage(t *testing.T) {
	t.Parallel()
	logo := pngOf(t, plain(640, 320, color.NRGBA{200, 100, 50, 255}))
	photo := jpegOf(t, plain(100, 700, color.NRGBA{10, 20, 30, 255}))
	deep := image.NewNRGBA64(image.Rect(0, 0, 60, 30))
	cmyk := image.NewCMYK(image.Rect(0, 0, 9, 9))
	tests := map[string]struct {
		content       []byte
		width, height int
	}{
		"png":                    {logo, 512, 256},
		"small png":              {pngOf(t, plain(3, 5, color.White)), 3, 5},
		"one pixel":              {pngOf(t, plain(1, 1, color.Transparent)), 1, 1},
		"line":                   {pngOf(t, plain(4096, 1, color.White)), 512, 1},
		"gray png":               {pngOf(t, image.NewGray(image.Rect(0, 0, 30, 30))), 30, 30},
		"16 bits":                {pngOf(t, deep), 60, 30},
		"cmyk":                   {pngOf(t, cmyk), 9, 9},
		"noise":                  {pngOf(t, noisy(500, 500)), 256, 256},
		"jpeg":                   {photo, 73, 512},
		"gray jpeg":              {jpegOf(t, image.NewGray(image.Rect(0, 0, 17, 9))), 17, 9},
		"gif":                    {gifOf(t, 30, 20, 1), 30, 20},
		"film":                   {gifOf(t, 2, 2, 10_000), 2, 2},
		"png and a page":         {slices.Concat(logo, []byte("<html>"+marker)), 512, 256},
		"png and an archive":     {slices.Concat(logo, []byte("PK\x03\x04"+marker)), 512, 256},
		"png with a comment":     {withChunk(logo, "tEXt", []byte("Comment\x00"+marker)), 512, 256},
		"png with a profile":     {withChunk(logo, "iCCP", bytes.Repeat([]byte(marker), 8000)), 512, 256},
		"png with any part":      {withChunk(logo, "jsCR", []byte(marker)), 512, 256},
		"moving png":             {withChunk(logo, "acTL", []byte{0, 0, 39, 16, 0, 0, 0, 0}), 512, 256},
		"jpeg with a comment":    {withSegment(photo, 0xfe, []byte(marker)), 73, 512},
		"jpeg with a place":      {withSegment(photo, 0xe1, []byte("Exif\x00\x00"+marker)), 73, 512},
		"jpeg with a profile":    {withSegment(photo, 0xe2, bytes.Repeat([]byte(marker), 2000)), 73, 512},
		"jpeg and a page":        {slices.Concat(photo, []byte(marker)), 73, 512},
		"gif and a page":         {slices.Concat(gifOf(t, 30, 20, 1), []byte(marker)), 30, 20},
		"film with a torn frame": {gifOf(t, 40, 40, 3)[:120], 40, 40},
	}
	converter := newImager()
	for name, test := range tests {
		p, err := converter.convert(t.Context(), test.content)
		if err != nil {
			t.Errorf("convert(%s): got %v, want nil", name, err)
			continue
		}
		if p.width != test.width || p.height != test.height {
			t.Errorf("convert(%s): got %d by %d, want %d by %d", name, p.width, p.height, test.width, test.height)
		}
		wantKept(t, name, p)
	}
}

// Each upload is refused that is not an image, or that would take all memory or
// carry a page with it.
func TestRefuseImage(t *testing.T) {
	t.Parallel()
	logo, photo, film := pngOf(t, plain(64, 64, color.White)), jpegOf(t, plain(64, 64, color.White)), gifOf(t, 64, 64, 2)
	svg := `<svg xmlns="http://www.w3.org/2000/svg">` + marker + `</svg>`
	hostile := map[string][]byte{
		"nothing": nil, "text": []byte("a logo"), "svg": []byte(svg), "svg with a head": []byte(`<?xml version="1.0"?>` + svg),
		"svg with a mark": []byte("\ufeff" + svg), "svg as gif": []byte("GIF89a" + svg), "svg as old gif": []byte("GIF87a" + svg),
		"svg as jpeg": []byte("\xff\xd8\xff" + svg), "svg as png": []byte("\x89PNG\r\n\x1a\n" + svg), "packed svg": []byte("\x1f\x8b\x08" + svg),
		"page": []byte("<!doctype html>" + marker), "script": []byte(marker), "pdf": []byte("%PDF-1.7"),
		"webp": []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), "bmp": []byte("BM\x00\x00\x00\x00"), "tiff": []byte("II*\x00"), "tiff of the other end": []byte("MM\x00*"),
		"ico": {0, 0, 1, 0, 1, 0}, "avif": []byte("\x00\x00\x00\x1cftypavif"), "png in lower case": bytes.ToLower(logo), "space before png": append([]byte(" "), logo...),
		"png without data": logo[:33], "half a png": logo[:len(logo)/2], "magic of png": logo[:8], "half a jpeg": photo[:len(photo)/2], "magic of jpeg": photo[:3],
		"half a gif": film[:20], "magic of gif": film[:6],
		"16000²": lyingPNG(16000, 16000, 8, 6, 0), "wide": lyingPNG(4097, 1, 8, 6, 0), "high": lyingPNG(1, 4097, 8, 6, 0), "4 Mpx and one": lyingPNG(4001, 1000, 8, 6, 0),
		"largest": lyingPNG(1<<31-1, 1<<31-1, 8, 6, 0), "none": lyingPNG(0, 0, 8, 6, 0), "no height": lyingPNG(5, 0, 8, 6, 0), "odd depth": lyingPNG(5, 5, 7, 6, 0),
		"empty 4 Mpx": lyingPNG(4000, 1000, 8, 6, 0), "empty deep 4 Mpx": lyingPNG(4000, 1000, 16, 6, 1), "odd kind": lyingPNG(5, 5, 8, 9, 0),
		"wide gif": gifHead(5000, 1), "huge gif": gifHead(65535, 65535), "empty gif": gifHead(4000, 1000), "gif of no size": gifHead(0, 0),
		"huge jpeg": jpegHead(photo, 65535, 65535), "jpeg of no size": jpegHead(photo, 0, 0),
	}
	converter := newImager()
	for name, content := range hostile {
		p, err := converter.convert(t.Context(), content)
		if invalid, ok := errors.AsType[*refusal.InvalidError](err); !ok || invalid.Field != "content" || p != nil {
			t.Errorf("convert(%s): got %v, %v, want it refused", name, p != nil, err)
		}
	}
	_, err := converter.convert(t.Context(), append(logo, make([]byte, ImageSize)...))
	if large, ok := errors.AsType[*refusal.TooLargeError](err); !ok || large.Limit != ImageSize {
		t.Errorf("convert(more than 1 MiB): got %v, want %v", err, refusal.ErrTooLarge)
	}
	wantNoTurn(t, converter)
}

func gifHead(width, height uint16) []byte {
	head := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(head, height), 0, 0, 0, ';')
}

// jpegHead changes the size that a JPEG file claims.
func jpegHead(file []byte, width, height uint16) []byte {
	out := bytes.Clone(file)
	at := bytes.Index(out, []byte{0xff, 0xc0}) + 5
	binary.BigEndian.PutUint16(out[at:], height)
	binary.BigEndian.PutUint16(out[at+2:], width)
	return out
}

// A head that lies costs no more than an honest image of the largest size, and
// one that claims more than that costs nothing. Not parallel: it counts all
// that is allocated.
func TestImageMemory(t *testing.T) {
	testtier.Check(t, "decodes large images")
	white := pngOf(t, image.NewPaletted(image.Rect(0, 0, 4000, 1000), color.Palette{color.White, color.Black}))
	film, wide, photo := gifOf(t, 1, 1, 10_000), gifOf(t, 2000, 2000, 40), jpegOf(t, plain(64, 64, color.White))
	comments := bytes.Repeat(withSegment([]byte("\xff\xd8"), 0xfe, []byte(marker))[2:], 30_000)
	tests := map[string]struct {
		content []byte
		limit   uint64
	}{
		"16000²":       {lyingPNG(16000, 16000, 8, 6, 0), 1 << 20},
		"largest":      {lyingPNG(1<<31-1, 1<<31-1, 16, 6, 1), 1 << 20},
		"huge gif":     {gifHead(65535, 65535), 1 << 20},
		"film":         {film, 4 << 20},
		"wide film":    {wide, 16 << 20},
		"empty 4 Mpx":  {lyingPNG(4000, 1000, 8, 6, 0), 24 << 20},
		"empty deep":   {lyingPNG(4000, 1000, 16, 6, 0), 48 << 20},
		"honest 4 Mpx": {white, 32 << 20},
		"many parts":   {slices.Concat(photo[:2], comments, photo[2:]), 4 << 20},
	}
	converter := newImager()
	for name, test := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := converter.convert(t.Context(), test.content)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > test.limit {
			t.Errorf("convert(%s): got %d KiB allocated, want at most %d", name, used>>10, test.limit>>10)
		}
		if err == nil {
			wantKept(t, name, p)
		}
	}
}

// A thousand files that were honest once.
func TestDamagedImages(t *testing.T) {
	t.Parallel()
	converter := newImager()
	random := rand.New(rand.NewPCG(3, 4))
	honest := [][]byte{pngOf(t, noisy(24, 24)), jpegOf(t, noisy(24, 24)), gifOf(t, 24, 24, 3)}
	kept := 0
	for i := range 1000 {
		file := bytes.Clone(honest[i%len(honest)])
		for range 1 + i%4 {
			file[random.IntN(len(file))] = byte(random.Uint32())
		}
		p, err := converter.convert(t.Context(), file)
		switch {
		case err == nil:
			kept++
			wantKept(t, fmt.Sprintf("damaged file %d", i), p)
		case !errors.Is(err, refusal.ErrInvalid):
			t.Errorf("convert(damaged file %d): got %v, want %v", i, err, refusal.ErrInvalid)
		}
	}
	if kept == 0 || kept == 1000 {
		t.Errorf("convert(damaged files): got %d kept, want some of both", kept)
	}
}

func TestShrinkColours(t *testing.T) {
	t.Parallel()
	orange := color.NRGBA{250, 130, 10, 255}
	for _, c := range []color.NRGBA{orange, {250, 130, 10, 128}, {0, 0, 0, 0}, {255, 255, 255, 255}} {
		got := shrink(plain(1000, 900, c), 512)
		at := got.NRGBAAt(255, 100)
		if near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 1 }; !near(at.R, c.R) || !near(at.G, c.G) || !near(at.B, c.B) || !near(at.A, c.A) {
			t.Errorf("shrink(plain %v): got %v, want the same", c, at)
		}
	}
	// Half of it shows, and what does not has no colour to add.
	striped := plain(1024, 1024, orange)
	for y := range 1024 {
		for x := 1; x < 1024; x += 2 {
			striped.Set(x, y, color.NRGBA{0, 255, 0, 0})
		}
	}
	if got := shrink(striped, 512).NRGBAAt(9, 9); got != (color.NRGBA{250, 130, 10, 128}) {
		t.Errorf("shrink(striped): got %v, want half of the orange", got)
	}
	frame := striped.SubImage(image.Rect(100, 200, 110, 205))
	if got := shrink(frame, 512); got.Bounds() != image.Rect(0, 0, 10, 5) || got.NRGBAAt(0, 0) != orange {
		t.Errorf("shrink(part of an image): got %v of %v, want 10 by 5 of orange", got.Bounds(), got.NRGBAAt(0, 0))
	}
}

// Whatever is accepted comes out as a small PNG file of pixels only.
func FuzzConvertImage(f *testing.F) {
	f.Add(pngOf(f, plain(9, 7, color.White)))
	f.Add(jpegOf(f, plain(9, 7, color.White)))
	f.Add(gifOf(f, 9, 7, 2))
	f.Add(lyingPNG(600, 600, 8, 6, 1))
	f.Add(gifHead(9, 7))
	f.Add([]byte(strings.Repeat("<svg>", 9)))
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := newImager().convert(t.Context(), content)
		switch {
		case err == nil:
			wantKept(t, "any file", p)
		case !errors.Is(err, refusal.ErrInvalid) && !errors.Is(err, refusal.ErrTooLarge):
			t.Errorf("convert(%d bytes): got %v, want it refused", len(content), err)
		}
	})
}

package pages

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"sync"
)

// assetTypes returns the types of the client's files by their extension.
func assetTypes() map[string]string {
	return map[string]string{
		".css":         "text/css; charset=utf-8",
		".ico":         "image/x-icon",
		".js":          "text/javascript; charset=utf-8",
		".json":        "application/json; charset=utf-8",
		".png":         "image/png",
		".svg":         "image/svg+xml",
		".webmanifest": "application/manifest+json",
		".woff2":       "font/woff2",
	}
}

// asset is a response that is the same for every visitor.
type asset struct {
	contentType string
	caching     string
	// plain returns the content.
	plain func() []byte
	// packed returns the content in gzip, or nil if that is not smaller. It is
	// nil for types that do not compress.
	packed func() []byte
	// brotli returns the content as the build compressed it. It is nil for what
	// the build did not.
	brotli func() []byte
	// etag lets browsers ask whether a file whose name stays has changed; empty
	// for others.
	etag string
}

// newAsset returns an asset with content. It is compressed on first use and
// then kept in both forms.
func newAsset(contentType, caching string, content []byte) *asset {
	a := describeAsset(contentType, caching, content)
	a.plain = func() []byte { return content }
	if a.packs() {
		a.packed = sync.OnceValue(func() []byte { return pack(content) })
	}
	return a
}

// describeAsset returns an asset without any form of its content.
func describeAsset(contentType, caching string, content []byte) *asset {
	a := &asset{contentType: contentType, caching: caching}
	if caching == briefly {
		a.etag = newETag(content)
	}
	return a
}

// newFileAsset returns an asset of the build. Each form of a file is read on first
// use and then kept: no visitor needs them all.
func newFileAsset(contentType, caching string, files fs.FS, file string) (*asset, error) {
	content, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	a := describeAsset(contentType, caching, content)
	a.plain = readLater(files, file)
	if a.packs() {
		a.packed = sync.OnceValue(func() []byte { return pack(a.plain()) })
	}
	return a, nil
}

// newPackedAsset is newFileAsset for a file in gzip.
func newPackedAsset(contentType, caching string, files fs.FS, file string) (*asset, error) {
	packed, err := fs.ReadFile(files, file)
	if err != nil {
		return nil, err
	}
	content, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	a := describeAsset(contentType, caching, content)
	a.packed = readLater(files, file)
	a.plain = sync.OnceValue(func() []byte {
		content, _ := unpack(a.packed()) // it was unpacked before
		return content
	})
	return a, nil
}

// readLater returns the content of a file that is known to be there.
func readLater(files fs.FS, file string) func() []byte {
	return sync.OnceValue(func() []byte {
		content, _ := fs.ReadFile(files, file) // it was read before
		return content
	})
}

// packs reports whether compressing the type may help.
func (a *asset) packs() bool {
	switch a.contentType {
	case "image/png", "font/woff2":
		return false
	default:
		return true
	}
}

// pack returns nil if the result is not smaller.
func pack(content []byte) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := z.Write(content); err != nil {
		return nil
	}
	if err := z.Close(); err != nil || b.Len() >= len(content) {
		return nil
	}
	return b.Bytes()
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// answer sends the asset in the best form that the request's header accepts.
func (a *asset) answer(w http.ResponseWriter, header http.Header, status int) {
	h := w.Header()
	h.Set("Cache-Control", a.caching)
	if a.packed != nil || a.brotli != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	if a.etag != "" {
		h.Set("ETag", a.etag)
		if hasETag(header, a.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	coding, body := a.form(header)
	if coding != identity {
		h.Set("Content-Encoding", coding)
	}
	writeBytes(w, status, a.contentType, body)
}

// form returns the coding of the best form that a request's header accepts, and
// the content in it.
func (a *asset) form(header http.Header) (coding string, body []byte) {
	var exist []string
	if a.brotli != nil {
		exist = append(exist, brotli)
	}
	if a.packed != nil {
		exist = append(exist, gzipped)
	}
	switch preferred(header, exist...) {
	case brotli:
		return brotli, a.brotli()
	case gzipped:
		if packed := a.packed(); packed != nil {
			return gzipped, packed
		}
	}
	return identity, a.plain()
}

package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"time"

	"hush/seal"
	"hush/seal/chunked"
	"hush/seal/endtoend"
)

// Files is what a Backend does with files: end-to-end encrypted contents that are too large
// for one call, and are sent and fetched in parts. It is safe for concurrent use.
// Client.Files returns it.
//
// A file is shared with BeginFile, SendFile and FinishFile. Its link exists after the
// first, and a caller who looks at it learns how much has arrived. It is opened with Look and
// FetchFile.
type Files interface {
	// BeginFile conceals a file whose content comes later, and reserves room for it. Like
	// Share it is repeated only where the request was certainly not carried out. The
	// server forgets an upload to which nothing arrives for some hours.
	BeginFile(ctx context.Context, request FileRequest) (Upload, Shared, error)
	// SendFile encrypts the content that body has, and sends all parts of it that have not
	// arrived yet. It goes on after lost connections and failures of the server, without
	// end: what it waits for is in Options.Progress. body has FileRequest.Size bytes, which
	// must not change.
	//
	// A spool keeps parts for another process, which goes on with the same Upload; nil
	// where no other process will. SendFile returns ErrRestart if what the spool has is
	// not all that it would need: call RestartFile then. It returns ErrGone for an upload
	// that is over, and ErrUsage for a body that is shorter than it was.
	SendFile(ctx context.Context, upload Upload, body io.ReaderAt, spool Spool) error
	// RestartFile makes the server forget all parts of an upload: SendFile sends them anew,
	// after Upload.Restarted, and with an empty spool. It repeats itself as SendFile does.
	RestartFile(ctx context.Context, upload Upload) error
	// FinishFile ends an upload all of whose parts have arrived: the file can be opened. It
	// repeats itself as SendFile does, and does nothing for an upload that is finished.
	FinishFile(ctx context.Context, upload Upload) error
	// CancelFile burns a file whose upload is not finished. It returns ErrGone if there is
	// none.
	CancelFile(ctx context.Context, upload Upload) error
	// FetchFile reveals a file with a claim, which must not be zero, and writes its content
	// to a sink, in order. It goes on after lost connections and failures of the server,
	// without end, as long as the server keeps the file for the claim. It returns nil once
	// all of it was written and every check passed: what was written before that is no
	// file yet. Call Acknowledge once it is safe. After an error a later FetchFile with the
	// same claim goes on, where the sink says that a part of the content is there.
	//
	// It returns ErrArriving for a file that has not arrived yet, and ErrLost if the server
	// no longer keeps it for the claim.
	FetchFile(ctx context.Context, link Link, passphrase Text, claim Claim, to FileSink) error
}

// Files returns what the protocol does with files. It returns ErrUnsupported for v1 and
// v2, which have none.
func (c *Client) Files() (Files, error) {
	if files, ok := c.Backend.(Files); ok {
		return files, nil
	}
	return nil, &Error{Kind: KindUnsupported, Message: "only Hush servers take large files: this one speaks " + c.protocol.String()}
}

// ShareFile shares a file that is too large for Share, and returns once all of it has
// arrived. begun, unless nil, gets the link as soon as there is one. If it, or what
// follows, fails, the file is burned. A program that wants to go on after it was killed
// uses Files itself.
func (c *Client) ShareFile(ctx context.Context, request FileRequest, body io.ReaderAt, begun func(Shared) error) (Shared, error) {
	files, err := c.Files()
	if err != nil {
		return Shared{}, err
	}
	upload, shared, err := files.BeginFile(ctx, request)
	if err != nil {
		return Shared{}, err
	}
	if begun != nil {
		err = begun(shared)
	}
	if err == nil {
		err = files.SendFile(ctx, upload, body, nil)
	}
	if err == nil {
		err = files.FinishFile(ctx, upload)
	}
	if err == nil {
		return shared, nil
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer cancel()
	_ = files.CancelFile(within, upload) // or it ends by itself
	return Shared{}, err
}

// cancelTime bounds how long ShareFile tries to burn what it could not send.
const cancelTime = 10 * time.Second

// FileRequest is what BeginFile needs.
type FileRequest struct {
	// FileName is the name of the file, without a folder.
	FileName string
	// Size is its length in bytes.
	Size int64
	// Note is plain text for the recipient, who sees it before opening the file: at most
	// NoteToRecipientMax characters. Only files without a passphrase can have one.
	Note string
	// TTL, Passphrase, Domain, Label and Group are as in ShareRequest.
	TTL        time.Duration
	Passphrase Text
	Domain     string
	Label      string
	Group      []byte
}

// NoteToRecipientMax is the number of characters of FileRequest.Note.
const NoteToRecipientMax = endtoend.NoteMax

// Normalized returns the request with its domain as servers write it, and with the note
// without blanks at its end, with line feeds alone, and with blanks for tabs. It returns
// ErrUsage for a request that no server accepts.
func (r FileRequest) Normalized() (FileRequest, error) {
	r.Domain = NormalDomain(r.Domain)
	r.Note = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(r.Note)
	r.Note = strings.TrimLeft(strings.TrimRight(r.Note, " \n"), "\n")
	switch {
	case r.Size < 0:
		return r, usage("a file has no negative length")
	case r.Note != "" && !r.Passphrase.IsEmpty():
		return r, usage("a file with a passphrase has no note: nothing of it is shown before it is opened")
	case !endtoend.IsNote(r.Note):
		return r, usage("a note has at most %d characters, and none that control a terminal", NoteToRecipientMax)
	}
	rest := ShareRequest{
		Content: &Content{IsFile: true}, TTL: r.TTL, Passphrase: r.Passphrase, Label: r.Label, Group: r.Group, Encryption: EncryptionEndToEnd,
	}
	return r, rest.check()
}

// File is how far a file is. Its numbers are those of what the sender's device encrypted.
type File struct {
	// Size is the length of the encrypted content in bytes.
	Size int64
	// Parts is the number of its parts, Arrived how many of them the server has, and
	// Fetched, in a receipt, how many the recipient has fetched.
	Parts, Arrived, Fetched int
	// Complete reports whether the upload is finished: the file can be opened.
	Complete bool
}

// ArrivedPercent returns how much has arrived: 100 only once the upload is finished.
func (f File) ArrivedPercent() int {
	if f.Complete {
		return 100
	}
	return min(99, percent(f.Arrived, f.Parts))
}

// FetchedPercent returns how much the recipient has fetched.
func (f File) FetchedPercent() int { return percent(f.Fetched, f.Parts) }

func percent(n, of int) int {
	if of <= 0 {
		return 0
	}
	return max(0, min(100, 100*n/of))
}

// Preview is what the sender of a file shows of it before it is opened. No server sees it.
type Preview struct {
	// FileName is the name of the file, as in Content, and may be empty.
	FileName string
	// Size is its length in bytes.
	Size int64
	// Count is how many files an archive packs; 0 for a file that is no archive.
	Count int
	// Note is the sender's note: plain text, whose lines line feeds part.
	Note string
}

// FileContent describes the content of a file, as its sender's device encrypted it with
// the content.
type FileContent struct {
	// IsFile reports whether it is a file, and not a text.
	IsFile bool
	// FileName is the name of the file, without a folder; it may be empty.
	FileName string
	// Size is its length in bytes.
	Size int64
}

// FileSink is where FetchFile writes a content. One process calls it, in order.
type FileSink interface {
	// Begin is called once, before the first Write. It returns how many bytes of the
	// content are there from an earlier FetchFile: those are not written again.
	Begin(content FileContent) (have int64, err error)
	// Write gets bytes that were checked: they are at this place of the content.
	io.Writer
}

// SealedPart is an encrypted part of a file. It is nothing secret.
type SealedPart = endtoend.Part

// PartsInFlight is how many parts SendFile has in the works at most, so that a Spool needs
// no more places: part n may take the place of part n - PartsInFlight.
const PartsInFlight = 4

// Spool keeps encrypted parts until the server has them. One process uses it at a time.
type Spool interface {
	// Keep keeps a part, so that neither a kill nor a power cut loses it once Keep has
	// returned. Nothing of the part is sent before. The bytes are the caller's.
	Keep(part SealedPart) error
	// Kept returns the parts that were kept, but for those of which another one took the
	// place. The one with the highest number is always among them.
	Kept() ([]SealedPart, error)
}

// Upload is an upload of a file, as its sender keeps it: with it another process can go
// on. It is a credential: it has the link, and what encrypts the file. It prints as
// [redacted].
type Upload struct {
	seal.Redacted
	hidden seal.Hidden[UploadFacts]
}

// UploadFacts are what an Upload has. They are for the code that sends.
type UploadFacts struct {
	Link  Link
	Keys  endtoend.Keys
	Token [32]byte
	// Salt is that of the message.
	Salt chunked.Salt
	// Header is encrypted with the content.
	Header endtoend.Header
}

// NewUpload returns an upload with its facts.
func NewUpload(facts UploadFacts) Upload { return Upload{hidden: seal.Hide(facts)} }

// Facts returns what the upload has. It must not be called for the zero Upload.
func (u Upload) Facts() UploadFacts { return u.hidden() }

// Link returns the link of the file.
func (u Upload) Link() Link { return u.hidden().Link }

// Size returns the length of the file in bytes.
func (u Upload) Size() int64 { return int64(u.hidden().Header.Size) }

// Restarted returns the upload with another salt, for RestartFile. It must be kept in the
// place of u before RestartFile is called.
func (u Upload) Restarted() Upload {
	facts := u.hidden()
	facts.Salt = chunked.NewSalt()
	return NewUpload(facts)
}

// uploadText is an upload as text. Names of fields are short for no one's sake but theirs
// who look at it: it is for this package alone.
type uploadText struct {
	Link      string `json:"link"`
	Keys      []byte `json:"keys"`
	Token     []byte `json:"token"`
	Salt      []byte `json:"salt"`
	Kind      int    `json:"kind"`
	FileName  string `json:"file_name"`
	MediaType string `json:"media_type,omitempty"`
	Size      uint64 `json:"size"`
}

// Expose returns the upload as text, for a file that only its owner may read.
func (u Upload) Expose() string {
	f := u.hidden()
	keys := f.Keys.Expose()
	text, _ := json.Marshal(uploadText{ // never fails
		Link: f.Link.Expose(), Keys: keys[:], Token: f.Token[:], Salt: f.Salt[:],
		Kind: int(f.Header.Kind), FileName: f.Header.FileName, MediaType: f.Header.MediaType, Size: f.Header.Size,
	})
	return base64.RawURLEncoding.EncodeToString(text)
}

// ParseUpload is the inverse of Expose. It returns false for another text.
func ParseUpload(text string) (Upload, bool) {
	var t uploadText
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || json.Unmarshal(raw, &t) != nil {
		return Upload{}, false
	}
	link, err := ParseLink(t.Link)
	var f UploadFacts
	if err != nil || link.Encryption != EncryptionEndToEnd || len(t.Keys) != endtoend.KeysSize || len(t.Token) != len(f.Token) || len(t.Salt) != len(f.Salt) {
		return Upload{}, false
	}
	f = UploadFacts{
		Link: link, Keys: endtoend.KeysOf([endtoend.KeysSize]byte(t.Keys)), Token: [32]byte(t.Token), Salt: chunked.Salt(t.Salt),
		Header: endtoend.Header{Kind: endtoend.Kind(t.Kind), FileName: t.FileName, MediaType: t.MediaType, Size: t.Size},
	}
	if _, err := endtoend.SealedSize(f.Header); err != nil {
		return Upload{}, false
	}
	return NewUpload(f), true
}

package chain

import (
	"encoding/base64"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	hushv1 "hush/gen/hush/v1"
)

// jsonWriter writes the responses that are asked for most as protojson does,
// which looks up each field by reflection and formats each time. It gives up on
// what is rare in them or what protojson refuses.
type jsonWriter struct {
	b     []byte
	gives bool // up
}

// smallJSON has room for most responses, besides what was concealed.
const smallJSON = 1 << 10

// appendHot appends a message to dst, or reports that protojson has to.
func appendHot(dst []byte, message any) ([]byte, bool) {
	w := jsonWriter{b: dst}
	switch m := message.(type) {
	case *hushv1.ConcealSecretResponse:
		if m == nil {
			return dst, false
		}
		w.b = append(slices.Grow(w.b, smallJSON), '{')
		w.metadata("metadata", m.GetMetadata())
		w.secret("secret", m.GetSecret())
	case *hushv1.RevealSecretResponse:
		if m == nil {
			return dst, false
		}
		w.gives = m.GetFile() != nil
		w.b = append(slices.Grow(w.b, smallJSON+len(m.GetValue())+2*len(m.GetContent())), '{')
		w.secret("secret", m.GetSecret())
		w.text("value", m.GetValue())
		w.bytes("content", m.GetContent())
		w.duration("claimLeft", m.GetClaimLeft())
	default:
		return dst, false
	}
	if w.gives {
		return dst, false
	}
	return append(w.b, '}'), true
}

func (w *jsonWriter) metadata(name string, m *hushv1.Metadata) {
	if m == nil {
		return
	}
	w.gives = w.gives || len(m.GetRecipients()) > 0 || len(m.GetDeliveries()) > 0 || m.GetFile() != nil
	w.name(name)
	w.b = append(w.b, '{')
	w.text("metadataKey", m.GetMetadataKey())
	w.text("secretKey", m.GetSecretKey())
	w.text("secretShortkey", m.GetSecretShortkey())
	w.number("state", int32(m.GetState()), hushv1.State_name)
	w.flag("hasPassphrase", m.GetHasPassphrase())
	w.time("createTime", m.GetCreateTime())
	w.time("updateTime", m.GetUpdateTime())
	w.time("expireTime", m.GetExpireTime())
	w.time("secretExpireTime", m.GetSecretExpireTime())
	w.time("viewTime", m.GetViewTime())
	w.time("receiveTime", m.GetReceiveTime())
	w.time("burnTime", m.GetBurnTime())
	w.duration("ttl", m.GetTtl())
	w.duration("secretTtlLeft", m.GetSecretTtlLeft())
	w.duration("ttlLeft", m.GetTtlLeft())
	w.text("shareDomain", m.GetShareDomain())
	w.text("memo", m.GetMemo())
	w.text("custid", m.GetCustid())
	w.events("events", m.GetEvents())
	w.flag("lockedForGood", m.GetLockedForGood())
	w.number("encryption", int32(m.GetEncryption()), hushv1.Encryption_name)
	w.bytes("group", m.GetGroup())
	w.b = append(w.b, '}')
}

func (w *jsonWriter) events(name string, events []*hushv1.Event) {
	if len(events) == 0 {
		return
	}
	w.name(name)
	w.b = append(w.b, '[')
	for i, e := range events {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, '{')
		w.number("kind", int32(e.GetKind()), hushv1.Event_Kind_name)
		w.time("time", e.GetTime())
		w.text("network", e.GetNetwork())
		if count := e.GetCount(); count != 0 {
			w.name("count")
			w.b = strconv.AppendInt(w.b, int64(count), 10)
		}
		w.b = append(w.b, '}')
	}
	w.b = append(w.b, ']')
}

func (w *jsonWriter) secret(name string, s *hushv1.Secret) {
	if s == nil {
		return
	}
	w.name(name)
	w.b = append(w.b, '{')
	w.text("secretKey", s.GetSecretKey())
	w.number("state", int32(s.GetState()), hushv1.State_name)
	w.flag("hasPassphrase", s.GetHasPassphrase())
	w.time("createTime", s.GetCreateTime())
	w.time("expireTime", s.GetExpireTime())
	w.duration("ttl", s.GetTtl())
	w.duration("ttlLeft", s.GetTtlLeft())
	w.text("shareDomain", s.GetShareDomain())
	w.flag("verification", s.GetVerification())
	w.flag("owned", s.GetOwned())
	w.number("encryption", int32(s.GetEncryption()), hushv1.Encryption_name)
	w.b = append(w.b, '}')
}

// name begins a field.
func (w *jsonWriter) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), `":`...)
}

func (w *jsonWriter) flag(name string, on bool) {
	if on {
		w.name(name)
		w.b = append(w.b, "true"...)
	}
}

// number writes the name of an enum's value.
func (w *jsonWriter) number(name string, value int32, names map[int32]string) {
	if value == 0 {
		return
	}
	text, known := names[value]
	w.gives = w.gives || !known
	w.name(name)
	w.b = append(append(append(w.b, '"'), text...), '"')
}

func (w *jsonWriter) bytes(name string, value []byte) {
	if len(value) > 0 {
		w.name(name)
		w.b = append(base64.StdEncoding.AppendEncode(append(w.b, '"'), value), '"')
	}
}

// time writes a time of the years that have four digits.
func (w *jsonWriter) time(name string, t *timestamppb.Timestamp) {
	if t == nil {
		return
	}
	const first, last = 0, 253402300799
	if t.GetSeconds() < first || t.GetSeconds() > last || t.GetNanos() < 0 || t.GetNanos() >= 1e9 {
		w.gives = true
		return
	}
	layout := "2006-01-02T15:04:05.000000000Z"
	switch {
	case t.GetNanos() == 0:
		layout = "2006-01-02T15:04:05Z"
	case t.GetNanos()%1e6 == 0:
		layout = "2006-01-02T15:04:05.000Z"
	case t.GetNanos()%1e3 == 0:
		layout = "2006-01-02T15:04:05.000000Z"
	}
	w.name(name)
	w.b = append(time.Unix(t.GetSeconds(), int64(t.GetNanos())).UTC().AppendFormat(append(w.b, '"'), layout), '"')
}

// duration writes whole seconds, such as all lifetimes in responses.
func (w *jsonWriter) duration(name string, d *durationpb.Duration) {
	if d == nil {
		return
	}
	const most = 315_576_000_000
	if d.GetNanos() != 0 || d.GetSeconds() < -most || d.GetSeconds() > most {
		w.gives = true
		return
	}
	w.name(name)
	w.b = append(strconv.AppendInt(append(w.b, '"'), d.GetSeconds(), 10), `s"`...)
}

// text writes a text. It gives up on one that is not valid UTF-8.
func (w *jsonWriter) text(name, text string) {
	if text == "" {
		return
	}
	w.gives = w.gives || !utf8.ValidString(text)
	w.name(name)
	w.b = append(w.b, '"')
	done := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		w.b = append(w.b, text[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			w.b = append(w.b, '\\', c)
		case '\b':
			w.b = append(w.b, `\b`...)
		case '\f':
			w.b = append(w.b, `\f`...)
		case '\n':
			w.b = append(w.b, `\n`...)
		case '\r':
			w.b = append(w.b, `\r`...)
		case '\t':
			w.b = append(w.b, `\t`...)
		default:
			const hex = "0123456789abcdef"
			w.b = append(w.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	w.b = append(append(w.b, text[done:]...), '"')
}

package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// keyboard reads what is typed. What one prompt does not use is the next one's.
type keyboard struct {
	typed   []byte     // and not used yet
	reading chan chunk // the answer of a read that a prompt gave up; nil for none
	ended   bool       // a carriage return ended a line, and a line feed may belong to it
}

// chunk is what one read returned.
type chunk struct {
	bytes []byte
	err   error
}

// The keys that end or edit what is typed in raw mode.
const (
	keyInterrupt  = 0x03 // Ctrl-C
	keyEnd        = 0x04 // Ctrl-D
	keyBackspace  = 0x08
	keyDeleteLine = 0x15 // Ctrl-U
	keyDeleteWord = 0x17 // Ctrl-W
	keyEscape     = 0x1b
	keyDelete     = 0x7f
)

const (
	pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"
	// maxText is the maximum bytes of a text that is typed or pasted.
	maxText = 16 << 20
)

var (
	errControl = errors.New("what is typed here may not contain tabs or other control characters; nothing was done")
	errTyped   = errors.New("control characters cannot be typed here, only pasted; nothing was done")
	errTooLong = errors.New("that is too long to be typed; nothing was done")
)

// next returns the next byte. A line feed right behind a carriage return that ended a
// line is none.
func (k *keyboard) next(ctx context.Context, from io.Reader) (byte, error) {
	for {
		if err := k.fill(ctx, from); err != nil {
			return 0, err
		}
		b := k.typed[0]
		k.typed = k.typed[1:]
		belongs := k.ended && b == '\n'
		if k.ended = false; !belongs {
			return b, nil
		}
	}
}

// fill reads unless something is left.
func (k *keyboard) fill(ctx context.Context, from io.Reader) error {
	if len(k.typed) > 0 {
		return nil
	}
	if k.reading == nil {
		k.reading = make(chan chunk, 1)
		go read(from, k.reading)
	}
	select {
	case got := <-k.reading:
		k.reading, k.typed = nil, got.bytes
		if len(got.bytes) == 0 {
			return ended(got.err)
		}
		return nil
	case <-ctx.Done():
		return interrupted(ctx)
	}
}

func read(from io.Reader, into chan<- chunk) {
	b := make([]byte, 4096)
	n, err := from.Read(b)
	into <- chunk{b[:n], err}
}

// ended returns the error of a terminal that has no more to read: it was closed, or
// in its usual mode Ctrl-D was typed.
func ended(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return ErrInterrupted
	}
	return fmt.Errorf("reading from the terminal: %w", err)
}

func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ErrInterrupted
	}
	return ctx.Err()
}

// shownLine reads a line of a terminal in its usual mode, which edits and shows it.
func (k *keyboard) shownLine(ctx context.Context, from io.Reader) (string, error) {
	var line []byte
	for {
		b, err := k.next(ctx, from)
		if err != nil {
			return "", err
		}
		if b == '\n' || b == '\r' {
			return string(line), nil
		}
		if line = append(line, b); len(line) > maxLine {
			return "", errTooLong
		}
	}
}

// hiddenLine reads a line of a terminal in raw mode.
func (k *keyboard) hiddenLine(ctx context.Context, from io.Reader) (string, error) {
	e := editor{limit: maxLine, control: errControl}
	for {
		b, err := k.next(ctx, from)
		if err != nil {
			return "", err
		}
		if b == '\r' || b == '\n' {
			k.ended = b == '\r'
			return string(e.text), nil
		}
		ends, err := e.add(b)
		if err != nil {
			return "", err
		}
		if ends && len(e.text) == 0 {
			return "", ErrInterrupted
		}
		if n := len(e.text); n > 0 && e.text[n-1] < ' ' && len(e.escape) == 0 {
			return "", errControl
		}
	}
}

// hiddenText reads lines of a terminal in raw mode, up to Ctrl-D.
func (k *keyboard) hiddenText(ctx context.Context, from io.Reader) ([]byte, error) {
	e := editor{limit: maxText, control: errTyped}
	for {
		b, err := k.next(ctx, from)
		if err != nil {
			return nil, err
		}
		ends, err := e.add(b)
		if err != nil {
			return nil, err
		}
		if ends {
			return withLineFeeds(e.text), nil
		}
	}
}

// withLineFeeds turns the carriage returns that the Enter key sends, and terminals
// send for the line ends of what is pasted, into line feeds.
func withLineFeeds(text []byte) []byte {
	for i, b := range text {
		if b == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			text[i] = '\n'
		}
	}
	return text
}

// editor makes a text of keys. What is pasted between the marks of a terminal that
// marks it is text, whatever its characters are.
type editor struct {
	limit int
	// control is the error for a typed key that is none of a text, as Ctrl-Z.
	control error
	text    []byte
	escape  []byte // an escape sequence that is not complete
	pasted  bool
}

// add adds a key. It reports whether the key ends the text.
func (e *editor) add(b byte) (ends bool, err error) {
	switch {
	case b == keyInterrupt:
		return false, ErrCtrlC
	case len(e.escape) > 0 || b == keyEscape:
		return e.addEscape(b)
	case e.pasted:
		e.text = append(e.text, b)
	case b == keyEnd:
		return true, nil
	case b == keyBackspace || b == keyDelete:
		_, size := utf8.DecodeLastRune(e.text)
		e.text = e.text[:len(e.text)-size]
	case b == keyDeleteLine:
		e.text = e.text[:lineStart(e.text)]
	case b == keyDeleteWord:
		e.deleteWord()
	case b < ' ' && b != '\t' && b != '\r' && b != '\n':
		return false, e.control
	default:
		e.text = append(e.text, b)
	}
	if len(e.text) > e.limit {
		return false, errTooLong
	}
	return false, nil
}

func lineStart(text []byte) int { return bytes.LastIndexAny(text, "\r\n") + 1 }

func (e *editor) deleteWord() {
	start := lineStart(e.text)
	line := bytes.TrimRight(e.text[start:], " \t")
	e.text = e.text[:start+bytes.LastIndexAny(line, " \t")+1]
}

// addEscape adds a byte to an escape sequence. Those of keys such as the arrows are
// left out: a hidden text has no cursor. In what is pasted all but its end stays.
func (e *editor) addEscape(b byte) (ends bool, err error) {
	if len(e.escape) > 0 && b == keyEscape {
		e.flush()
	}
	e.escape = append(e.escape, b)
	switch sequence := string(e.escape); {
	case e.pasted && sequence == pasteEnds:
		e.pasted, e.escape = false, nil
	case e.pasted && len(sequence) < len(pasteEnds) && pasteEnds[:len(sequence)] == sequence:
	case e.pasted:
		e.flush()
	case sequence == pasteBegins:
		e.pasted, e.escape = true, nil
	case len(sequence) == 1 || len(sequence) == 2 && (b == '[' || b == 'O'):
	case len(sequence) == 2: // the Escape key, and then another one
		e.escape = nil
		return e.add(b)
	case sequence[1] == 'O' || b >= '@' && b <= '~':
		e.escape = nil
	}
	return false, nil
}

// flush ends an escape sequence that is none.
func (e *editor) flush() {
	if e.pasted {
		e.text = append(e.text, e.escape...)
	}
	e.escape = nil
}

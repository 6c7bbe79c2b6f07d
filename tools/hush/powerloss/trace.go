package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// never is the line on which a call ends that the kill cut short.
const never = math.MaxInt

// call is one system call of the record. Lines are counted over all lives of a
// session: strace prints a line when a call begins and, unless nothing else
// happened meanwhile, another when it ends, and the thread waits until strace
// has printed it. So a call that ended on an earlier line happened before.
type call struct {
	name       string
	args       []string
	result     int64
	failure    string // the name of the error, such as EIO
	start, end int
	at, until  time.Time // when it began and ended
}

var (
	errTrace = errors.New("unexpected line in the record")

	lineForm  = regexp.MustCompile(`^(\d+) +(\d+)\.(\d{6}) (.*)$`)
	wholeForm = regexp.MustCompile(`^(\w+)\((.*)\)\s+= (\?|-?\d+|0x[0-9a-f]+)(?: (E[A-Z0-9]+))?`)
	// A thread is detached where the server was killed before strace saw its end.
	beginForm   = regexp.MustCompile(`^(\w+)\((.*) <(?:unfinished|detached) \.\.\.>$`)
	resumedForm = regexp.MustCompile(`^<\.\.\. (\w+) resumed>(.*)\)\s+= (\?|-?\d+|0x[0-9a-f]+)(?: (E[A-Z0-9]+))?`)
)

// tracer reads the records of the lives of one server.
type tracer struct {
	calls []*call
	lines int
	open  map[string]*call // by thread
	args  map[*call]string
}

func newTracer() *tracer { return &tracer{open: map[string]*call{}, args: map[*call]string{}} }

// read adds the record of one life.
func (t *tracer) read(r io.Reader) error {
	clear(t.open) // what the last life had begun never ends
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return t.split()
		}
		if err != nil {
			return err
		}
		if err := t.line(strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
		t.lines++
	}
}

func (t *tracer) line(text string) error {
	m := lineForm.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%w: %.80q", errTrace, text)
	}
	thread, rest := m[1], m[4]
	// Signals, ends of threads, and calls of which strace learned nothing before
	// the thread was killed.
	if strings.HasPrefix(rest, "+++") || strings.HasPrefix(rest, "---") || strings.Contains(rest, "???") {
		return nil
	}
	seconds, _ := strconv.ParseInt(m[2], 10, 64)
	micros, _ := strconv.ParseInt(m[3], 10, 64)
	at := time.Unix(seconds, micros*1000)
	if w := resumedForm.FindStringSubmatch(rest); w != nil {
		c := t.open[thread]
		if c == nil || c.name != w[1] {
			return fmt.Errorf("%w: %.80q resumes nothing", errTrace, text)
		}
		delete(t.open, thread)
		t.args[c] += w[2]
		return t.finish(c, w[3], w[4], at)
	}
	c := &call{start: t.lines, end: never, result: -1, at: at}
	if w := beginForm.FindStringSubmatch(rest); w != nil {
		c.name, t.args[c] = w[1], w[2]
		t.open[thread] = c
		t.calls = append(t.calls, c)
		return nil
	}
	w := wholeForm.FindStringSubmatch(rest)
	if w == nil {
		return fmt.Errorf("%w: %.80q", errTrace, text)
	}
	c.name, t.args[c] = w[1], w[2]
	t.calls = append(t.calls, c)
	return t.finish(c, w[3], w[4], at)
}

// finish sets the result; a call that was interrupted by the kill has none.
func (t *tracer) finish(c *call, result, failure string, at time.Time) error {
	if result == "?" {
		return nil
	}
	var err error
	c.result, err = strconv.ParseInt(result, 0, 64)
	if errors.Is(err, strconv.ErrRange) { // an address
		c.result, err = 0, nil
	}
	c.end, c.until, c.failure = t.lines, at, failure
	return err
}

// split cuts the arguments of all calls apart.
func (t *tracer) split() error {
	for c, text := range t.args {
		c.args = splitArguments(text)
	}
	clear(t.args)
	return nil
}

// splitArguments cuts at the commas outside of brackets. Texts hold none: strace
// was told to write them as hexadecimal digits.
func splitArguments(text string) (args []string) {
	depth, from := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[', '<':
			depth++
		case '}', ']', '>':
			depth--
		case ',':
			if depth == 0 {
				args = append(args, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(args, strings.TrimSpace(text[from:]))
}

// arg returns an argument, or nothing if the call has no such.
func (c *call) arg(i int) string {
	if i < len(c.args) {
		return c.args[i]
	}
	return ""
}

func (c *call) number(i int) (int64, error) { return strconv.ParseInt(c.arg(i), 0, 64) }

// bytes returns a text argument.
func (c *call) bytes(i int) ([]byte, error) { return unescape(c.arg(i)) }

// target returns what a descriptor argument stands for: a path, or a socket.
func (c *call) target(i int) string {
	_, name, found := strings.Cut(c.arg(i), "<")
	if !found {
		return ""
	}
	name = strings.TrimSuffix(name, ">")
	if strings.HasPrefix(name, `\x`) {
		if path, err := unescape(`"` + name + `"`); err == nil {
			return string(path)
		}
	}
	return name
}

// unescape reads "\x68\x75".
func unescape(text string) ([]byte, error) {
	body, ok := strings.CutPrefix(text, `"`)
	if !ok || !strings.HasSuffix(body, `"`) {
		return nil, fmt.Errorf("%w: %.40q is no whole text", errTrace, text)
	}
	return hex.DecodeString(strings.ReplaceAll(strings.TrimSuffix(body, `"`), `\x`, ""))
}

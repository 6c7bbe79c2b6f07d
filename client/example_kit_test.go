package client_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"hush/client"
	"hush/client/clienttest"
	"hush/client/protocols"
	"hush/vault/vaulttest"
)

// example is a server for an example, which has no test.
type example struct {
	*clienttest.Server

	t *exampleT
}

func startExample() *example {
	t := &exampleT{}
	return &example{clienttest.Start(t, vaulttest.Options{}, nil), t}
}

// end stops the server and removes its folder.
func (e *example) end() {
	for _, end := range slices.Backward(e.t.ends) {
		end()
	}
}

// linkOf shares a text and returns its link.
func (e *example) linkOf(text string) string {
	c, err := protocols.New(e.URL, client.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	return clienttest.MustShare(e.t, c, clienttest.Text(text)).Link.Expose()
}

// exampleT is what the kit needs of a test. An example has none that could fail, and
// counts as passed unless its output differs or it panics. So Fatal panics, and the run
// shows why the server did not start.
type exampleT struct {
	testing.TB

	ends []func()
}

func (*exampleT) Helper()                           {}
func (*exampleT) Context() context.Context          { return context.Background() }
func (t *exampleT) Fatal(args ...any)               { t.Fatalf("%s", fmt.Sprint(args...)) }
func (*exampleT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (t *exampleT) Cleanup(end func())              { t.ends = append(t.ends, end) }

func (t *exampleT) TempDir() string {
	dir, err := os.MkdirTemp("", "hush-example-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

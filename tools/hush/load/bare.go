package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	hushv1 "hush/gen/hush/v1"
)

// bareCommand is how the program calls itself to be the bare server. It is a
// process of its own because a real server is one too: in this process it
// would share the load generator's scheduler and garbage collector.
const bareCommand = "bare-server"

// bareServer is a running child.
type bareServer struct {
	target target
	hold   io.Closer
	cmd    *exec.Cmd
}

// startBare starts the child and waits until it listens.
func startBare(ctx context.Context) (*bareServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, bareCommand) //nolint:gosec // it starts itself
	cmd.Stderr = os.Stderr
	hold, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the bare server: %w", err)
	}
	child := &bareServer{hold: hold, cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		child.stop()
		return nil, fmt.Errorf("starting the bare server: %w", err)
	}
	addr := strings.TrimSpace(line)
	child.target = target{host: addr, addr: addr}
	return child, nil
}

// watched returns the child, if the system tells its processor time.
func (b *bareServer) watched() processes {
	own := processes{b.cmd.Process.Pid}
	if _, err := own.processorTime(); err != nil {
		return nil
	}
	return own
}

// stop ends the child and waits for it. Its exit status says nothing that the
// answers did not.
func (b *bareServer) stop() {
	_ = b.hold.Close()
	_ = b.cmd.Wait()
}

// serveBare is the child: it prints its address and serves until hold ends,
// so that it never outlives its parent.
func serveBare(ctx context.Context, hold io.Reader, stdout io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler, err := bareHandler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: handler, Protocols: &protocols, ReadHeaderTimeout: answerTime}
	fmt.Fprintln(stdout, listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, hold)
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// bareHandler reads each request and answers the same bytes to all, in the
// form of the protocol they came in: what net/http costs before a server has
// done anything.
func bareHandler() (http.Handler, error) {
	aKey := strings.Repeat("k", keySize)
	value := strings.Repeat("v", 64)
	v1 := fmt.Appendf(nil, `{"custid":"anon","secret_key":%q,"value":%q,"share_domain":""}`, aKey, value)
	v2 := fmt.Appendf(nil, `{"success":true,"custid":"anon","record":{"secret_key":%q,"secret_value":%q}}`, aKey, value)
	connect := fmt.Appendf(nil, `{"secret":{"secretKey":%q},"value":%q}`, aKey, value)
	message, err := proto.Marshal(&hushv1.RevealSecretResponse{
		Secret: &hushv1.Secret{SecretKey: aKey},
		Value:  value,
	})
	if err != nil {
		return nil, err
	}
	// The answer to conceal has the secret in field 2 and not in field 1. One
	// message with both would be decoded wrongly on one side, so there are two.
	concealed, err := proto.Marshal(&hushv1.ConcealSecretResponse{Secret: &hushv1.Secret{SecretKey: aKey}})
	if err != nil {
		return nil, err
	}
	message, concealed = envelope(message), envelope(concealed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
			return
		}
		switch {
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			answer := message
			if strings.HasSuffix(r.URL.Path, "/ConcealSecret") {
				answer = concealed
			}
			w.Header().Set("Content-Type", "application/grpc+proto")
			w.Header().Set("Trailer", "Grpc-Status")
			_, _ = w.Write(answer)
			w.Header().Set("Grpc-Status", "0")
		case strings.HasPrefix(r.URL.Path, "/api/v2/"):
			writeJSON(w, v2)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			writeJSON(w, v1)
		default:
			writeJSON(w, connect)
		}
	}), nil
}

func writeJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// envelope puts gRPC's five-byte prefix before a message.
func envelope(message []byte) []byte {
	framed := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	return append(framed, message...)
}

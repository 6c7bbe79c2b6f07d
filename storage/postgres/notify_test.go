package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/postgres/postgrestest"
	"hush/storage/storagetest"
)

func TestNotifier(t *testing.T) {
	storagetest.RunNotifier(t, func(t *testing.T) []storage.Notifier {
		name := schema(t)
		var all []storage.Notifier
		for range 3 {
			store, _ := open(t, need(t), postgres.Options{Schema: name})
			all = append(all, store)
		}
		return all
	})
}

// interruption waits for the report of the interruption after the first n, and
// returns its cause. That listening resumed may be a report of its own, or not.
func interruption(e *storagetest.Ear, n int) (cause error) {
	e.Wait(func(_ map[storage.Topic]int, lost []error) bool {
		interrupted := slices.DeleteFunc(slices.Clone(lost), func(err error) bool { return errors.Is(err, storage.ErrListening) })
		if len(interrupted) > n {
			cause = interrupted[n]
		}
		return cause != nil
	})
	return cause
}

// notifyUntil notifies of a topic until it is heard: what is sent before
// listening resumed is lost.
func notifyUntil(e *storagetest.Ear, by storage.Notifier, topic storage.Topic) {
	for e.Heard(topic) == 0 {
		by.Notify(topic)
		time.Sleep(10 * time.Millisecond)
	}
}

// as runs statements as another client of a server.
func as(t *testing.T, server *postgrestest.Server, statements string) []*pgconn.Result {
	t.Helper()
	pg, err := pgconn.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(context.Background())
	results, err := pg.Exec(t.Context(), statements).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestListenerIsCut: the connection that listens breaks. The listener is told,
// and hears again afterwards.
func TestListenerIsCut(t *testing.T) {
	server, name := need(t), schema(t)
	a, _ := open(t, server, postgres.Options{Schema: name, ApplicationName: name})
	b, _ := open(t, server, postgres.Options{Schema: name})
	ear := storagetest.Listen(t, a)
	storagetest.Listen(t, b)
	for i := range 3 {
		killed := as(t, server, fmt.Sprintf(
			"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '%s' AND query LIKE '%%pg_notify%%'", name))
		if n := string(killed[0].Rows[0][0]); n != "1" {
			t.Fatalf("connections that listen: got %s, want 1", n)
		}
		interruption(ear, i)
		notifyUntil(ear, b, storagetest.Topic(i))
	}
}

// TestServerRestarts: no caller is held up while there is no server, and what is
// notified then arrives afterwards.
func TestServerRestarts(t *testing.T) {
	server := own(t)
	a, _ := open(t, server, postgres.Options{})
	b, _ := open(t, server, postgres.Options{})
	ear := storagetest.Listen(t, a)
	storagetest.Listen(t, b)
	for i, end := range []func() error{server.Crash, server.Halt} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
		b.Notify(storagetest.Topic(i))
		if err := server.Run(); err != nil {
			t.Fatal(err)
		}
		interruption(ear, i)
		notifyUntil(ear, b, storagetest.Topic(100+i))
		if err := addOne(t.Context(), a, 0); err != nil {
			t.Error(err)
		}
	}
}

// The attack: another role of the database, which may read no table, hears every
// channel and sends to any. It learns nothing that is more than a random number,
// and what it sends does not stop a listener.
func TestForgedNotifications(t *testing.T) {
	server, name := need(t), schema(t)
	a, _ := open(t, server, postgres.Options{Schema: name})
	b, _ := open(t, server, postgres.Options{Schema: name})
	ear := storagetest.Listen(t, a)
	storagetest.Listen(t, b)
	var forged strings.Builder
	for _, payload := range []string{"", "?", "AQ", "AAAAAAAAAAAA", "AwECAwQFBgcI", "AQECAwQFBgcICQ", strings.Repeat("A", 7999)} {
		fmt.Fprintf(&forged, "SELECT pg_notify('hush %s', '%s');", name, payload)
	}
	as(t, server, forged.String())
	b.Notify(storagetest.Topic(1))
	ear.WaitFor(storagetest.Topic(1))
	if lost := ear.Lost(); len(lost) != 1 {
		t.Errorf("heard: got lost %v, want no interruption", lost)
	}
}

// The attack: another role floods the channel with the largest well-formed
// notifications and with reports of loss. They are dropped beyond a bound and
// handed on in few calls, and notifications of nodes still arrive.
func TestFloodOfNotifications(t *testing.T) {
	server, name := need(t), schema(t)
	a, _ := open(t, server, postgres.Options{Schema: name})
	b, _ := open(t, server, postgres.Options{Schema: name})
	storagetest.Listen(t, b)
	ctx, stop := context.WithCancel(t.Context())
	began, calls, most, overflows := time.Now(), 0, 0, 0
	listening, arrived, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		a.Listen(ctx, func(topics []storage.Topic, lost error) {
			calls++
			most = max(most, len(topics))
			switch {
			case errors.Is(lost, storage.ErrListening):
				close(listening)
			case errors.Is(lost, storage.ErrOverflow):
				overflows++
			}
			if slices.Contains(topics, storagetest.Topic(1)) {
				stop()
				close(arrived)
			}
		})
	}()
	<-listening
	for range 10 {
		as(t, server, fmt.Sprintf(`SELECT count(pg_notify('hush %s', translate(encode(decode(payload, 'hex'), 'base64'), E'=\n', '')))
			FROM (SELECT '01' || repeat('ff', 8) || repeat(md5(random()::text), 350) AS payload FROM generate_series(1, 100)
				UNION ALL SELECT '02' || left(md5(random()::text), 16) FROM generate_series(1, 100)) AS forged`, name))
	}
	for heard := false; !heard; {
		b.Notify(storagetest.Topic(1)) // a flood drops what it does not leave room for
		select {
		case <-arrived:
			heard = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	<-ended
	if bound := int(time.Since(began)/(50*time.Millisecond)) + 2; calls > bound {
		t.Errorf("heard: got %d calls, want at most %d", calls, bound)
	}
	if most > storage.TopicsMost || overflows == 0 {
		t.Errorf("heard: got %d topics at once and %d reports of loss, want at most %d and some", most, overflows, storage.TopicsMost)
	}
}

// Stores of two schemas in one database do not hear each other.
func TestChannelsAreApart(t *testing.T) {
	server := need(t)
	a, _ := open(t, server, postgres.Options{Schema: schema(t)})
	name := schema(t)
	b, _ := open(t, server, postgres.Options{Schema: name})
	other, _ := open(t, server, postgres.Options{Schema: name})
	ear, stranger := storagetest.Listen(t, other), storagetest.Listen(t, a)
	listens := storagetest.Listen(t, b)
	b.Notify(storagetest.Topic(1))
	ear.WaitFor(storagetest.Topic(1))
	if n := stranger.Heard(storagetest.Topic(1)); n != 0 {
		t.Errorf("store of another schema: heard the topic, want nothing")
	}
	listens.Stop()
}

// TestCloseEndsListening: a store that closes ends its listener and sends what is
// queued.
func TestCloseEndsListening(t *testing.T) {
	server, name := need(t), schema(t)
	a, _ := open(t, server, postgres.Options{Schema: name})
	b, _ := open(t, server, postgres.Options{Schema: name})
	ear, closing := storagetest.Listen(t, a), storagetest.Listen(t, b)
	b.Notify(storagetest.Topic(0))
	ear.WaitFor(storagetest.Topic(0))
	b.Notify(storagetest.Topic(99)) // waits a moment for others to share its statement
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	closing.Stop()
	ear.WaitFor(storagetest.Topic(99))
	b.Listen(t.Context(), func(_ []storage.Topic, lost error) { t.Errorf("Listen after Close: heard %v", lost) })
}

// TestListenUnreachable: a listener that never reached the server is told once.
func TestListenUnreachable(t *testing.T) {
	server := own(t)
	store, _ := open(t, server, postgres.Options{})
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	ear := storagetest.Listen(t, store) // returns with the first report
	if cause := ear.Lost()[0]; errors.Is(cause, storage.ErrListening) {
		t.Errorf("heard: got lost %v, want why nothing is heard", cause)
	}
	if err := server.Run(); err != nil {
		t.Fatal(err)
	}
	ear.Wait(func(_ map[storage.Topic]int, lost []error) bool { return len(lost) > 1 })
	if lost := ear.Lost(); len(lost) != 2 || !errors.Is(lost[1], storage.ErrListening) {
		t.Errorf("heard: got lost %v, want one interruption and its end", lost)
	}
}

// TestListenIsDropped: a proxy that keeps sessions apart ends LISTEN in one of
// them, as a reset between two clients does. Nothing breaks, but the session
// does not hear itself any more.
func TestListenIsDropped(t *testing.T) {
	server, name := need(t), schema(t)
	p := newPooler(t, server.URL("postgres"))
	p.keep = true
	store, _, err := postgres.Open(t.Context(), p.listen(t), postgres.Options{Schema: name, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	ear := storagetest.Listen(t, store)
	p.reset.Store(true)
	store.Notify(storagetest.Topic(1))
	if cause := interruption(ear, 0); !strings.Contains(cause.Error(), "LISTEN") {
		t.Errorf("heard: got lost %v, want that LISTEN was ended", cause)
	}
	if n := p.resets.Load(); n != 1 {
		t.Errorf("resets: got %d, want 1", n)
	}
}

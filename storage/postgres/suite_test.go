package postgres_test

import (
	"testing"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
)

func TestSuite(t *testing.T) {
	server := need(t)
	opened := func(t *testing.T) (storage.Store, storage.Shares) {
		t.Helper()
		return open(t, server, postgres.Options{Schema: schema(t)})
	}
	storagetest.Run(t, opened)
	t.Run("Observer", func(t *testing.T) { storagetest.RunObserver(t, opened) })
}

package postgres_test

import (
	"testing"

	"hush/storage"
	"hush/storage/postgres"
	"hush/storage/storagetest"
)

func TestSuite(t *testing.T) {
	server := need(t)
	storagetest.Run(t, func(t *testing.T) (storage.Store, storage.Shares) {
		return open(t, server, postgres.Options{Schema: schema(t)})
	})
}

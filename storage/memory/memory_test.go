package memory_test

import (
	"testing"

	"hush/storage"
	"hush/storage/memory"
	"hush/storage/storagetest"
)

func TestSuite(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) (storage.Store, storage.Shares) {
		store, shares := memory.New()
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Errorf("Close: got %v, want nil", err)
			}
		})
		return store, shares
	})
}

func TestNotifier(t *testing.T) {
	storagetest.RunNotifier(t, func(*testing.T) []storage.Notifier {
		all := memory.NewNotices()
		return []storage.Notifier{all.Join(), all.Join(), all.Join()}
	})
}

package handlers

import (
	"net/url"
	"time"

	"hush/handlers/chain"
	"hush/vault"
)

// Described returns the API of a server without a vault. Programs can list or
// document it without running a service, but cannot call it.
func Described() (*API, error) {
	c, err := chain.Described()
	if err != nil {
		return nil, err
	}
	api := &API{Services: newServices(Options{Settings: chain.Settings{BaseURL: new(url.URL), Now: time.Now}, Vault: new(vault.Vault)}), Chain: c}
	api.Mounts = api.Services.mounts(c)
	for i := range api.Mounts {
		api.Mounts[i].Handler = nil
	}
	return api, nil
}

package admin

import (
	"encoding/json"
	"strings"
	"time"

	adminv1 "hush/gen/hush/admin/v1"
)

// rootKeyList is what "hush admin keys list --json" prints. Scripts depend on the
// names.
type rootKeyList struct {
	Keys     []rootKey `json:"keys"`     // the newest first
	Unlisted []string  `json:"unlisted"` // in the file only
	Damaged  int64     `json:"damaged_count"`
}

type rootKey struct {
	Name  string       `json:"name"`
	State string       `json:"state"`
	Since *time.Time   `json:"since_time"` // null for the first root key
	Uses  []rootKeyUse `json:"uses"`
}

// rootKeyUse has the kinds of hush_old_root_key_uses.
type rootKeyUse struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
	Ends  string `json:"ends"`
}

// printJSON prints a list with numbers as numbers, which protojson does not.
func (k rootKeys) printJSON(list *adminv1.ListRootKeysResponse) error {
	shown := rootKeyList{Keys: []rootKey{}, Unlisted: append([]string{}, list.GetUnlisted()...), Damaged: list.GetDamagedCount()}
	for _, key := range list.GetKeys() {
		one := rootKey{Name: key.GetName(), State: key.GetState(), Uses: []rootKeyUse{}}
		if at := key.GetSinceTime(); at != nil {
			since := at.AsTime()
			one.Since = &since
		}
		for _, use := range key.GetUses() {
			kind := strings.ReplaceAll(strings.ToLower(use.GetKind()), " ", "_")
			one.Uses = append(one.Uses, rootKeyUse{kind, use.GetCount(), use.GetEnds()})
		}
		shown.Keys = append(shown.Keys, one)
	}
	encoder := json.NewEncoder(k.Out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(shown)
}

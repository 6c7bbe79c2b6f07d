package people

import (
	"strings"
	"testing"
	"time"

	"hush/client"
)

// noon is when the receipts of these tests are read.
func noon() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) }

func TestOutcome(t *testing.T) {
	t.Parallel()
	earlier := func(d time.Duration) time.Time { return noon().Add(-d) }
	for want, r := range map[string]client.Receipt{
		"waiting":                             {State: client.StateWaiting},
		"waiting; expires in 6 days 23 hours": {State: client.StateWaiting, Expires: noon().Add(7*24*time.Hour - time.Second)},
		"waiting; expires in 1 minute 5 seconds; link viewed 3 times":                                    {State: client.StateWaiting, Expires: noon().Add(65 * time.Second), Events: []client.Event{{Kind: "looked", Count: 2}, {Kind: "looked"}, {Kind: "created"}}},
		"waiting; expires any moment; link viewed 1 time":                                                {State: client.StateWaiting, Expires: noon(), Events: []client.Event{{Kind: "looked", Count: 1}}},
		"waiting; 1 wrong passphrase":                                                                    {State: client.StateWaiting, Events: []client.Event{{Kind: "passphrase", Count: 1}}},
		"locked for good after too many wrong passphrases: it can only be burned":                        {State: client.StateWaiting, LockedForGood: true, Events: []client.Event{{Kind: "passphrase", Count: 100}}},
		"opened 3 minutes ago":                                                                           {State: client.StateOpened, Ended: earlier(200 * time.Second)},
		"opened just now; the recipient's device has not confirmed yet that it has the content":          {State: client.StateOpened, Delivery: client.DeliveryPending, Ended: noon().Add(time.Second)},
		"delivered: opened 1 second ago, and the recipient's device has the content":                     {State: client.StateOpened, Delivery: client.DeliveryConfirmed, Ended: earlier(time.Second)},
		"lapsed: opened 2 hours ago, but the recipient's device never confirmed that it has the content": {State: client.StateOpened, Delivery: client.DeliveryLapsed, Ended: earlier(150 * time.Minute)},
		"burned 1 day ago":                 {State: client.StateBurned, Ended: earlier(25 * time.Hour)},
		"burned":                           {State: client.StateBurned},
		"expired 59 seconds ago":           {State: client.StateExpired, Ended: earlier(59 * time.Second)},
		"unknown: the server does not say": {},
	} {
		if got := outcomeText(r, noon()); got != want {
			t.Errorf("outcomeText: got %q, want %q", got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0:                                      "less than a second",
		999 * time.Millisecond:                 "less than a second",
		time.Second:                            "1 second",
		time.Minute:                            "1 minute",
		61*time.Minute + time.Second:           "1 hour 1 minute",
		7 * 24 * time.Hour:                     "7 days",
		24*time.Hour + 5*time.Minute:           "1 day",
		23*time.Hour + 59*time.Minute + 59e9:   "23 hours 59 minutes",
		14*24*time.Hour + 3*time.Hour + 4*60e9: "14 days 3 hours",
	} {
		if got := spanText(d); got != want {
			t.Errorf("spanText(%s): got %q, want %q", d, got, want)
		}
	}
}

func TestFactsLeaveOutWhatIsUnknown(t *testing.T) {
	t.Parallel()
	var names []string
	for _, fact := range receiptFields(client.Receipt{ShortID: "abcdefgh"}, noon()) {
		names = append(names, fact.Name)
	}
	if got := strings.Join(names, " "); got != "state ID" {
		t.Errorf("receiptFields of an unknown receipt: got %s, want state ID", got)
	}
	names = nil
	full := client.Receipt{
		ShortID: "abcdefgh", State: client.StateOpened, Encryption: client.EncryptionEndToEnd, Label: "l", Recipients: []string{"a", "b"},
		Domain: "d", TTL: time.Hour, Created: noon(), Expires: noon(), Ended: noon(),
		Events: []client.Event{{Kind: "created", Time: noon()}, {Kind: "revealed", Time: noon(), Network: "192.0.2.0/24", Count: 2}},
		Mails:  []client.Mail{{Recipient: "a", State: "sent"}, {Recipient: "b", State: "failed"}},
	}
	var values []string
	for _, fact := range receiptFields(full, noon()) {
		names, values = append(names, fact.Name), append(values, fact.Value)
	}
	if got, want := strings.Join(names, ","), "state,ID,label,kind,lifetime,shared,opened,domain,recipients,mails,timeline,"; got != want {
		t.Errorf("names of fields: got %s, want %s", got, want)
	}
	for _, want := range []string{"a: sent, b: failed", "end-to-end encrypted", "(just now): opened, 2 times, from 192.0.2.0/24"} {
		if got := strings.Join(values, "\n"); !strings.Contains(got, want) {
			t.Errorf("receiptFields: got %s, want %q among them", got, want)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]client.Receipt{
		"locked":    {State: client.StateWaiting, LockedForGood: true},
		"waiting":   {State: client.StateWaiting},
		"opened":    {State: client.StateOpened, Delivery: client.DeliveryPending},
		"delivered": {State: client.StateOpened, Delivery: client.DeliveryConfirmed},
		"lapsed":    {State: client.StateOpened, Delivery: client.DeliveryLapsed},
		"burned":    {State: client.StateBurned},
	} {
		if got := stateText(r); got != want {
			t.Errorf("stateText: got %s, want %s", got, want)
		}
	}
}

// A list takes the words that it prints.
func TestStatesAreThoseOfTheList(t *testing.T) {
	t.Parallel()
	for word, r := range map[string]client.Receipt{
		"waiting": {State: client.StateWaiting}, "locked": {State: client.StateWaiting, LockedForGood: true},
		"opened":    {State: client.StateOpened, Delivery: client.DeliveryPending},
		"delivered": {State: client.StateOpened, Delivery: client.DeliveryConfirmed},
		"lapsed":    {State: client.StateOpened, Delivery: client.DeliveryLapsed},
		"burned":    {State: client.StateBurned}, "expired": {State: client.StateExpired}, "unknown": {},
	} {
		if got := stateText(r); got != word {
			t.Errorf("stateText: got %q, want %q", got, word)
		}
		states, err := parseStates(word)
		if err != nil || !(listOptions{states: states}).wants(r) {
			t.Errorf("parseStates(%q): got %v, %v, want that it lists what is shown so", word, states, err)
		}
		states, err = parseStates("burned,expired")
		if err != nil || (listOptions{states: states}).wants(r) != (word == "burned" || word == "expired") {
			t.Errorf("a list of burned and expired: got %s in it: %v", word, err)
		}
	}
	if !(listOptions{states: []string{"opened"}}).wants(client.Receipt{State: client.StateOpened, Delivery: client.DeliveryLapsed}) {
		t.Error("a list of opened: got the lapsed left out, want all that were opened")
	}
}

package pages

import (
	"net/http"

	"hush/handlers/chain"
	"hush/routes/refusal"
)

const (
	// workerPath is the script of the service worker, through which some browsers save
	// the files that a page decrypts. It is at the root, since its place decides on what
	// a worker may see; the page registers it for what is below /dl/ alone.
	workerPath = "/sw.js"
	// downloadPath is what a page opens in a hidden frame to save a file. The browser's
	// worker responds, so a request for it reaches the service only where there is none.
	downloadPath = "/dl/{download}"
)

// workerPolicy lets the worker load nothing, not even from this host: all that it passes
// on comes from the page.
const workerPolicy = "default-src 'none'"

// missedDownload responds where no worker did. The page notices, and saves the file in
// another way.
func missedDownload(w http.ResponseWriter, r *http.Request) {
	chain.Route(r, downloadPath)
	writeText(w, http.StatusNotFound, refusal.TextRoute)
}

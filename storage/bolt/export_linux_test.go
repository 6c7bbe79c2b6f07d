package bolt

// For tests of what package offline does with the record of the files.

// Facts is what a file system says of files.
type Facts = func(path string) (is facts, ok bool)

// FilesKey is the row with the record.
const FilesKey = filesKey

// The helpers of those tests.
var (
	OnFileSystem = on
	NewFolderOn  = newFolder
	StoredFiles  = storedFiles
	WantTold     = wantTold
)

// SetFacts makes files what facts says.
func (f *Folder) SetFacts(facts Facts) { f.facts = facts }

package people

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hush/cli/command"
	"hush/cli/console"
	"hush/client"
)

// receiptFile is the file of --receipt-file. It is made before anything is shared,
// so that a receipt always has its place.
type receiptFile struct {
	file *os.File
	err  error // why it does not have all receipts
}

// createReceiptFile makes the file, which only its owner may read. It returns nil
// without a name. It overwrites no file.
func createReceiptFile(name string) (*receiptFile, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, command.Usage("--receipt-file: the file %s exists already, and hush overwrites none", name)
	}
	if err != nil {
		return nil, fmt.Errorf("--receipt-file: %w", console.NameFolder(name, err))
	}
	return &receiptFile{file: file}, nil
}

// write writes all receipts so far, a line each, so that a power cut does not undo it.
func (f *receiptFile) write(receipts []client.ReceiptLink) error {
	var text []byte
	for _, receipt := range receipts {
		text = append(text, receipt.Expose()+"\n"...)
	}
	if _, err := f.file.WriteAt(text, 0); err != nil {
		return err
	}
	return errors.Join(f.file.Truncate(int64(len(text))), f.file.Sync())
}

// remove removes the file if nothing was shared.
func (f *receiptFile) remove() error {
	if f == nil {
		return nil
	}
	return errors.Join(f.file.Close(), os.Remove(f.file.Name()))
}

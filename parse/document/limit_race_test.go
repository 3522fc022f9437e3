//go:build race

package document

import "time"

// The race detector slows a parse about tenfold, and changes what memory is used.
const (
	limit   = 10 * time.Second
	fill    = MaxBytes / 16
	longest = fill
	raced   = true
)

//go:build race

package document

import "time"

// The race detector slows a parse about tenfold.
const (
	limit = 10 * time.Second
	fill  = MaxBytes / 16
)

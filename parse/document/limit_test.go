//go:build !race

package document

import "time"

// The bound on a hostile file's processor time, and the size that hostile files are filled up to.
const (
	limit = time.Second
	fill  = MaxBytes
)

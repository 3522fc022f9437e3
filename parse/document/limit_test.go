//go:build !race

package document

import "time"

// The bound on a hostile file's processor time, the size that hostile files are filled up to, and the one that they
// are cut at.
const (
	limit   = time.Second
	fill    = MaxBytes
	longest = 16 << 20
	raced   = false
)

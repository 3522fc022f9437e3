//go:build !race

package document

import "time"

const limit = time.Second

//go:build race

package document

import "time"

const limit = 10 * time.Second // the race detector slows a parse about tenfold

//go:build !sqlite_fts5

package store

import (
	"strings"
	"testing"
)

// cases/37: a build without the tag says so when it opens anything.
func TestMissingFTS5(t *testing.T) {
	for _, dir := range []string{t.TempDir(), InMemory} {
		_, err := Open(t.Context(), dir, Options{Write: true})
		if err == nil || !strings.Contains(err.Error(), "fts5") || !strings.Contains(err.Error(), "-tags sqlite_fts5") {
			t.Error(err)
		}
	}
}

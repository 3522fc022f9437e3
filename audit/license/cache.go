package license

import (
	"fmt"
	"sync"

	"skillcorpus/data"
)

// Cache remembers what each licence text is: thousands of skills share a few. The zero value is ready, and safe for
// concurrent use.
type Cache struct {
	mu    sync.Mutex // guards known
	known map[string][]string
}

// Files says what licence files are. content reads a text by its SHA-256, once for each; an error is its own.
func (c *Cache) Files(files []data.LicenseFile, content func(sha256 string) ([]byte, error)) ([]File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make([]File, len(files))
	for i, f := range files {
		found[i].Path = f.Path
		if f.SHA256 == "" {
			continue
		}
		ids, seen := c.known[f.SHA256]
		if !seen {
			text, err := content(f.SHA256)
			if err != nil {
				return nil, fmt.Errorf("read licence file %s: %w", f.Path, err)
			}
			ids = Identify(text)
			if c.known == nil {
				c.known = map[string][]string{}
			}
			c.known[f.SHA256] = ids
		}
		found[i].IDs = ids
	}
	return found, nil
}

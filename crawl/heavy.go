package crawl

import (
	"context"
	"os"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// What makes a repository heavy. Any number of light ones at a time takes little memory, so that of heavy ones only one
// is opened, read and not stored yet, whatever comes.
const (
	heavyArchive = 4 << 20 // bytes: its directory may take ten times as much
	heavyEntries = 20_000
	heavyMain    = 4 << 20 // bytes of one SKILL.md, which is held whole
)

// bear waits until a repository is the only heavy one.
func (c *crawler) bear(ctx context.Context, id string) error {
	key := data.RepoKey(id)
	c.mu.Lock()
	borne := c.borne == key
	c.mu.Unlock()
	if borne {
		return nil
	}
	select {
	case c.heavy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.borne = key
	return nil
}

// unburden lets the next heavy repository come, if this was one.
func (c *crawler) unburden(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.borne != "" && c.borne == data.RepoKey(id) {
		c.borne = ""
		<-c.heavy
	}
}

// unless returns what unburdens a repository that was not read, in whatever way that ended.
func (c *crawler) unless(read *bool, id string) func() {
	return func() {
		if !*read {
			c.unburden(id)
		}
	}
}

// weigh bears a repository whose archive is large.
func (c *crawler) weigh(ctx context.Context, id, spooled string) error {
	info, err := os.Stat(spooled)
	if err != nil {
		return ourFault{err}
	}
	if info.Size() < heavyArchive {
		return nil
	}
	return c.bear(ctx, id)
}

// weighTree bears a repository whose entries or main files are large.
func (c *crawler) weighTree(ctx context.Context, id string, entries []archive.Entry) error {
	heavy := len(entries) > heavyEntries
	for _, e := range entries {
		heavy = heavy || e.Size > heavyMain && data.IsSkillFile(e.Path[max(0, len(e.Path)-len(data.SkillFile)):])
	}
	if !heavy {
		return nil
	}
	return c.bear(ctx, id)
}

package discover

import (
	"bytes"
	"testing"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// readArchive reads an archive file and returns what was kept by digest.
func readArchive(t testing.TB, name string, limits archive.Limits, repo data.Repo) (Found, map[string][]byte) {
	t.Helper()
	tree, err := archive.Open(name, limits)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	return readTree(t, tree, repo)
}

func readTree(t testing.TB, tree archive.Tree, repo data.Repo) (Found, map[string][]byte) {
	t.Helper()
	kept := map[string][]byte{}
	found, err := Read(t.Context(), repo, tree, func(sha256 string, content []byte) error {
		if _, again := kept[sha256]; again {
			t.Errorf("%s given to keep twice", sha256)
		}
		kept[sha256] = bytes.Clone(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, kept
}

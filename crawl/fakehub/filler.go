package fakehub

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// filled is a member whose content nobody knows: bytes that don't compress, the same for the same repository, path and
// size. A link's target is made of letters, and leads nowhere.
func filled(repo, path, mode string, size int64) member {
	return member{path: path, mode: mode, size: size, open: func() (io.ReadCloser, error) {
		seed := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", repo, path, size))
		if mode == modeLink {
			return io.NopCloser(strings.NewReader(linkTarget(seed, size))), nil
		}
		return io.NopCloser(io.LimitReader(rand.NewChaCha8(seed), size)), nil
	}}
}

func linkTarget(seed [32]byte, size int64) string {
	letters := make([]byte, size)
	for i := range letters {
		letters[i] = 'a' + seed[i%len(seed)]%26
	}
	return string(letters)
}

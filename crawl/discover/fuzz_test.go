package discover

import (
	"strings"
	"testing"
)

// FuzzPlugins holds that no declaration leads out of its repository.
func FuzzPlugins(f *testing.F) {
	for _, seed := range []string{
		`{"plugins":[{"source":"./a","skills":["./b"]}],"metadata":{"pluginRoot":"./p"}}`, `{"skills":"./../../x"}`, `{"plugins":[{"source":{"source":"github"}}]}`, `[`,
		`{"skills":[1,"./a/../.."]}`, `{"plugins":[{"source":"./a/../../b"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		manifests := map[string][]byte{marketplaceFile: text, "a/b/" + pluginFile: text}
		for _, p := range plugins(manifests) {
			for _, dir := range append(p.skills, p.root) {
				if dir == ".." || strings.HasPrefix(dir, "../") || strings.HasPrefix(dir, "/") {
					t.Errorf("%q", dir)
				}
			}
		}
	})
}

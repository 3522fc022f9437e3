package vector_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"skillcorpus/index/vector"
)

// open opens a cache of two dimensions that closes with the test.
func open(t testing.TB, root string) *vector.Cache {
	t.Helper()
	c, err := vector.OpenCache(root, "tide-mini", 2)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func shut(t testing.TB, c *vector.Cache) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func key(i int) vector.Key { return vector.KeyOf(fmt.Sprint("text ", i)) }

// fill adds n vectors, in calls of three.
func fill(t testing.TB, c *vector.Cache, n int) {
	t.Helper()
	for from := 0; from < n; from += 3 {
		var keys []vector.Key
		var vectors [][]float32
		for i := from; i < min(from+3, n); i++ {
			keys, vectors = append(keys, key(i)), append(vectors, []float32{float32(i + 1), 1})
		}
		if err := c.Add(keys, vectors); err != nil {
			t.Fatal(err)
		}
	}
}

func holds(t testing.TB, c *vector.Cache, i int) bool {
	t.Helper()
	v := make([]float32, 2)
	ok, err := c.Get(key(i), v)
	if err != nil {
		t.Fatal(err)
	}
	if ok != c.Has(key(i)) {
		t.Errorf("text %d: Has and Get differ", i)
	}
	if ok && (math.Abs(float64(v[0]/v[1])-float64(i+1)) > 1e-5 || math.Abs(math.Hypot(float64(v[0]), float64(v[1]))-1) > 1e-6) {
		t.Errorf("text %d has %v", i, v)
	}
	return ok
}

// TestCacheAfterAKill cuts the file at every byte, as a kill within a write may: what was whole is there, the
// rest is cut off and can be added again.
func TestCacheAfterAKill(t *testing.T) {
	t.Parallel()
	const n = 5
	root := t.TempDir()
	c := open(t, root)
	fill(t, c, n)
	shut(t, c)
	file := filepath.Join(root, "tide-mini", "vectors.bin")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	record := 32 + 2*4 + 4
	head := len(whole) - n*record
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, root)
		want := max(0, (cut-head)/record)
		if c.Len() != want {
			t.Fatalf("cut at %d: %d vectors, want %d", cut, c.Len(), want)
		}
		for i := range n {
			if holds(t, c, i) != (i < want) {
				t.Fatalf("cut at %d: text %d", cut, i)
			}
		}
		fill(t, c, n)
		shut(t, c)
		mended, err := os.ReadFile(file)
		if err != nil || string(mended) != string(whole) {
			t.Fatalf("cut at %d: the mended file differs, %v", cut, err)
		}
	}
}

// TestCacheAlteredByte loses at most the record that holds the byte.
func TestCacheAlteredByte(t *testing.T) {
	t.Parallel()
	const n = 4
	root := t.TempDir()
	c := open(t, root)
	fill(t, c, n)
	shut(t, c)
	file := filepath.Join(root, "tide-mini", "vectors.bin")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	record := 32 + 2*4 + 4
	head := len(whole) - n*record
	for at := range whole {
		altered := append([]byte{}, whole...)
		altered[at] ^= 0x10
		if err := os.WriteFile(file, altered, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := vector.OpenCache(root, "tide-mini", 2)
		if at < head {
			if !errors.Is(err, vector.ErrDamaged) {
				t.Errorf("byte %d of the header altered: %v", at, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if holds(t, c, i) != (i != (at-head)/record) {
				t.Errorf("byte %d altered: text %d", at, i)
			}
		}
		fill(t, c, n)
		if c.Len() != n {
			t.Errorf("byte %d altered: %d vectors after all were added again", at, c.Len())
		}
		shut(t, c)
	}
}

func TestCacheRefuses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	c := open(t, root)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, v := range map[string][]float32{"zero": {0, 0}, "nan": {nan, 1}, "inf": {inf, 0}, "short": {1}, "none": nil} {
		if err := c.Add([]vector.Key{key(1), key(2)}, [][]float32{{1, 0}, v}); !errors.Is(err, vector.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c.Len() != 0 {
		t.Errorf("%d vectors were kept", c.Len())
	}
	shut(t, c)
	if _, err := vector.OpenCache(root, "tide-mini", 3); !errors.Is(err, vector.ErrDamaged) {
		t.Errorf("other dimensions: %v", err)
	}
	for _, id := range []string{"", ".", "..", "a/b", ".hidden"} {
		if _, err := vector.OpenCache(root, id, 2); err == nil {
			t.Errorf("the id %q names a folder", id)
		}
	}
}

func TestCacheKeepsOneOfEach(t *testing.T) {
	t.Parallel()
	c := open(t, t.TempDir())
	defer shut(t, c)
	if err := c.Add([]vector.Key{key(1), key(1)}, [][]float32{{2, 1}, {9, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Add([]vector.Key{key(1), key(2)}, [][]float32{{7, 1}, {3, 1}}); err != nil {
		t.Fatal(err)
	}
	if c.Len() != 2 || !holds(t, c, 1) || !holds(t, c, 2) {
		t.Errorf("%d vectors", c.Len())
	}
}

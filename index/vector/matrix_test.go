package vector_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"skillcorpus/index/vector"
)

// dtypes are all number types, with how far a cosine may be off.
func dtypes() map[vector.DType]float64 {
	return map[vector.DType]float64{vector.Float32: 1e-6, vector.Float16: 1e-3, vector.Int8: 1e-2}
}

// random returns n unit vectors.
func random(n, dimensions int) [][]float32 {
	source := rand.New(rand.NewPCG(5, 6))
	all := make([][]float32, n)
	for i := range all {
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = float32(source.NormFloat64())
		}
		all[i], _ = vector.Unit(v, dimensions)
	}
	return all
}

// write writes vectors as those of every third skill.
func write(t testing.TB, path string, dtype vector.DType, vectors [][]float32) vector.Shape {
	t.Helper()
	w, err := vector.Create(path, dtype, len(vectors[0]))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range vectors {
		if err := w.Add(uint32(3*i+1), key(i), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return vector.Shape{DType: dtype, Dimensions: len(vectors[0]), Count: w.Count()}
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

func TestScores(t *testing.T) {
	t.Parallel()
	for dtype, slack := range dtypes() {
		for _, dimensions := range []int{1, 2, 3, 7, 384} {
			vectors := random(3000, dimensions)
			path := filepath.Join(t.TempDir(), "x.vec")
			m, err := vector.Open(path, write(t, path, dtype, vectors), 9000)
			if err != nil {
				t.Fatal(err)
			}
			queries := vectors[17:20]
			scores := make([]float32, 9000)
			for i := range scores {
				scores[i] = -9
			}
			if err := m.Scores(queries, scores); err != nil {
				t.Fatal(err)
			}
			for i, score := range scores {
				want := -9.0
				if i%3 == 1 {
					want = max(dot(vectors[i/3], queries[0]), dot(vectors[i/3], queries[1]), dot(vectors[i/3], queries[2]))
				}
				if math.Abs(float64(score)-want) > slack {
					t.Fatalf("%s of %d: skill %d has %f, want %f", dtype, dimensions, i, score, want)
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestUndefined is what case 46 asks of a ranking: vectors without a direction never get there.
func TestUndefined(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.vec")
	w, err := vector.Create(path, vector.Float32, 2)
	if err != nil {
		t.Fatal(err)
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{0, 0}, {nan, 1}, {inf, 0}, {1}} {
		if err := w.Add(1, key(1), v); !errors.Is(err, vector.ErrRefused) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if err := w.Add(1, key(1), []float32{3, 0}); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(1, key(1), []float32{3, 0}); err == nil {
		t.Error("one skill twice")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := vector.Open(path, vector.Shape{DType: vector.Float32, Dimensions: 2, Count: 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, query := range [][]float32{{0, 0}, {nan, 1}, {1, inf}, {1}, nil} {
		if err := m.Scores([][]float32{query}, make([]float32, 2)); !errors.Is(err, vector.ErrRefused) {
			t.Errorf("query %v: %v", query, err)
		}
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for dtype := range dtypes() {
		path := filepath.Join(t.TempDir(), "x.vec")
		vectors := random(10, 4)
		shape := write(t, path, dtype, vectors)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		row := 4 * dtype.Size()
		poke := func(at int, bytes ...byte) func([]byte) []byte {
			return func(b []byte) []byte {
				copy(b[at:], bytes)
				return b
			}
		}
		for name, change := range map[string]func([]byte) []byte{
			"empty":            func([]byte) []byte { return nil },
			"short":            func(b []byte) []byte { return b[:len(b)-1] },
			"long":             func(b []byte) []byte { return append(b, 0) },
			"a row of zeros":   poke(3*row, make([]byte, row)...),
			"skills fall":      poke(10*row, binary.LittleEndian.AppendUint32(nil, 9)...),
			"skill beyond all": poke(10*row+4*9, binary.LittleEndian.AppendUint32(nil, 30)...),
		} {
			if err := os.WriteFile(path, change(append([]byte{}, whole...)), 0o600); err != nil {
				t.Fatal(err)
			}
			if m, err := vector.Open(path, shape, 30); !errors.Is(err, vector.ErrDamaged) {
				t.Errorf("%s, %s: %v", dtype, name, err)
				m.Close()
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, shape := range map[string]vector.Shape{
			"other type": {DType: "float8", Dimensions: 4, Count: 10}, "no dimensions": {DType: dtype, Count: 10},
			"negative": {DType: dtype, Dimensions: 4, Count: -1}, "more rows": {DType: dtype, Dimensions: 4, Count: 11},
		} {
			if _, err := vector.Open(path, shape, 30); !errors.Is(err, vector.ErrDamaged) {
				t.Errorf("%s, %s: %v", dtype, name, err)
			}
		}
	}
}

// TestNoNumbers puts no-numbers and infinities, which only floats have, into a file.
func TestNoNumbers(t *testing.T) {
	t.Parallel()
	for dtype, bad := range map[vector.DType][][]byte{
		vector.Float32: {{0, 0, 0xc0, 0x7f}, {0, 0, 0x80, 0x7f}, {0, 0, 0x80, 0xff}},
		vector.Float16: {{0, 0x7e}, {0, 0x7c}, {0, 0xfc}},
	} {
		path := filepath.Join(t.TempDir(), "x.vec")
		shape := write(t, path, dtype, random(10, 4))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range bad {
			copy(whole[4*dtype.Size():], number)
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := vector.Open(path, shape, 30); !errors.Is(err, vector.ErrDamaged) {
				t.Errorf("%s %x: %v", dtype, number, err)
			}
		}
	}
}

// TestCutWhileOpen is a file that somebody cuts under a running search: an error, no crash.
func TestCutWhileOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.vec")
	vectors := random(5000, 16)
	m, err := vector.Open(path, write(t, path, vector.Int8, vectors), 15000)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if err := m.Scores(vectors[:1], make([]float32, 15000)); !errors.Is(err, vector.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestNoRows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.vec")
	w, err := vector.Create(path, vector.Int8, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := vector.Open(path, vector.Shape{DType: vector.Int8, Dimensions: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Scores([][]float32{{1, 0}}, nil); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := vector.Create(path, "float8", 2); err == nil {
		t.Error("a type that is none")
	}
}

// FuzzOpen opens any bytes as any shape: an error or rows that can be scanned.
func FuzzOpen(f *testing.F) {
	f.Add([]byte{127, 0, 0, 127, 1, 0, 0, 0, 2, 0, 0, 0}, uint8(2), uint8(0), uint8(2))
	f.Add(make([]byte, 100), uint8(3), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, content []byte, dimensions, kind, rows uint8) {
		dtype := []vector.DType{vector.Int8, vector.Float16, vector.Float32}[kind%3]
		shape := vector.Shape{DType: dtype, Dimensions: int(dimensions), Count: int(rows)}
		for int64(len(content)) < shape.Bytes() && len(content) > 0 && shape.Bytes() < 1<<16 {
			content = append(content, content...)
		}
		content = content[:min(int64(len(content)), shape.Bytes())]
		path := filepath.Join(t.TempDir(), "x.vec")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := vector.Open(path, shape, 300)
		if err != nil {
			return
		}
		defer m.Close()
		query := make([]float32, dimensions)
		query[0] = 1
		scores := make([]float32, 300)
		if err := m.Scores([][]float32{query}, scores); err != nil {
			t.Fatal(err)
		}
		for i, x := range scores {
			if !(math.Abs(float64(x)) <= 1.01) {
				t.Fatalf("skill %d has cosine %v", i, x)
			}
		}
	})
}

func BenchmarkScores(b *testing.B) {
	for dtype := range dtypes() {
		b.Run(string(dtype), func(b *testing.B) {
			vectors := random(35247, 384)
			path := filepath.Join(b.TempDir(), "x.vec")
			shape := write(b, path, dtype, vectors)
			m, err := vector.Open(path, shape, 3*35247)
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			scores := make([]float32, 3*35247)
			b.SetBytes(shape.Bytes())
			for b.Loop() {
				if err := m.Scores(vectors[:1], scores); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

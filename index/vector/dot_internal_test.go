package vector

import (
	"math/rand/v2"
	"testing"
)

// TestDotInt8 holds the assembly to the plain loop, at all lengths and with the greatest numbers.
func TestDotInt8(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(7, 8))
	for n := range 800 {
		row, query := make([]byte, n), make([]int16, n)
		for _, extreme := range []bool{false, true} {
			for i := range row {
				row[i], query[i] = byte(source.IntN(256)), int16(source.IntN(1<<16)-1<<15)
				if extreme {
					row[i], query[i] = 0x80, -1<<14
				}
			}
			if got, want := dotInt8(row, query), dotPlain(row, query); got != want {
				t.Fatalf("%d numbers: %d, want %d", n, got, want)
			}
		}
	}
}

func TestHalf(t *testing.T) {
	t.Parallel()
	for h := range 1 << 16 {
		x := fromHalf(uint16(h))
		if x >= -1 && x <= 1 && toHalf(x) != uint16(h) {
			t.Fatalf("%#x is %v and comes back as %#x", h, x, toHalf(x))
		}
	}
	for x, want := range map[float32]uint16{1e-9: 0, 1 + 1.0/2048: 0x3c00, 1 + 3.0/2048: 0x3c02, 0.5: 0x3800, -2: 0xc000} {
		if got := toHalf(x); got != want {
			t.Errorf("%v is %#x, want %#x", x, got, want)
		}
	}
}

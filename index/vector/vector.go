package vector

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
)

// ErrDamaged says that a file does not hold what was written to it.
var ErrDamaged = errors.New("damaged vectors")

// ErrRefused says that a vector has no direction: zeros, an infinity, no number, or another length than its kind.
var ErrRefused = errors.New("not a vector")

// Key names the exact text that a vector was made of.
type Key [sha256.Size]byte

// KeyOf returns the key of a text.
func KeyOf(text string) Key { return sha256.Sum256([]byte(text)) }

// DType is how the numbers of a section file are stored, always little-endian.
type DType string

// The number types. A row of int8 is scaled so that its greatest component is 127: its own length gives the
// factor that makes it a unit vector again.
const (
	Float32 DType = "float32"
	Float16 DType = "float16"
	Int8    DType = "int8"
)

// Size returns the bytes of one number, and 0 for an unknown type.
func (d DType) Size() int {
	switch d {
	case Float32:
		return 4
	case Float16:
		return 2
	case Int8:
		return 1
	}
	return 0
}

// unitSlack is how far from 1 a stored vector's length may lie: float16 rounds each number to one part in 2048.
const unitSlack = 1e-3

// Unit returns a vector scaled to length 1, or ErrRefused if it has none or not the given dimensions.
func Unit(v []float32, dimensions int) ([]float32, error) {
	if len(v) != dimensions {
		return nil, fmt.Errorf("%w: it has %d numbers, want %d", ErrRefused, len(v), dimensions)
	}
	length := norm(v)
	if !(length > 0) || math.IsInf(length, 0) {
		return nil, fmt.Errorf("%w: its length is %v", ErrRefused, length)
	}
	unit := make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	return unit, nil
}

func norm(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}

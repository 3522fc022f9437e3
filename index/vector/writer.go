package vector

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
)

// Writer writes a section file: the rows of the matrix without a gap, then the number of each row's skill as
// uint32, then the key of each row's text. Where a library only wants the matrix it is the file's beginning.
type Writer struct {
	file       *os.File
	out        *bufio.Writer
	dtype      DType
	dimensions int
	skills     []uint32
	keys       []Key
}

// Create begins a section file.
func Create(path string, dtype DType, dimensions int) (*Writer, error) {
	if dtype.Size() == 0 {
		return nil, fmt.Errorf("create %s: no number type %q, want %s, %s or %s", path, dtype, Float32, Float16, Int8)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create vectors: %w", err)
	}
	return &Writer{file: f, out: bufio.NewWriterSize(f, 1<<20), dtype: dtype, dimensions: dimensions}, nil
}

// Add appends the vector of a skill, scaled to length 1. The skills' numbers must rise.
func (w *Writer) Add(skill uint32, key Key, v []float32) error {
	if n := len(w.skills); n > 0 && skill <= w.skills[n-1] {
		return fmt.Errorf("write vectors: skill %d comes after %d", skill, w.skills[n-1])
	}
	unit, err := Unit(v, w.dimensions)
	if err != nil {
		return fmt.Errorf("write vector of skill %d: %w", skill, err)
	}
	if _, err := w.out.Write(encode(unit, w.dtype)); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	w.skills, w.keys = append(w.skills, skill), append(w.keys, key)
	return nil
}

// Count returns how many vectors were added.
func (w *Writer) Count() int { return len(w.skills) }

// Close completes the file.
func (w *Writer) Close() error {
	for _, skill := range w.skills {
		w.out.Write(binary.LittleEndian.AppendUint32(nil, skill)) //nolint:errcheck // Flush returns the first error
	}
	for _, key := range w.keys {
		w.out.Write(key[:]) //nolint:errcheck // Flush returns the first error
	}
	if err := errors.Join(w.out.Flush(), w.file.Close()); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	return nil
}

// Discard closes the file without completing it.
func (w *Writer) Discard() error { return w.file.Close() }

// encode returns the bytes of a unit vector.
func encode(unit []float32, dtype DType) []byte {
	out := make([]byte, 0, len(unit)*dtype.Size())
	var scale float64
	if dtype == Int8 {
		var greatest float32
		for _, x := range unit {
			greatest = max(greatest, x, -x)
		}
		scale = 127 / float64(greatest)
	}
	for _, x := range unit {
		switch dtype {
		case Float32:
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		case Float16:
			out = binary.LittleEndian.AppendUint16(out, toHalf(x))
		case Int8:
			out = append(out, byte(int8(math.RoundToEven(float64(x)*scale))))
		}
	}
	return out
}

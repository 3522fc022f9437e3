package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
)

// Shape says what a section file holds; a manifest keeps it.
type Shape struct {
	DType      DType
	Dimensions int
	Count      int // rows
}

// Bytes returns the size of a file of this shape.
func (s Shape) Bytes() int64 {
	return int64(s.Count) * (int64(s.Dimensions)*int64(s.DType.Size()) + 4 + int64(len(Key{})))
}

// Matrix is an open section file, mapped into memory. It is safe for concurrent use.
type Matrix struct {
	shape   Shape
	mapped  []byte
	skills  []uint32
	factors []float32 // of each row: what makes its products cosines
}

// Open maps a section file and reads it once: its size, the order of its skills, whose numbers lie below
// limit, and that every row is a unit vector. What is not so is ErrDamaged. Changed bytes that leave unit
// vectors only the manifest's checksum tells.
func Open(path string, shape Shape, limit int) (*Matrix, error) {
	m := &Matrix{shape: shape}
	if err := m.open(path, limit); err != nil {
		return nil, errors.Join(fmt.Errorf("open vectors %s: %w", path, err), m.Close())
	}
	return m, nil
}

func (m *Matrix) open(path string, limit int) error {
	if m.shape.DType.Size() == 0 || m.shape.Dimensions < 1 || m.shape.Count < 0 {
		return fmt.Errorf("%w: %d rows of %d numbers of type %q", ErrDamaged, m.shape.Count, m.shape.Dimensions, m.shape.DType)
	}
	if err := m.mapFile(path); err != nil {
		return err
	}
	last := int64(-1)
	m.skills = make([]uint32, m.shape.Count)
	at := m.rowSize() * m.shape.Count
	return guard(func() error {
		for i := range m.skills {
			m.skills[i] = binary.LittleEndian.Uint32(m.mapped[at+4*i:])
			if int64(m.skills[i]) <= last || int64(m.skills[i]) >= int64(limit) {
				return fmt.Errorf("%w: row %d is of skill %d, after %d and of %d in all", ErrDamaged, i, m.skills[i], last, limit)
			}
			last = int64(m.skills[i])
		}
		return m.check()
	})
}

// mapFile maps the file. An empty one cannot be mapped, and needs no bytes.
func (m *Matrix) mapFile(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != m.shape.Bytes() {
		return fmt.Errorf("%w: it has %d bytes, %d rows of %d %s need %d", ErrDamaged, info.Size(), m.shape.Count,
			m.shape.Dimensions, m.shape.DType, m.shape.Bytes())
	}
	if info.Size() == 0 {
		return nil
	}
	m.mapped, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return err
}

// Close unmaps the file. No Scores may be under way or follow.
func (m *Matrix) Close() error {
	if m.mapped == nil {
		return nil
	}
	mapped := m.mapped
	m.mapped = nil
	return syscall.Munmap(mapped)
}

// Shape returns what the file holds.
func (m *Matrix) Shape() Shape { return m.shape }

// Skills returns the number of each row's skill. It is not to be changed.
func (m *Matrix) Skills() []uint32 { return m.skills }

func (m *Matrix) rowSize() int { return m.shape.Dimensions * m.shape.DType.Size() }

func (m *Matrix) row(i int) []byte { return m.mapped[i*m.rowSize() : (i+1)*m.rowSize()] }

// check refuses rows that are no unit vectors, and keeps each row's factor.
func (m *Matrix) check() error {
	m.factors = make([]float32, m.shape.Count)
	return m.each(func(i int) error {
		length := length(m.row(i), m.shape.DType)
		m.factors[i] = float32(1 / length)
		if m.shape.DType == Int8 && length >= 127 && length < math.Inf(1) || math.Abs(length-1) <= unitSlack {
			return nil
		}
		return fmt.Errorf("%w: row %d has length %v", ErrDamaged, i, length)
	})
}

// Scores writes the cosine of each row with the closest of the queries into scores, at the place of the row's
// skill; other places are left alone. Queries need not be of length 1, but one without a direction is refused.
func (m *Matrix) Scores(queries [][]float32, scores []float32) error {
	dots := make([]func([]byte) float32, len(queries))
	for i, query := range queries {
		unit, err := Unit(query, m.shape.Dimensions)
		if err != nil {
			return fmt.Errorf("query %d: %w", i, err)
		}
		dots[i] = product(unit, m.shape.DType)
	}
	if len(dots) == 0 {
		return nil
	}
	return m.each(func(i int) error {
		row := m.row(i)
		best := dots[0](row)
		for _, dot := range dots[1:] {
			best = max(best, dot(row))
		}
		scores[m.skills[i]] = best * m.factors[i]
		return nil
	})
}

// each calls do for all rows, on all cores.
func (m *Matrix) each(do func(row int) error) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), m.shape.Count/1024))
	failures := make([]error, workers)
	var running sync.WaitGroup
	for w := range workers {
		running.Go(func() {
			failures[w] = guard(func() error {
				for i := m.shape.Count * w / workers; i < m.shape.Count*(w+1)/workers; i++ {
					if err := do(i); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	running.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// guard turns the fault of a file that was cut while it was mapped into ErrDamaged.
func guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault)
			}
			err = fmt.Errorf("%w: its file was cut while it was open", ErrDamaged)
		}
	}()
	return read()
}

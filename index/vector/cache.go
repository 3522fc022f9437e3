package vector

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
)

// cacheFile is the one file of an embedder's folder.
const cacheFile = "vectors.bin"

// Cache keeps the vectors of one embedder by the key of their text, in a file that only grows: a header line,
// then records of one size, each a key, a unit vector in float32 and a checksum. A process that is killed while
// it appends leaves at most a torn last record, which the next Open cuts off. It holds 40 bytes a vector in
// memory and is for one goroutine and one process at a time.
type Cache struct {
	file       *os.File
	dimensions int
	head       int64
	at         map[Key]uint32
	count      uint32 // records in the file, broken ones included
}

// OpenCache opens or begins the cache of an embedder below root, the folder of all caches. The embedder's id
// names its folder and stands in its file with the dimensions: a file of another one is refused.
func OpenCache(root, embedder string, dimensions int) (_ *Cache, err error) {
	dir := filepath.Join(root, embedder)
	if embedder == "" || embedder != filepath.Base(embedder) || embedder[0] == '.' {
		return nil, fmt.Errorf("open vector cache: %q is not fit for a folder's name", embedder)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open vector cache: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, cacheFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open vector cache: %w", err)
	}
	c := &Cache{file: f, dimensions: dimensions, at: map[Key]uint32{}}
	if err := c.load(fmt.Sprintf("skillcorpus vectors 1 %s %d float32\n", embedder, dimensions)); err != nil {
		return nil, errors.Join(fmt.Errorf("open vector cache %s: %w", f.Name(), err), f.Close())
	}
	return c, nil
}

// load reads every record and cuts off what a killed writer left behind the last whole one.
func (c *Cache) load(header string) error {
	c.head = int64(len(header))
	in := bufio.NewReaderSize(c.file, 1<<20)
	found := make([]byte, len(header))
	n, err := io.ReadFull(in, found)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && header[:n] == string(found[:n]):
		if err := c.file.Truncate(0); err != nil {
			return err
		}
		_, err := c.file.WriteAt([]byte(header), 0)
		return err
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	case string(found) != header:
		line, _, _ := bytes.Cut(found, []byte("\n"))
		return fmt.Errorf("%w: it begins %q, want %q: move it away", ErrDamaged, line, header[:len(header)-1])
	}
	whole := uint32(0)
	record := make([]byte, c.recordSize())
	for {
		if _, err := io.ReadFull(in, record); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return err
		}
		if checked(record) {
			c.at[Key(record[:len(Key{})])] = c.count
			whole = c.count + 1
		}
		c.count++
	}
	c.count = whole
	return c.file.Truncate(c.offset(whole))
}

func (c *Cache) recordSize() int { return len(Key{}) + 4*c.dimensions + 4 }

func (c *Cache) offset(record uint32) int64 { return c.head + int64(record)*int64(c.recordSize()) }

// checked reports whether the checksum at a record's end is that of the rest.
func checked(record []byte) bool {
	body, sum := record[:len(record)-4], record[len(record)-4:]
	return binary.LittleEndian.Uint32(sum) == crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
}

// Len returns how many texts have a vector.
func (c *Cache) Len() int { return len(c.at) }

// Has reports whether a text has a vector.
func (c *Cache) Has(key Key) bool {
	_, ok := c.at[key]
	return ok
}

// Get reads the unit vector of a text into v, which must be as long as the dimensions, and reports whether
// there is one.
func (c *Cache) Get(key Key, v []float32) (bool, error) {
	record, ok := c.at[key]
	if !ok {
		return false, nil
	}
	buffer := make([]byte, c.recordSize())
	if _, err := c.file.ReadAt(buffer, c.offset(record)); err != nil {
		return false, fmt.Errorf("read vector cache: %w", err)
	}
	if !checked(buffer) || Key(buffer[:len(key)]) != key {
		return false, fmt.Errorf("read vector cache: %w: record %d changed while it was open", ErrDamaged, record)
	}
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(buffer[len(key)+4*i:]))
	}
	return true, nil
}

// Add appends the vectors of texts in one write, scaled to length 1. A key that is there already is passed
// over; if one vector is refused none is written.
func (c *Cache) Add(keys []Key, vectors [][]float32) error {
	var out bytes.Buffer
	next := c.count
	added := make(map[Key]uint32, len(keys))
	for i, key := range keys {
		if _, twice := added[key]; twice || c.Has(key) {
			continue
		}
		unit, err := Unit(vectors[i], c.dimensions)
		if err != nil {
			return err
		}
		start := out.Len()
		out.Write(key[:])
		for _, x := range unit {
			out.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)))
		}
		sum := crc32.Checksum(out.Bytes()[start:], crc32.MakeTable(crc32.Castagnoli))
		out.Write(binary.LittleEndian.AppendUint32(nil, sum))
		added[key] = next
		next++
	}
	if _, err := c.file.WriteAt(out.Bytes(), c.offset(c.count)); err != nil {
		return fmt.Errorf("append to vector cache: %w", err)
	}
	for key, record := range added {
		c.at[key] = record
	}
	c.count = next
	return nil
}

// Close flushes the file to the disk and closes it.
func (c *Cache) Close() error { return errors.Join(c.file.Sync(), c.file.Close()) }

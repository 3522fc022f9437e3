package vector

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// length returns the length of a stored row.
func length(row []byte, dtype DType) float64 {
	switch dtype {
	case Int8:
		var square int32 // at most 127² a number: enough for 130,000 of them
		for _, b := range row {
			square += int32(int8(b)) * int32(int8(b))
		}
		return math.Sqrt(float64(square))
	case Float16:
		var square float64
		for i := 0; i < len(row); i += 2 {
			x := float64(fromHalf(binary.LittleEndian.Uint16(row[i:])))
			square += x * x
		}
		return math.Sqrt(square)
	}
	return norm(floats(row))
}

// product returns the dot product of a unit query with stored rows.
func product(query []float32, dtype DType) func(row []byte) float32 {
	switch dtype {
	case Int8:
		whole, unit := quantise(query)
		return func(row []byte) float32 { return float32(dotInt8(row, whole)) * unit }
	case Float16:
		return func(row []byte) float32 { return dotHalf(row, query) }
	}
	return func(row []byte) float32 { return dotFloat(floats(row), query) }
}

// quantise scales a query to integers, as great as its dot product with a row of int8 lets it be within int32,
// and returns the value of 1. With integers all machines come to the same scores.
func quantise(query []float32) (whole []int32, unit float32) {
	var greatest float64
	for _, x := range query {
		greatest = max(greatest, math.Abs(float64(x)))
	}
	scale := float64(math.MaxInt32/(128*len(query))) / greatest
	whole = make([]int32, len(query))
	for i, x := range query {
		whole[i] = int32(math.RoundToEven(float64(x) * scale))
	}
	return whole, float32(1 / scale)
}

// The three products keep several sums, so that the processor need not wait for each addition.

func dotInt8(row []byte, query []int32) int32 {
	var a, b, c, d int32
	for len(row) >= 4 && len(query) >= 4 {
		a += int32(int8(row[0])) * query[0]
		b += int32(int8(row[1])) * query[1]
		c += int32(int8(row[2])) * query[2]
		d += int32(int8(row[3])) * query[3]
		row, query = row[4:], query[4:]
	}
	for i := range row {
		a += int32(int8(row[i])) * query[i]
	}
	return a + b + c + d
}

func dotFloat(row, query []float32) float32 {
	var a, b, c, d float32
	for len(row) >= 4 && len(query) >= 4 {
		a += row[0] * query[0]
		b += row[1] * query[1]
		c += row[2] * query[2]
		d += row[3] * query[3]
		row, query = row[4:], query[4:]
	}
	for i := range row {
		a += row[i] * query[i]
	}
	return (a + b) + (c + d)
}

func dotHalf(row []byte, query []float32) float32 {
	var a, b float32
	for len(row) >= 4 && len(query) >= 2 {
		a += fromHalf(binary.LittleEndian.Uint16(row)) * query[0]
		b += fromHalf(binary.LittleEndian.Uint16(row[2:])) * query[1]
		row, query = row[4:], query[2:]
	}
	if len(query) > 0 {
		a += fromHalf(binary.LittleEndian.Uint16(row)) * query[0]
	}
	return a + b
}

// floats sees a row of float32 as numbers without a copy: rows are aligned, since a file is mapped at the
// start of a page, and all supported machines are little-endian.
func floats(row []byte) []float32 {
	if len(row) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(row))), len(row)/4)
}

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

// quantise scales a query to int16, as great as its product with a row of int8 lets it be within int32, and
// returns the value of 1. With integers all machines come to the same scores.
func quantise(query []float32) (whole []int16, unit float32) {
	var greatest float64
	for _, x := range query {
		greatest = max(greatest, math.Abs(float64(x)))
	}
	scale := float64(min(math.MaxInt16, math.MaxInt32/(128*len(query)))) / greatest
	whole = make([]int16, len(query))
	for i, x := range query {
		whole[i] = int16(math.RoundToEven(float64(x) * scale))
	}
	return whole, float32(1 / scale)
}

// The products keep several sums, so that the processor need not wait for each addition.

func dotPlain(row []byte, query []int16) int32 {
	var a, b, c, d int32
	query = query[:len(row)]
	for len(row) >= 4 && len(query) >= 4 {
		r, q := (*[4]byte)(row), (*[4]int16)(query)
		a += int32(int8(r[0])) * int32(q[0])
		b += int32(int8(r[1])) * int32(q[1])
		c += int32(int8(r[2])) * int32(q[2])
		d += int32(int8(r[3])) * int32(q[3])
		row, query = row[4:], query[4:]
	}
	for i, x := range row {
		a += int32(int8(x)) * int32(query[i])
	}
	return a + b + c + d
}

func dotFloat(row, query []float32) float32 {
	var a, b, c, d float32
	query = query[:len(row)]
	for len(row) >= 8 && len(query) >= 8 {
		r, q := (*[8]float32)(row), (*[8]float32)(query)
		a += r[0]*q[0] + r[4]*q[4]
		b += r[1]*q[1] + r[5]*q[5]
		c += r[2]*q[2] + r[6]*q[6]
		d += r[3]*q[3] + r[7]*q[7]
		row, query = row[8:], query[8:]
	}
	for i, x := range row {
		a += x * query[i]
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

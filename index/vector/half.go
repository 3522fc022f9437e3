package vector

import "math"

// toHalf rounds a number between -1 and 1 to the nearest float16, ties to even.
func toHalf(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	exponent := int(bits>>23&0xff) - 127 + 15
	mantissa := bits&0x7fffff | 0x800000
	shift := 13
	if exponent <= 0 { // a subnormal number of float16
		shift += 1 - exponent
		exponent = 0
		if shift > 24 {
			return sign
		}
	} else {
		mantissa &= 0x7fffff
	}
	half := uint32(exponent)<<10 | mantissa>>shift
	rest, middle := mantissa&(1<<shift-1), uint32(1)<<(shift-1)
	if rest > middle || rest == middle && half&1 == 1 {
		half++
	}
	return sign | uint16(half)
}

// fromHalf returns the value of a float16, infinities and no-numbers included.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, mantissa := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0:
		x := float32(mantissa) / (1 << 24)
		return math.Float32frombits(math.Float32bits(x) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | mantissa<<13)
}

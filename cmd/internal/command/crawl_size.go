package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// size is a flag for a count of bytes, with or without a unit.
type size int64

var errSize = errors.New("want bytes, or a number with kB, MB, GB, KiB, MiB or GiB, such as 50MB")

// units are the names of counts of bytes, in lower case.
func units() map[string]float64 {
	return map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
}

// String returns the size in the largest unit that tells it exactly.
func (s *size) String() string {
	for _, unit := range []string{"GB", "GiB", "MB", "MiB", "kB", "KiB"} {
		if of := size(units()[strings.ToLower(unit)]); *s != 0 && *s%of == 0 {
			return strconv.FormatInt(int64(*s/of), 10) + unit
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a size.
func (s *size) Set(text string) error {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(text)
	}
	of, known := units()[strings.ToLower(strings.TrimSpace(text[end:]))]
	number, err := strconv.ParseFloat(text[:end], 64)
	if bytes := number * of; err != nil || !known || bytes >= math.MaxInt64 || bytes != math.Trunc(bytes) {
		return errSize
	}
	*s = size(number * of)
	return nil
}

// Type names the flag's argument in help.
func (s *size) Type() string { return "size" }

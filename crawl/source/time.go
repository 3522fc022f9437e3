package source

import (
	"strconv"
	"time"
)

// ParseTime reads a time as marketplaces tell it: seconds or milliseconds since 1970 in digits, RFC 3339, or
// a date. Anything else is the zero time.
func ParseTime(text string) time.Time {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		if n > 1e11 { // as seconds it would be past the year 5000
			return time.UnixMilli(n).UTC()
		}
		return time.Unix(n, 0).UTC()
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

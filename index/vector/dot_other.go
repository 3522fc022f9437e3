//go:build !amd64

package vector

func dotInt8(row []byte, query []int16) int32 { return dotPlain(row, query) }

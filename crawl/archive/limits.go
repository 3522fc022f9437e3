package archive

// Limits bound what one archive may cost. All of them come from DESIGN.md 4 and STYLE.md 6, rule 11.
type Limits struct {
	Bytes     int64 // of the archive file
	Entries   int   // members, folders included
	Member    int64 // bytes of one member, expanded
	Expanded  int64 // bytes of all members; of a tar.gz the whole stream, headers included
	Ratio     int64 // expanded bytes for each byte of the archive file
	RatioFrom int64 // expanded bytes up to which the ratio does not count
	Depth     int   // parts of a name
	Name      int   // bytes of a name or of a link's target
}

// DefaultLimits returns the limits of the product. A member has no limit narrower than its archive's.
func DefaultLimits() Limits {
	return Limits{
		Bytes:     50e6,
		Entries:   100_000,
		Member:    1 << 30,
		Expanded:  1 << 30,
		Ratio:     100,
		RatioFrom: 10 << 20,
		Depth:     64,
		Name:      512,
	}
}

// budget returns how many bytes an archive of this size may expand to.
func (l Limits) budget(size int64) int64 {
	return min(l.Expanded, max(l.RatioFrom, l.Ratio*size))
}

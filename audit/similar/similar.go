// Package similar owns near-copies: which texts share most of their words in the same order. A text is a set of
// shingles, runs of five words; a signature of 128 minima stands for it, bands of the signature bring candidates
// together, and the shingles themselves give the Jaccard similarity that is reported.
//
// It keeps nothing and reads no file; the same texts give the same signatures on every machine. The audit stage
// calls it.
package similar

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Version rises whenever the signature of a text changes.
const Version = 1

// Threshold is the least Jaccard similarity of near-copies.
const Threshold = 0.8

const (
	shingle = 5   // words
	slots   = 128 // minima of a signature
	bands   = 32  // of four minima each: 0.8 is missed once in 10^7, 0.5 met seven times in eight
	rows    = slots / bands
)

// Signature stands for the shingles of a text. It is nil for a text of fewer than two shingles, which is like
// nothing.
type Signature []uint32

// Shingles is the set of a text's shingles as sorted hashes.
type Shingles []uint64

// Cut returns the shingles of a text: words of letters and digits in lower case. A character of Chinese, Japanese or
// Korean script is a word.
func Cut(text string) Shingles {
	var window [shingle]uint64
	var set Shingles
	count := 0
	word, inside := uint64(offset), false
	end := func() {
		if !inside {
			return
		}
		window[count%shingle] = word
		if count++; count >= shingle {
			hash := uint64(offset)
			for i := range shingle {
				hash = mix(hash ^ window[(count+i)%shingle])
			}
			set = append(set, hash)
		}
		word, inside = offset, false
	}
	for _, r := range text {
		switch {
		case r < 0x80 && !letter(byte(r)), r >= 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case r >= 0x2E80 && wide(r):
			end()
			word, inside = mix(offset^uint64(r)), true
			end()
		default:
			if r >= 'A' && r <= 'Z' {
				r |= 0x20
			} else if r >= 0x80 {
				r = unicode.ToLower(r)
			}
			word, inside = (word^uint64(r))*prime, true
		}
	}
	end()
	slices.Sort(set)
	return slices.Compact(set)
}

// The constants of the hash FNV-1a.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Sign returns the signature of shingles by one permutation: each shingle falls into one slot and the least counts;
// an empty slot takes the value of another one that its own number chooses.
func Sign(set Shingles) Signature {
	if len(set) < 2 {
		return nil
	}
	signature := make(Signature, slots)
	filled := make([]bool, slots)
	for i := range signature {
		signature[i] = math.MaxUint32
	}
	for _, hash := range set {
		hash = mix(hash)
		slot, value := hash%slots, uint32(hash>>32)
		signature[slot] = min(signature[slot], value)
		filled[slot] = true
	}
	whole := slices.Clone(signature)
	for i := range signature {
		for try := uint64(1); !filled[i]; try++ {
			if from := mix(uint64(i)<<32|try) % slots; filled[from] {
				signature[i] = whole[from]
				break
			}
		}
	}
	return signature
}

// Bytes returns the signature as it is stored.
func (s Signature) Bytes() []byte {
	out := make([]byte, 0, 4*len(s))
	for _, v := range s {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out
}

// Read returns the signature of stored bytes, nil for any other length.
func Read(stored []byte) Signature {
	if len(stored) != 4*slots {
		return nil
	}
	s := make(Signature, slots)
	for i := range s {
		s[i] = binary.LittleEndian.Uint32(stored[4*i:])
	}
	return s
}

// Estimate returns the share of minima that two signatures have in common: the Jaccard similarity give or take
// 0.09.
func Estimate(a, b Signature) float64 {
	if len(a) != slots || len(b) != slots {
		return 0
	}
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	return float64(same) / slots
}

// Jaccard returns the share of the shingles of both texts that both have.
func Jaccard(a, b Shingles) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if len(a)+len(b) == both {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// slack is how far below the threshold an estimate may lie for the texts themselves to be compared.
const slack = 0.12

// Index finds candidates among signatures.
type Index struct {
	bands map[uint64][]int
	all   []Signature
	keys  []string
}

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{bands: map[uint64][]int{}} }

// Add puts a signature under a key.
func (x *Index) Add(key string, s Signature) {
	if len(s) != slots {
		return
	}
	at := len(x.all)
	x.all, x.keys = append(x.all, s), append(x.keys, key)
	for band := range bands {
		h := x.band(s, band)
		x.bands[h] = append(x.bands[h], at)
	}
}

func (x *Index) band(s Signature, band int) uint64 {
	hash := uint64(band) + 1
	for _, v := range s[band*rows : (band+1)*rows] {
		hash = mix(hash ^ uint64(v))
	}
	return hash
}

// Candidates returns the keys of the signatures that may be near-copies of s, sorted, without self.
func (x *Index) Candidates(self string, s Signature) []string {
	if len(s) != slots {
		return nil
	}
	seen := map[int]bool{}
	var keys []string
	for band := range bands {
		for _, at := range x.bands[x.band(s, band)] {
			if !seen[at] {
				seen[at] = true
				if x.keys[at] != self && Estimate(s, x.all[at]) >= Threshold-slack {
					keys = append(keys, x.keys[at])
				}
			}
		}
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}

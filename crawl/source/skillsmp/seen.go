package skillsmp

import (
	"encoding/json"
	"hash/fnv"
)

const keyBytes = 6 // of 2 million rows one in 140 runs takes one for another

// keys is a set of rows, by hashes of their ids.
type keys struct {
	text []byte // as it goes into the cursor
	has  map[uint64]bool
}

func keyOf(id string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(id))
	return sum.Sum64() >> (64 - 8*keyBytes)
}

func (k *keys) add(key uint64) bool {
	if k.has[key] {
		return false
	}
	if k.has == nil {
		k.has = make(map[uint64]bool)
	}
	k.has[key] = true
	k.text = append(k.text, byte(key), byte(key>>8), byte(key>>16), byte(key>>24), byte(key>>32), byte(key>>40))
	return true
}

// remove takes keys out.
func (k *keys) remove(gone ...uint64) {
	for _, key := range gone {
		delete(k.has, key)
	}
	left := k.has
	*k = keys{}
	for key := range left {
		k.add(key)
	}
}

func (k keys) len() int { return len(k.has) }

// MarshalJSON writes the hashes.
func (k keys) MarshalJSON() ([]byte, error) { return json.Marshal(k.text) }

// UnmarshalJSON reads what MarshalJSON wrote, and of anything else what it can.
func (k *keys) UnmarshalJSON(text []byte) error {
	var all []byte
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*k = keys{}
	for ; len(all) >= keyBytes; all = all[keyBytes:] {
		var key uint64
		for i := range keyBytes {
			key |= uint64(all[i]) << (8 * i)
		}
		k.add(key)
	}
	return nil
}

package command

import "testing"

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]size{
		"50000000": 50e6, "5MB": 5e6, "5 mb": 5e6, "1.5GB": 1.5e9, "64KiB": 64 << 10, "2MiB": 2 << 20, "1GiB": 1 << 30, "7b": 7, "3kB": 3000, "0": 0,
		"": -1, "MB": -1, "5x": -1, "-5": -1, "1e6": -1, "0.5": -1, "1.0005kB": -1, "99999999999GB": -1, "5 MB more": -1, "1.2.3": -1, "٣": -1,
	} {
		got := size(-1)
		if err := got.Set(text); got != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for bytes, want := range map[size]string{50e6: "50MB", 1 << 30: "1GiB", 0: "0", 1001: "1001", 3 << 10: "3KiB", 2e9: "2GB"} {
		if got := bytes.String(); got != want {
			t.Errorf("%d is %q, want %q", int64(bytes), got, want)
		}
	}
}

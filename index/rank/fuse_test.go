package rank_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skillcorpus/index/rank"
)

// scores makes a list of four skills; -9 stands for none.
func scores(values ...float32) rank.Scores {
	list := rank.NewScores(len(values))
	for i, x := range values {
		if x > -9 {
			list[i] = x
		}
	}
	return list
}

func TestFuse(t *testing.T) {
	t.Parallel()
	lists := []rank.Scores{scores(0.9, 0.5, 0.5, -9, -9), scores(0.1, -9, 0.7, 0.2, -9)}
	for fusion, want := range map[rank.Fusion]rank.Scores{
		rank.FusionRRF:     scores(1.0/61+1.0/63, 1.0/62, 1.0/62+1.0/61, 1.0/62, -9),
		rank.FusionMax:     scores(0.9, 0.5, 0.7, 0.2, -9),
		rank.FusionMean:    scores(0.5, -0.25, 0.6, -0.4, -9),
		rank.FusionSumNorm: scores(1, 0, 1, 0.1/0.6, -9),
	} {
		got, err := rank.Fuse(fusion, lists)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !(math.Abs(float64(got[i]-want[i])) < 1e-6) && got[i] != want[i] {
				t.Errorf("%s: %v, want %v", fusion, got, want)
				break
			}
		}
	}
	if _, err := rank.Fuse("best", lists); err == nil {
		t.Error("a fusion that is none")
	}
	flat, err := rank.Fuse(rank.FusionSumNorm, []rank.Scores{scores(0.3, 0.3)})
	if err != nil || flat[0] != 0 || flat[1] != 0 {
		t.Errorf("a flat list: %v, %v", flat, err)
	}
}

func TestTop(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(1, 9))
	for range 50 {
		list := rank.NewScores(source.IntN(200))
		for i := range list {
			if source.IntN(5) > 0 {
				list[i] = float32(source.IntN(20))
			}
		}
		whole := list.Top(len(list))
		for place, number := range whole {
			if got, ok := list.Place(number); !ok || got != place+1 {
				t.Fatalf("skill %d is at %d, want %d", number, got, place+1)
			}
		}
		for n := range len(list) + 2 {
			if got := list.Top(n); !slices.Equal(got, whole[:min(n, len(whole))]) {
				t.Fatalf("top %d is %v of %v", n, got, whole)
			}
		}
	}
	if _, ok := scores(1).Place(3); ok {
		t.Error("a skill that is not there has a place")
	}
}

func TestStandardised(t *testing.T) {
	t.Parallel()
	got := scores(1, 2, 3, -9).Standardised()
	if diff := cmp.Diff(rank.Scores{0, 0, float32(math.Sqrt(1.5)), rank.Unscored()}, got); diff != "" {
		t.Error(diff)
	}
	for _, list := range []rank.Scores{nil, scores(-9, -9), scores(4, 4, 4)} {
		for i, x := range list.Standardised() {
			if x != 0 && x != rank.Unscored() {
				t.Errorf("%v: skill %d has %v", list, i, x)
			}
		}
	}
}

func TestBlend(t *testing.T) {
	t.Parallel()
	got := rank.Blend(scores(2, -9, 1, -9), scores(1, 4, -9, -9), 0.25)
	if diff := cmp.Diff(scores(1.25, 3, 0.25, -9), got); diff != "" {
		t.Error(diff)
	}
	got.Keep([]bool{true, false, true, true})
	if diff := cmp.Diff(scores(1.25, -9, 0.25, -9), got); diff != "" {
		t.Error(diff)
	}
}

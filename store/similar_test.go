package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSimilarTexts(t *testing.T) {
	t.Parallel()
	c := openCorpus(t, InMemory, newClock())
	c.imports(skill{repo: "o/r", path: "a", text: "one"}, skill{repo: "o/r", path: "b", text: "two"}, skill{repo: "o/r", path: "c", text: "three"})
	unsigned := must[[]string](t)(c.Unsigned(t.Context(), 1, "", 10))
	if len(unsigned) != 3 {
		t.Fatalf("unsigned %v", unsigned)
	}
	texts := []SignedText{{SHA256: unsigned[0], Signature: []byte{1}}, {SHA256: unsigned[1], Signature: []byte{2}}, {SHA256: unsigned[2], Signature: []byte{}}}
	if err := c.CommitSignatures(t.Context(), 1, texts); err != nil {
		t.Fatal(err)
	}
	if left := must[[]string](t)(c.Unsigned(t.Context(), 1, "", 10)); len(left) != 0 {
		t.Errorf("unsigned %v", left)
	}
	if again := must[[]string](t)(c.Unsigned(t.Context(), 2, "", 10)); len(again) != 3 {
		t.Errorf("of the next version %v", again)
	}
	one, two := must[Skill](t)(found(c.Skill(t.Context(), "o/r/a"))).SkillSHA256, must[Skill](t)(found(c.Skill(t.Context(), "o/r/b"))).SkillSHA256
	// The order of a pair is the store's own affair.
	if err := c.CommitSimilar(t.Context(), []string{one}, []SimilarPair{{A: max(one, two), B: min(one, two), Jaccard: 0.9}}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]Neighbour{"o/r/a": {{"o/r/b", 0.9}}, "o/r/b": {{"o/r/a", 0.9}}, "o/r/c": nil} {
		if diff := cmp.Diff(want, must[[]Neighbour](t)(c.Similar(t.Context(), id))); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	paired := 0
	for _, s := range must[[]SignedText](t)(c.Signatures(t.Context(), 1)) {
		if s.Paired {
			paired++
		}
	}
	if paired != 1 {
		t.Errorf("%d paired, want 1", paired)
	}
	if err := c.ForgetSimilar(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := must[[]Neighbour](t)(c.Similar(t.Context(), "o/r/a")); len(left) != 1 {
		t.Errorf("a live pair was forgotten: %v", left)
	}
}

func TestNamesakes(t *testing.T) {
	t.Parallel()
	c := openCorpus(t, InMemory, newClock())
	c.imports(skill{repo: "o/r", path: "a", text: "one"}, skill{repo: "o/r", path: "b", text: "two"}, skill{repo: "o/r", path: "c", text: "three"}, skill{repo: "o/r", path: "d", text: "one"})
	c.parse(1)
	c.exec(`UPDATE documents SET name = CASE skill WHEN (SELECT key FROM skills WHERE id = 'o/r/c') THEN '' ELSE 'tide' END`)
	c.exec(`UPDATE skills SET stars = 9 WHERE id = 'o/r/b'`)
	for id, want := range map[string][]string{"o/r/a": {"o/r/b"}, "o/r/b": {"o/r/a"}, "o/r/c": nil} {
		if diff := cmp.Diff(want, must[[]string](t)(c.Namesakes(t.Context(), id))); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

func found(s Skill, _ bool, err error) (Skill, error) { return s, err }

package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"skillcorpus/data"
	"skillcorpus/index/embed"
	"skillcorpus/index/lexical"
	"skillcorpus/index/vector"
	"skillcorpus/store"
)

// DefaultName is the index that a data folder has when none is named.
const DefaultName = "default"

// Dir returns where the index of this name lies in a data folder.
func Dir(dataDir, name string) string { return filepath.Join(dataDir, "work", "index", name) }

// VectorDir returns where a data folder keeps vectors between builds, one folder an embedder.
func VectorDir(dataDir string) string { return filepath.Join(dataDir, "work", "vectors") }

// BuildOptions say how an index is built out of a corpus.
type BuildOptions struct {
	Name    string
	Rebuild bool // also if nothing changed since the last build
	Counter *store.Counter

	Embedder embed.Embedder // none: the vectors of the former index are kept as far as they still hold
	Sections []Section      // that are embedded; none: all
	DType    vector.DType   // DefaultDType if empty
	Tokens   *store.Counter // of the embedding: Done and Total count tokens; may be nil
}

// Build writes the index of a corpus, and reports whether there was anything to do: an index that is whole, has
// the vectors that are asked for and was built from the same skills is left alone. See Write for what an error
// leaves behind.
func Build(ctx context.Context, corpus *store.Store, options BuildOptions) (manifest Manifest, built bool, err error) {
	dir := Dir(corpus.Dir(), options.Name)
	if err := Recover(dir); err != nil {
		return Manifest{}, false, err
	}
	if !options.Rebuild {
		if state, manifest, err := State(ctx, corpus, options.Name); state == StateFresh && options.met(manifest) {
			return manifest, false, err
		}
	}
	digest, total, err := corpus.SearchDigest(ctx)
	if err != nil {
		return Manifest{}, false, err
	}
	options.Counter.Total.Store(int64(total))
	manifest, err = Write(ctx, dir, Options{
		Name:         options.Name,
		CorpusDigest: digest,
		Progress:     func(added int) { options.Counter.Done.Store(int64(added)) },
		Vectors: Vectors{
			Embedder: options.Embedder, Cache: VectorDir(corpus.Dir()), Sections: options.Sections, DType: options.DType,
			Tokens: options.countTokens,
		},
	}, searchable(ctx, corpus))
	if err != nil {
		return Manifest{}, false, fmt.Errorf("build index %s: %w", options.Name, err)
	}
	return manifest, true, nil
}

func (o BuildOptions) countTokens(done, total int) {
	if o.Tokens != nil {
		o.Tokens.Total.Store(int64(total))
		o.Tokens.Done.Store(int64(done))
	}
}

// met reports whether an index has all the vectors that are asked for.
func (o BuildOptions) met(m Manifest) bool {
	if o.Embedder == nil {
		return true
	}
	wanted := o.Sections
	if len(wanted) == 0 {
		wanted = Sections()
	}
	for _, section := range wanted {
		if !slices.ContainsFunc(m.Vectors(), func(l List) bool {
			return l.Section == section && l.Embedder == o.Embedder.ID() && l.DType == cmp.Or(o.DType, DefaultDType) && l.Missing == 0
		}) {
			return false
		}
	}
	return true
}

// searchable yields every parsed live skill as the index takes it, in id order.
func searchable(ctx context.Context, corpus *store.Store) iter.Seq2[lexical.Skill, error] {
	return func(yield func(lexical.Skill, error) bool) {
		listings, err := corpus.Listings(ctx)
		if err != nil {
			yield(lexical.Skill{}, err)
			return
		}
		for skill, err := range corpus.Skills(ctx) {
			if err == nil && skill.Document == nil {
				continue
			}
			var entry lexical.Skill
			if err == nil {
				entry, err = entryOf(ctx, corpus, skill, listings[data.RepoKey(skill.RepoID)])
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

func entryOf(ctx context.Context, corpus *store.Store, skill store.Skill, listings []data.Listing) (lexical.Skill, error) {
	file, _, err := corpus.Content(ctx, skill.SkillSHA256)
	if err != nil {
		return lexical.Skill{}, err
	}
	entry := textsOf(skill.ID, *skill.Document, file)
	entry.Repo, entry.License, entry.Stars, entry.CopyOf = skill.RepoID, skill.License, skill.Stars, skill.CopyOf
	if skill.Verdict != nil {
		entry.License, entry.Tier, entry.Runnable = skill.Verdict.License, skill.Verdict.Tier, skill.Verdict.RunnableComplete
	}
	for _, listing := range listings {
		if !lists(listing, skill) {
			continue
		}
		entry.Installs += listing.Installs
		if !slices.Contains(entry.Sources, listing.Source) {
			entry.Sources = append(entry.Sources, listing.Source)
		}
	}
	return entry, nil
}

// textsOf returns a skill with all that is searched of it.
func textsOf(id string, document data.Document, file []byte) lexical.Skill {
	skill := lexical.Skill{
		ID: id, Name: document.Name, Description: document.Description, Triggers: document.Fields.Triggers,
		Tags: document.Fields.Tags, Unread: document.Fields.Unread, YAML: document.Join(data.SectionFrontmatter, file),
		Prose: document.Join(data.SectionProse, file), Code: document.Join(data.SectionCode, file),
	}
	for _, heading := range document.Headings {
		skill.Headings = append(skill.Headings, heading.Text)
	}
	return skill
}

// lists reports whether a listing of a skill's repository means that skill: by its path, else by its name; one
// without either means every skill of the repository.
func lists(listing data.Listing, skill store.Skill) bool {
	switch {
	case listing.PathKnown:
		return listing.Path == skill.Path
	case listing.Name != "":
		return strings.EqualFold(listing.Name, skill.Document.Name) || strings.EqualFold(listing.Name, data.FolderName(skill.ID))
	}
	return true
}

// Freshness says how an index stands to its corpus.
type Freshness string

// The states of an index.
const (
	StateFresh    Freshness = "fresh"    // built from just these skills by this version
	StateStale    Freshness = "stale"    // whole, but the corpus has changed or the stage has
	StateNone     Freshness = "none"     // never built
	StateUnusable Freshness = "unusable" // damaged, or of a newer version; the error says which
)

// State compares an index with its corpus. With StateUnusable the error is the reason; any other error is our own.
func State(ctx context.Context, corpus *store.Store, name string) (Freshness, Manifest, error) {
	dir := Dir(corpus.Dir(), name)
	manifest, err := ReadManifest(dir)
	if err == nil {
		err = checkFiles(dir, manifest.Lists)
	}
	switch {
	case errors.Is(err, ErrNoIndex):
		return StateNone, Manifest{}, nil
	case err != nil:
		return StateUnusable, Manifest{}, err
	}
	digest, _, err := corpus.SearchDigest(ctx)
	if err != nil {
		return StateStale, manifest, err
	}
	if manifest.Corpus != digest || manifest.Version != Version {
		return StateStale, manifest, nil
	}
	return StateFresh, manifest, nil
}

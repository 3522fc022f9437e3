// Package source owns the one interface through which the crawl reads marketplaces, lists and folders. Each
// implementation lies in a folder of its own below; sourcetest holds the suite that all of them pass.
//
// A source only says what a marketplace lists. It never fetches repositories and never stores anything: the
// crawl stage calls it and keeps its rows and its cursor.
package source

import (
	"context"
	"encoding/json"

	"skillcorpus/data"
)

// Source enumerates the listings of one marketplace, list or folder.
type Source interface {
	// Name tells the source's rows apart from all others, as in `crawl --source NAME[:ARG]`.
	Name() string

	// Enumerate gives the rows from where cursor points on; a nil cursor, or one that the source no longer
	// understands, is the beginning. It calls emit for each page with its rows and the cursor after them, so
	// that the caller can store both in one transaction; rows may be empty where only the cursor moved, and a
	// row may come again. An error of emit ends the enumeration and is returned as it is.
	//
	// The end is Complete or Capped with a nil error: the next enumeration starts with a nil cursor, or, if the
	// source is a Renewer, with what it makes of the last one. Any other end is Interrupted with an error: ctx's
	// own, emit's, or a *data.ItemError, whose RetryAt says when a limited source may be asked again. The last
	// emitted cursor goes on from there, and, at the end of an enumeration, gives the same end again without rows.
	//
	// A quota that is used up is emitted in a cursor before the limit is returned: with that cursor, a new process
	// asks nothing until the quota's reset.
	Enumerate(ctx context.Context, cursor json.RawMessage, emit Emit) (data.Completeness, error)
}

// Renewer is a Source whose cursor holds something that outlives a walk, such as what remains of a daily quota.
type Renewer interface {
	Source

	// Renew returns the cursor at which the next walk begins, given the last one of the walk that ended. The caller
	// stores it before it asks for anything, so that not even a kill loses a quota. A source without it begins with
	// a nil cursor. A last cursor that the source no longer understands gives nil.
	Renew(last json.RawMessage) json.RawMessage
}

// Capper is a Source whose enumeration may end Capped.
type Capper interface {
	Source

	// Cap says what keeps such a walk from being complete, as the rest of a sentence after the source's name.
	Cap() string
}

// Local is a Source that asks no host: reading it again costs nobody anything, so that every crawl does. The others
// are left alone for some time after a walk that came to its end.
type Local interface {
	Source
	Local()
}

// Emit takes one page of rows and the cursor after it.
type Emit = func(rows []data.Listing, next json.RawMessage) error

// Package vector owns vectors on the disk and the exact scan over them: the cache that keeps the vector of every
// text that was ever embedded, the section files of an index, which are read through the system's page cache,
// and the dot products of a query with all of their rows.
//
// It never embeds a text, knows nothing of skills but their number, and orders nothing: the root package index
// fills it, asks it for scores and ranks them.
package vector

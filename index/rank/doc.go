// Package rank owns the order of search results once lists of candidates are there: pins for exact ids and
// names, popularity between near-equal scores, and copies collapsed into one hit. Everything in it is a pure
// function of its arguments, so the same candidates always come out in the same order.
//
// It never searches, reads no file and knows no SQL. The root package index calls it.
package rank

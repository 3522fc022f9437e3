// Package lexical owns lexical.db, the part of an index folder that finds skills by words: field-weighted
// BM25 in SQLite's FTS5, beside the facts of each skill that a hit shows and a filter asks for, so that an
// index folder can be served alone.
//
// Text reaches FTS5 only as words that index/words has made; a user's text is never query syntax. The package
// never orders hits by anything but their words, opens no other database and knows nothing of the corpus
// store. The root package index builds and asks it.
package lexical

// Package index owns index folders and the searches over them: how a folder is written whole or not at all,
// what its manifest promises, and the stages a query passes from words to hits.
//
// It never reads a SKILL.md, decides nothing about a skill, and never fails a search for want of an optional
// part: it degrades and says so. The commands index, search, demo, sync and serve call it.
package index

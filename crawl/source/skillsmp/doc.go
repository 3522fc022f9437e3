// Package skillsmp owns the enumeration of skillsmp.com through its search API.
//
// A query sees 1,000 rows at most and a day has few requests, so the marketplace is read in partitions, and each
// request goes where it promises most rows that are new. The walk learns from the answers: how the search matches
// words, which words rows have, how large a category is and how much of it has been seen.
//
// It asks no repository and scrapes no page. The crawl stage calls it as a source.
package skillsmp

// Package skillsmp owns the enumeration of skillsmp.com through its search API.
//
// A query sees 1,000 rows at most, so the marketplace is read in partitions: one query for each letter and
// digit, and where one is capped, for each pair. It asks no repository and scrapes no page. The crawl stage
// calls it as a source.
package skillsmp

// Package githubsearch owns the search of GitHub for skills: code search for files called SKILL.md, cut by size, and
// repositories by topic, cut by the day they were made. A query shows 1,000 results at most, so a range that has more is
// halved until it hasn't, or can't be halved.
//
// It reads no repository. The crawl stage calls it as a source.
package githubsearch

// Package skillssh owns the enumeration of skills.sh: through its sitemaps, which name every skill that it shows, and
// with a key also through its API, which knows installs.
//
// It fetches no skill: a row names a repository at GitHub, or a site that publishes its skills itself. The crawl stage
// calls it as a source.
package skillssh

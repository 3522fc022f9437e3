// Package github owns what is asked of GitHub: the facts of a repository, its head commit, its refs and its
// archive, and what a GitHub URL points to.
//
// It keeps no state but per-host limits, decides no retries beyond those of crawl/polite, and opens no
// archive. The crawl stage calls it; sources use its URL reader.
package github

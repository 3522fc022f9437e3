// Package polite owns the HTTP chain through which every outside host is asked: two more tries for
// connection errors and 5xx, a rate limit per host, the places where a token may go, and the translation of
// every refusal into a *data.ItemError with an outcome and a retry time.
//
// It never waits for a host's rate limit and never follows a redirect to a less safe place. What a body means
// is its callers' business: crawl/github and the sources.
package polite

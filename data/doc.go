// Package data owns the vocabulary that every stage shares: listings, repositories, bundles, documents,
// facts, findings, verdicts and outcomes, with the few pure rules that belong to them (what an id looks
// like, what a digest covers, which outcome is final). It also holds embedded reference data and the sample
// marketplace.
//
// It never does I/O, knows no SQL and no HTTP, and imports nothing of this module. Every other package may
// import it.
package data

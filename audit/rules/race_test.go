//go:build race

package rules_test

// underRace tells that every access to memory is watched, which makes reading the whole corpus ten times as slow.
const underRace = true

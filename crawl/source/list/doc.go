// Package list owns reading listings that people bring themselves: URLs one a line, JSON lines, a JSON array
// or CSV, plain or gzipped, from a file or from standard input.
//
// A bad row is a warning and never the end. The package asks no network and knows no repository. The crawl
// stage calls it as a source.
package list

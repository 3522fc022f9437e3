// Package sample owns the embedded sample marketplace: a few small real skill repositories with permissive
// licences, each a whole archive beside its licence file, and the index.json that lists them.
//
// It never reads or serves the archives; whoever plays a marketplace from a folder takes FS for that folder.
package sample

import (
	"embed"
	"io/fs"
)

//go:embed index.json README.md *.zip *.LICENSE
var files embed.FS

// FS returns the sample marketplace as a read-only folder in hub format (docs/fakehub.md).
func FS() fs.FS { return files }

package command

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"skillcorpus/data"
)

// addLicenses gives the skills of a directory that have no licence file above them in it those above the directory, and
// puts their texts to the contents. Paths become those from the repository's root.
func addLicenses(dir string, skills []data.Bundle, contents map[string][]byte) {
	prefix, above := licensesAbove(dir)
	var files []data.LicenseFile
	for _, name := range slices.Sorted(maps.Keys(above)) {
		file := data.LicenseFile{Path: name}
		if text := above[name]; len(text) > 0 {
			file.SHA256 = data.SHA256Hex(text)
			contents[file.SHA256] = text
		}
		files = append(files, file)
	}
	for i := range skills {
		if skills[i].Licenses == nil {
			skills[i].Licenses = files
			continue
		}
		for j := range skills[i].Licenses {
			skills[i].Licenses[j].Path = path.Join(prefix, skills[i].Licenses[j].Path)
		}
	}
}

// licensesAbove returns the texts of the licence files in the nearest folder above a directory that has any, by their
// paths from the folder that holds .git, which is the highest that is looked at; prefix is the directory's own path from
// there. Without .git there are none, and none above a folder that cannot be read. A file that is no text of a licence's
// size is there with a nil text.
func licensesAbove(dir string) (prefix string, files map[string][]byte) {
	top, prefix := repositoryOf(dir)
	if prefix == "" {
		return "", nil
	}
	root, err := os.OpenRoot(top) // so that no link leads out of it
	if err != nil {
		return prefix, nil
	}
	defer func() { _ = root.Close() }() // it was only read
	files = map[string][]byte{}
	for folder := prefix; folder != "." && len(files) == 0; {
		folder = path.Dir(folder)
		entries, err := fs.ReadDir(root.FS(), folder)
		if err != nil {
			return prefix, nil
		}
		for _, entry := range entries {
			if !entry.IsDir() && data.IsLicenseFile(entry.Name()) {
				name := path.Join(folder, entry.Name())
				files[name] = licenseText(root, name)
			}
		}
	}
	return prefix, files
}

func licenseText(root *os.Root, name string) []byte {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > data.MaxKeptFile {
		return nil
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return nil
	}
	return text
}

// repositoryOf returns the nearest folder at or above a directory that holds .git, and the directory's path from there,
// slash-separated; nothing where there is none, or where it is the directory itself.
func repositoryOf(dir string) (top, prefix string) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", ""
	}
	for top, below := real, ""; ; top, below = filepath.Dir(top), path.Join(filepath.Base(top), below) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top, below
		}
		if top == filepath.Dir(top) {
			return "", ""
		}
	}
}

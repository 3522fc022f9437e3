package discover

import (
	"slices"

	"skillcorpus/crawl/archive"
	"skillcorpus/data"
)

// licenseFiles returns the licence files of a repository by the folder that they lie in, each sorted by path if the
// entries are.
func licenseFiles(entries []archive.Entry) map[string][]archive.Entry {
	files := map[string][]archive.Entry{}
	for _, e := range entries {
		if dir, name := split(e.Path); data.IsLicenseFile(name) && walked(e) {
			files[dir] = append(files[dir], e)
		}
	}
	return files
}

// nearest returns the licence files of the nearest folder above a directory that has any.
func nearest(dir string, files map[string][]archive.Entry) []archive.Entry {
	for dir != "" {
		dir, _ = split(dir)
		if len(files[dir]) > 0 {
			return files[dir]
		}
	}
	return nil
}

// keptLicenses leaves those that are small enough to be kept.
func keptLicenses(files []archive.Entry) []archive.Entry {
	return slices.DeleteFunc(slices.Clone(files), func(e archive.Entry) bool { return e.Size > data.MaxKeptFile })
}

// above returns the licence files above a skill.
func (r *reading) above(s skill) []data.LicenseFile {
	var files []data.LicenseFile
	for _, e := range nearest(s.dir, r.licenses) {
		license := data.LicenseFile{Path: e.Path}
		if file := r.file(e); file.Kept {
			license.SHA256 = file.SHA256
		}
		files = append(files, license)
	}
	return files
}

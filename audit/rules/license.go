package rules

import (
	"fmt"

	"skillcorpus/audit/facts"
	"skillcorpus/audit/license"
	"skillcorpus/data"
)

func unknownLicense(f facts.Facts) []place {
	switch {
	case f.License.ID != license.Unknown:
		return nil
	case f.License.Written != "":
		return []place{{line: f.License.Line, message: fmt.Sprintf("%q is no SPDX licence", clip(f.License.Written))}}
	case f.License.File != "":
		return []place{{message: fmt.Sprintf("the text of %s is no licence that is known", clip(f.License.File))}}
	}
	return []place{{message: "no licence is stated in the skill's folder, nor known of its repository"}}
}

func licenseConflict(f facts.Facts) []place {
	if !f.License.Conflict() {
		return nil
	}
	said := f.License.ID
	if f.License.Source != data.LicenseFromAuthor {
		said = f.License.Written
	}
	return []place{{line: f.License.Line, message: fmt.Sprintf("the frontmatter says %q, the bundled file is %s", clip(said), f.License.Bundled)}}
}

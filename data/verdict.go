package data

// Tier is the class of a skill in the paper's audit.
type Tier string

// The tiers.
const (
	TierFunctional    Tier = "functional"     // complete runnable code that fits its purpose, nothing bundled missing
	TierPartial       Tier = "partial"        // means to ship runnable code, but something lacks
	TierReferenceOnly Tier = "reference_only" // prose, guidance or illustrative snippets
)

// LicenseSource says where the licence of a skill was read.
type LicenseSource string

// The sources of a licence, best first.
const (
	LicenseFromAuthor     LicenseSource = "frontmatter"
	LicenseFromBundle     LicenseSource = "bundle"     // a licence file in the skill's folder
	LicenseFromRepository LicenseSource = "repository" // the nearest licence file above it in its repository
	LicenseFromHost       LicenseSource = "host"       // as the host, or the collection, has its repository
	LicenseFromNowhere    LicenseSource = ""
)

// Verdict is what the audit concludes of one skill.
type Verdict struct {
	Tier             Tier     `json:"tier"`
	CodeBearing      bool     `json:"code_bearing"`
	CodeSound        bool     `json:"code_sound"`
	MissingFiles     bool     `json:"missing_files"`
	Missing          []string `json:"missing"`         // paths from the skill's directory, sorted
	PurposeAligned   *bool    `json:"purpose_aligned"` // nil: not decidable without understanding
	RunnableComplete bool     `json:"runnable_complete"`
	Basis            Basis    `json:"basis"`
	Unread           []string `json:"unread,omitempty"` // bundled files that are there and that this machine may not read, sorted
	License          string   `json:"license"`          // SPDX id, or `unknown`
	// Where the licence was read. The file's path is from the skill's folder, or from the repository's root where the
	// source is the repository; empty where no file told.
	LicenseSource LicenseSource `json:"license_source"`
	LicenseFile   string        `json:"license_file"`
	// Whether a validator accepts the skill as it stands (package audit/conformance).
	ConformsSkillsRef     bool     `json:"conforms_skills_ref"`     // agentskills.io's reference validator
	ConformsQuickValidate bool     `json:"conforms_quick_validate"` // the script of Anthropic's skill creator
	ConformsClaude        bool     `json:"conforms_claude"`         // the Claude platform's limits on name and description
	Requires              Requires `json:"requires"`
	Proxies               Proxies  `json:"proxies"`   // exactly as the paper's code counts
	Corrected             Proxies  `json:"corrected"` // by the document's real structure
	Reasons               []Reason `json:"reasons"`   // in the order of the parts; each part that is decided has at least one
}

// Reason is why one part of a verdict is as it is, with the place that an author would look at.
type Reason struct {
	Part  string `json:"part"`  // `code_bearing`, `code_sound`, `missing_files`, `purpose_aligned` or `tier`
	File  string `json:"file"`  // from the skill's directory; empty where the skill as a whole is meant
	Line  int    `json:"line"`  // from 1; 0 where a line makes no sense
	Words string `json:"words"` // a sentence without its full stop
}

// Requires lists what a skill needs on the machine that runs it, as far as its code tells. Each list is sorted and
// without repeats.
type Requires struct {
	Executables  []string      `json:"executables"`  // beyond the shell's own and those that every Unix has
	Packages     []string      `json:"packages"`     // `pip:requests`: manager and name of each dependency
	Environment  []string      `json:"environment"`  // variables that are read and not set
	Hosts        []string      `json:"hosts"`        // of the addresses in code
	Dependencies []Dependency  `json:"dependencies"` // by manager and name, then version
	Interpreters []Interpreter `json:"interpreters"` // that run the bundled scripts
}

// Dependency is a package that code installs, declares or imports.
type Dependency struct {
	Manager string `json:"manager"` // apk, apt, brew, cargo, composer, conda, dnf, gem, go, npm or pip
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // as written: `2.1`, or a range such as `>=2,<3`; empty for any
	// Imported tells that no command installs the package and nothing declares it: code imports it.
	Imported bool `json:"imported,omitempty"`
}

// Interpreter is a program that runs scripts.
type Interpreter struct {
	Name    string `json:"name"`              // as its command is called, without a version
	Version string `json:"version,omitempty"` // as written: `3.11`, or a range such as `>=3.11`
}

// Proxies are the structural counts of the paper's Figure 2 (PAPER.md, Proxies).
type Proxies struct {
	WordCount         int     `json:"word_count"`
	HeadingCount      int     `json:"heading_count"`
	CodeBlockCount    int     `json:"code_block_count"`
	CodeFraction      float64 `json:"code_fraction"` // of characters (code points)
	OrderedListCount  int     `json:"ordered_list_count"`
	InlineCodeDensity float64 `json:"inline_code_density"` // spans per 100 words
	HasScripts        bool    `json:"has_scripts"`
	HasReferences     bool    `json:"has_references"`
	HasBundledFiles   bool    `json:"has_bundled_files"`
}

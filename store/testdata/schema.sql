CREATE VIEW v_files AS
SELECT s.id, f.path, f.mode, f.size, f.sha256, f.note, f.kept
FROM files f JOIN skills s ON s.key = f.skill
WHERE s.live;

CREATE VIEW v_findings AS
SELECT s.id, s.repo_id AS repo, s.copy_of, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence
FROM findings f JOIN skills s ON s.key = f.skill
WHERE s.live AND NOT (f.stage <> 'audit' AND EXISTS (
    SELECT 1 FROM findings a JOIN (SELECT column1 AS found, column2 AS retold FROM (VALUES
        ('archive.link', 'unbundled-file'),
        ('archive.too-large', 'unbundled-file'),
        ('archive.refused', 'unbundled-file'),
        ('discover.damaged', 'unbundled-file'),
        ('discover.lfs-pointer', 'unbundled-file'),
        ('discover.submodule', 'unbundled-file'),
        ('discover.unread', 'unbundled-file'),
        ('discover.spelling', 'skill-file-spelling'),
        ('discover.spelling', 'skill-file-case'),
        ('encoding.binary', 'junk-content'),
        ('encoding.invalid', 'not-utf8'),
        ('encoding.invalid', 'junk-content'),
        ('frontmatter.missing', 'missing-frontmatter'),
        ('frontmatter.missing', 'unclosed-frontmatter'),
        ('frontmatter.missing', 'frontmatter-mapping'),
        ('frontmatter.missing', 'invalid-yaml'),
        ('frontmatter.missing', 'junk-content'),
        ('frontmatter.unclosed', 'unclosed-frontmatter'),
        ('frontmatter.not-mapping', 'frontmatter-mapping'),
        ('frontmatter.recovered', 'invalid-yaml'),
        ('frontmatter.missing-name', 'missing-name'),
        ('frontmatter.missing-name', 'empty-name'),
        ('frontmatter.missing-name', 'field-not-text'),
        ('frontmatter.missing-description', 'missing-description'),
        ('frontmatter.missing-description', 'empty-description'),
        ('frontmatter.missing-description', 'field-not-text'),
        ('frontmatter.wrong-type', 'field-not-text'),
        ('markdown.unclosed-fence', 'unclosed-fence'),
        ('markdown.empty-body', 'empty-body'))) t ON t.retold = a.rule
    WHERE a.skill = f.skill AND a.stage = 'audit' AND a.file = f.file AND t.found = f.rule));

CREATE VIEW v_licences AS
SELECT v.license, count(*) AS skills, count(DISTINCT s.repo_key) AS repos, sum(s.copy_of IS NULL) AS originals,
       sum(v.runnable_complete) AS runnable_complete
FROM skills s JOIN verdicts v ON v.skill = s.key
WHERE s.live
GROUP BY v.license;

CREATE VIEW v_missing AS
SELECT s.id, m.value AS path
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.missing') m
WHERE s.live;

CREATE VIEW v_reasons AS
SELECT s.id, r.value ->> '$.part' AS part, r.value ->> '$.file' AS file, r.value ->> '$.line' AS line, r.value ->> '$.words' AS words
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.reasons') r
WHERE s.live;

CREATE VIEW v_repos AS
SELECT r.id AS repo, r.host, r.license, r.stars, r.archived, r.fork, r.commit_sha, r.updated_at, count(s.key) AS skills,
       count(s.copy_of) AS copies, coalesce(sum(v.runnable_complete), 0) AS runnable_complete,
       coalesce(sum(v.tier = 'partial'), 0) AS partial, coalesce(sum(v.license = 'unknown'), 0) AS unlicensed
FROM repos r JOIN skills s ON s.repo_key = r.key AND s.live LEFT JOIN verdicts v ON v.skill = s.key
GROUP BY r.key;

CREATE VIEW v_requires AS
SELECT s.id, s.copy_of, k.key AS kind, CASE n.type WHEN 'object' THEN n.value ->> '$.name' ELSE n.value END AS name
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.requires') k, json_each(k.value) n
WHERE s.live AND k.type = 'array';

CREATE VIEW v_rules AS
SELECT stage, rule, severity, count(*) AS findings, count(DISTINCT id) AS skills
FROM v_findings
GROUP BY stage, rule, severity;

CREATE VIEW v_similar AS
SELECT x.id, y.id AS other, p.jaccard
FROM (SELECT a, b, jaccard FROM similar UNION ALL SELECT b, a, jaccard FROM similar) p
JOIN skills x ON x.skill_sha256 = p.a AND x.live JOIN skills y ON y.skill_sha256 = p.b AND y.live;

CREATE VIEW v_skills AS
SELECT s.id, s.repo_id AS repo, s.path, d.name, d.description, s.basis, s.copy_of, s.stars, s.updated_at, s.commit_sha,
       s.license AS repo_license, v.license, v.tier, v.runnable_complete,
       v.body ->> '$.code_bearing' AS code_bearing, v.body ->> '$.code_sound' AS code_sound,
       v.body ->> '$.missing_files' AS missing_files, v.body ->> '$.purpose_aligned' AS purpose_aligned,
       v.body ->> '$.corrected.word_count' AS words, v.body ->> '$.corrected.code_block_count' AS code_blocks,
       v.body ->> '$.corrected.code_fraction' AS code_fraction, v.body ->> '$.corrected.has_scripts' AS has_scripts,
       (SELECT size FROM blobs WHERE sha256 = s.skill_sha256) AS bytes,
       (SELECT count(*) FROM files WHERE skill = s.key) AS files,
       (SELECT count(*) FROM v_findings WHERE id = s.id AND severity = 'error') AS errors,
       (SELECT count(*) FROM v_findings WHERE id = s.id AND severity = 'warning') AS warnings,
       v.body ->> '$.license_source' AS license_source, v.body ->> '$.license_file' AS license_file
FROM skills s LEFT JOIN documents d ON d.skill = s.key LEFT JOIN verdicts v ON v.skill = s.key
WHERE s.live;

CREATE TABLE aliases (
    key      TEXT PRIMARY KEY,                     -- the other id in lower case
    id       TEXT NOT NULL,                        -- the other id as spelled
    repo_key TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY,
    size   INTEGER NOT NULL,
    zstd   BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE denied (
    key      TEXT PRIMARY KEY,                     -- id in lower case: of an owner, a repository or a skill
    id       TEXT NOT NULL,                        -- as given
    reason   TEXT NOT NULL,
    added_at TEXT NOT NULL                         -- RFC 3339
) WITHOUT ROWID;

CREATE TABLE documents (
    skill       INTEGER PRIMARY KEY REFERENCES skills (key) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    body        BLOB NOT NULL                      -- zstd of the document as JSON
);

CREATE TABLE due (
    stage      TEXT NOT NULL CHECK (stage IN ('crawl', 'parse', 'audit')),
    item       TEXT NOT NULL,                      -- repository key or skill id
    input      TEXT NOT NULL DEFAULT '',           -- digest of what the last attempt read
    version    INTEGER NOT NULL DEFAULT 0,         -- of the stage's code
    outcome    TEXT NOT NULL CHECK (outcome IN ('ok', 'gone', 'blocked', 'empty', 'too_large', 'malformed',
                   'denied', 'forbidden', 'limited', 'unavailable', 'internal')),
    reason     TEXT NOT NULL DEFAULT '',
    attempts   INTEGER NOT NULL DEFAULT 0,         -- failed ones in a row; a rate limit is none
    checked_at INTEGER NOT NULL,                   -- Unix seconds
    retry_at   INTEGER NOT NULL DEFAULT 0,         -- Unix seconds
    PRIMARY KEY (stage, item)
) WITHOUT ROWID;

CREATE TABLE files (
    skill  INTEGER NOT NULL REFERENCES skills (key) ON DELETE CASCADE,
    path   TEXT NOT NULL,                          -- from the skill's directory
    mode   TEXT NOT NULL,
    size   INTEGER NOT NULL,
    sha256 TEXT NOT NULL DEFAULT '',
    note   TEXT NOT NULL DEFAULT '',               -- why the content is not bundled
    kept   INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1)),
    PRIMARY KEY (skill, path)
) WITHOUT ROWID;

CREATE TABLE findings (
    skill    INTEGER NOT NULL REFERENCES skills (key) ON DELETE CASCADE,
    stage    TEXT NOT NULL CHECK (stage IN ('crawl', 'parse', 'audit')),
    position INTEGER NOT NULL,
    rule     TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('error', 'warning', 'info')),
    file     TEXT NOT NULL,
    line     INTEGER NOT NULL,
    message  TEXT NOT NULL, confidence TEXT NOT NULL DEFAULT '' CHECK (confidence IN ('', 'high', 'medium', 'low')),
    PRIMARY KEY (skill, stage, position)
) WITHOUT ROWID;

CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);

CREATE TABLE license_files (
    skill  INTEGER NOT NULL REFERENCES skills (key) ON DELETE CASCADE,
    path   TEXT NOT NULL,                          -- from the repository's root
    sha256 TEXT NOT NULL,                          -- empty where the text is not kept
    PRIMARY KEY (skill, path)
) WITHOUT ROWID;

CREATE TABLE listings (
    source      TEXT NOT NULL,
    external_id TEXT NOT NULL,
    name        TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    author      TEXT NOT NULL DEFAULT '',
    tags        TEXT NOT NULL DEFAULT '[]',        -- JSON array of text
    stars       INTEGER NOT NULL DEFAULT 0,
    installs    INTEGER NOT NULL DEFAULT 0,
    url         TEXT NOT NULL DEFAULT '',
    updated_at  TEXT NOT NULL DEFAULT '',          -- RFC 3339, empty if unknown
    repo_key    TEXT NOT NULL,                     -- lower-cased id as the row spells it: a repo or an alias
    ref         TEXT NOT NULL DEFAULT '',
    path        TEXT,                              -- NULL: the row does not say which skill is meant
    walk        INTEGER NOT NULL,                  -- last walk of the source that saw the row
    PRIMARY KEY (source, external_id)
) WITHOUT ROWID;

CREATE TABLE repo_findings (
    repo_key TEXT NOT NULL,
    position INTEGER NOT NULL,
    rule     TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (severity IN ('error', 'warning', 'info')),
    file     TEXT NOT NULL,                        -- from the repository root
    line     INTEGER NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (repo_key, position)
) WITHOUT ROWID;

CREATE TABLE repos (
    key            TEXT PRIMARY KEY,               -- id in lower case
    id             TEXT NOT NULL,                  -- owner/repo in the host's spelling, host:name elsewhere
    host           TEXT NOT NULL,
    name           TEXT NOT NULL,
    numeric_id     INTEGER NOT NULL DEFAULT 0,
    default_branch TEXT NOT NULL DEFAULT '',
    commit_sha     TEXT NOT NULL DEFAULT '',
    size_kb        INTEGER NOT NULL DEFAULT 0,
    license        TEXT NOT NULL DEFAULT '',
    stars          INTEGER NOT NULL DEFAULT 0,
    archived       INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    fork           INTEGER NOT NULL DEFAULT 0 CHECK (fork IN (0, 1)),
    updated_at     TEXT NOT NULL DEFAULT '',       -- RFC 3339
    etag           TEXT NOT NULL DEFAULT '',
    tree           BLOB,                           -- zstd of a JSON array of entries
    tree_digest    TEXT NOT NULL DEFAULT '',
    listed         INTEGER NOT NULL DEFAULT 0 CHECK (listed IN (0, 1)) -- a listing names it, so crawl fetches it
) WITHOUT ROWID;

CREATE TABLE runs (
    run        INTEGER PRIMARY KEY,
    command    TEXT NOT NULL,
    started_at INTEGER NOT NULL,                   -- Unix milliseconds
    ended_at   INTEGER NOT NULL,
    exit_code  INTEGER NOT NULL,
    summary    TEXT NOT NULL                       -- JSON
);

CREATE TABLE signatures (
    sha256    TEXT PRIMARY KEY,                    -- of a SKILL.md
    version   INTEGER NOT NULL,                    -- of the code that made it
    signature BLOB NOT NULL,                       -- empty for a text too short to have one
    paired    INTEGER NOT NULL DEFAULT 0 CHECK (paired IN (0, 1)) -- its pairs are in table similar
) WITHOUT ROWID;

CREATE TABLE similar (
    a       TEXT NOT NULL,                         -- SHA-256 of one SKILL.md
    b       TEXT NOT NULL,                         -- of the other, the greater one
    jaccard REAL NOT NULL,                         -- over their shingles
    PRIMARY KEY (a, b)
) WITHOUT ROWID;

CREATE TABLE skills (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    repo_key        TEXT NOT NULL,
    repo_id         TEXT NOT NULL,
    path            TEXT NOT NULL,
    skill_file      TEXT NOT NULL,
    skill_sha256    TEXT NOT NULL,
    origin          TEXT NOT NULL DEFAULT '',
    commit_sha      TEXT NOT NULL DEFAULT '',
    license         TEXT NOT NULL DEFAULT '',
    updated_at      TEXT NOT NULL DEFAULT '',
    stars           INTEGER NOT NULL DEFAULT 0,
    basis           TEXT NOT NULL CHECK (basis IN ('contents', 'listing')),
    digest          TEXT NOT NULL DEFAULT '',      -- over all files; empty with basis listing
    copy_key        TEXT NOT NULL,
    canonical_rank  TEXT NOT NULL,
    copy_of         TEXT,                          -- id of the canonical copy; NULL for the canonical one
    live            INTEGER NOT NULL CHECK (live IN (0, 1)),
    document_digest TEXT NOT NULL DEFAULT ''
, installers TEXT NOT NULL DEFAULT 'null', removed_at INTEGER NOT NULL DEFAULT 0);

CREATE TABLE sources (
    name         TEXT PRIMARY KEY,
    completeness TEXT NOT NULL CHECK (completeness IN ('complete', 'capped', 'interrupted')),
    cursor       TEXT NOT NULL DEFAULT '',         -- JSON, the source's own
    walk         INTEGER NOT NULL DEFAULT 1,       -- number of the current or last walk
    updated_at   INTEGER NOT NULL                  -- Unix seconds
, outcome TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', retry_at INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;

CREATE TABLE submodules (
    repo_key TEXT NOT NULL,
    path     TEXT NOT NULL,
    url      TEXT NOT NULL,                        -- empty if it is not known
    PRIMARY KEY (repo_key, path)
) WITHOUT ROWID;

CREATE TABLE verdicts (
    skill             INTEGER PRIMARY KEY REFERENCES skills (key) ON DELETE CASCADE,
    tier              TEXT NOT NULL CHECK (tier IN ('functional', 'partial', 'reference_only')),
    runnable_complete INTEGER NOT NULL CHECK (runnable_complete IN (0, 1)),
    license           TEXT NOT NULL,
    body              TEXT NOT NULL                -- the verdict as JSON
);

CREATE INDEX aliases_by_repo ON aliases (repo_key);

CREATE INDEX listings_by_repo ON listings (repo_key);

CREATE INDEX similar_by_b ON similar (b);

CREATE INDEX skills_by_canonical ON skills (copy_of) WHERE copy_of IS NOT NULL;

CREATE INDEX skills_by_copy ON skills (copy_key, canonical_rank);

CREATE INDEX skills_by_repo ON skills (repo_key);

-- +goose Up

-- Views for auditors (docs/sql.md). They show live skills alone; lists inside a verdict become rows.

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
       (SELECT count(*) FROM v_findings WHERE id = s.id AND severity = 'warning') AS warnings
FROM skills s LEFT JOIN documents d ON d.skill = s.key LEFT JOIN verdicts v ON v.skill = s.key
WHERE s.live;

-- A fault of parsing that the audit tells as well is told by the audit alone: data.Once holds the same list.
CREATE VIEW v_findings AS
SELECT s.id, s.repo_id AS repo, s.copy_of, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence
FROM findings f JOIN skills s ON s.key = f.skill
WHERE s.live AND NOT (f.stage = 'parse' AND EXISTS (SELECT 1 FROM findings a WHERE a.skill = f.skill AND a.stage = 'audit' AND a.rule = CASE f.rule
    WHEN 'encoding.binary' THEN 'junk-content'
    WHEN 'encoding.invalid' THEN 'not-utf8'
    WHEN 'frontmatter.missing' THEN 'missing-frontmatter'
    WHEN 'frontmatter.unclosed' THEN 'unclosed-frontmatter'
    WHEN 'frontmatter.not-mapping' THEN 'frontmatter-mapping'
    WHEN 'frontmatter.missing-name' THEN 'missing-name'
    WHEN 'frontmatter.missing-description' THEN 'missing-description'
    WHEN 'markdown.unclosed-fence' THEN 'unclosed-fence'
    WHEN 'markdown.empty-body' THEN 'empty-body' END));

-- Why each part of a verdict is as it is.
CREATE VIEW v_reasons AS
SELECT s.id, r.value ->> '$.part' AS part, r.value ->> '$.file' AS file, r.value ->> '$.line' AS line, r.value ->> '$.words' AS words
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.reasons') r
WHERE s.live;

-- Files that a skill names and does not bring.
CREATE VIEW v_missing AS
SELECT s.id, m.value AS path
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.missing') m
WHERE s.live;

-- What skills need where they run: kind is executables, packages, dependencies, interpreters, environment, hosts.
CREATE VIEW v_requires AS
SELECT s.id, s.copy_of, k.key AS kind, CASE n.type WHEN 'object' THEN n.value ->> '$.name' ELSE n.value END AS name
FROM skills s JOIN verdicts v ON v.skill = s.key, json_each(v.body, '$.requires') k, json_each(k.value) n
WHERE s.live AND k.type = 'array';

CREATE VIEW v_files AS
SELECT s.id, f.path, f.mode, f.size, f.sha256, f.note, f.kept
FROM files f JOIN skills s ON s.key = f.skill
WHERE s.live;

-- Skills whose texts are nearly the same, each pair from both sides; byte-equal copies are in v_skills.copy_of.
CREATE VIEW v_similar AS
SELECT x.id, y.id AS other, p.jaccard
FROM (SELECT a, b, jaccard FROM similar UNION ALL SELECT b, a, jaccard FROM similar) p
JOIN skills x ON x.skill_sha256 = p.a AND x.live JOIN skills y ON y.skill_sha256 = p.b AND y.live;

CREATE VIEW v_licences AS
SELECT v.license, count(*) AS skills, count(DISTINCT s.repo_key) AS repos, sum(s.copy_of IS NULL) AS originals,
       sum(v.runnable_complete) AS runnable_complete
FROM skills s JOIN verdicts v ON v.skill = s.key
WHERE s.live
GROUP BY v.license;

CREATE VIEW v_repos AS
SELECT r.id AS repo, r.host, r.license, r.stars, r.archived, r.fork, r.commit_sha, r.updated_at, count(s.key) AS skills,
       count(s.copy_of) AS copies, coalesce(sum(v.runnable_complete), 0) AS runnable_complete,
       coalesce(sum(v.tier = 'partial'), 0) AS partial, coalesce(sum(v.license = 'unknown'), 0) AS unlicensed
FROM repos r JOIN skills s ON s.repo_key = r.key AND s.live LEFT JOIN verdicts v ON v.skill = s.key
GROUP BY r.key;

CREATE VIEW v_rules AS
SELECT stage, rule, severity, count(*) AS findings, count(DISTINCT id) AS skills
FROM v_findings
GROUP BY stage, rule, severity;

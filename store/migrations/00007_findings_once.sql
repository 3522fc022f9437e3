-- +goose Up

-- A fault of parsing that the audit tells as well is told by the audit alone (data.Once holds the same list), and a pair of
-- near-copies is found from either side.
DROP VIEW v_findings;
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

DROP VIEW v_skills;
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

DROP VIEW v_rules;
CREATE VIEW v_rules AS
SELECT stage, rule, severity, count(*) AS findings, count(DISTINCT id) AS skills
FROM v_findings
GROUP BY stage, rule, severity;

DROP VIEW v_similar;
CREATE VIEW v_similar AS
SELECT x.id, y.id AS other, p.jaccard
FROM (SELECT a, b, jaccard FROM similar UNION ALL SELECT b, a, jaccard FROM similar) p
JOIN skills x ON x.skill_sha256 = p.a AND x.live JOIN skills y ON y.skill_sha256 = p.b AND y.live;

-- +goose Down
DROP VIEW v_similar;
CREATE VIEW v_similar AS
SELECT x.id, y.id AS other, p.jaccard
FROM similar p JOIN skills x ON x.skill_sha256 = p.a AND x.live JOIN skills y ON y.skill_sha256 = p.b AND y.live;

DROP VIEW v_rules;
DROP VIEW v_skills;
DROP VIEW v_findings;
CREATE VIEW v_findings AS
SELECT s.id, s.repo_id AS repo, s.copy_of, f.stage, f.rule, f.severity, f.file, f.line, f.message, f.confidence
FROM findings f JOIN skills s ON s.key = f.skill
WHERE s.live;

CREATE VIEW v_skills AS
SELECT s.id, s.repo_id AS repo, s.path, d.name, d.description, s.basis, s.copy_of, s.stars, s.updated_at, s.commit_sha,
       s.license AS repo_license, v.license, v.tier, v.runnable_complete,
       v.body ->> '$.code_bearing' AS code_bearing, v.body ->> '$.code_sound' AS code_sound,
       v.body ->> '$.missing_files' AS missing_files, v.body ->> '$.purpose_aligned' AS purpose_aligned,
       v.body ->> '$.corrected.word_count' AS words, v.body ->> '$.corrected.code_block_count' AS code_blocks,
       v.body ->> '$.corrected.code_fraction' AS code_fraction, v.body ->> '$.corrected.has_scripts' AS has_scripts,
       (SELECT size FROM blobs WHERE sha256 = s.skill_sha256) AS bytes,
       (SELECT count(*) FROM files WHERE skill = s.key) AS files,
       (SELECT count(*) FROM findings WHERE skill = s.key AND severity = 'error') AS errors,
       (SELECT count(*) FROM findings WHERE skill = s.key AND severity = 'warning') AS warnings
FROM skills s LEFT JOIN documents d ON d.skill = s.key LEFT JOIN verdicts v ON v.skill = s.key
WHERE s.live;

CREATE VIEW v_rules AS
SELECT f.stage, f.rule, f.severity, count(*) AS findings, count(DISTINCT f.skill) AS skills
FROM findings f JOIN skills s ON s.key = f.skill
WHERE s.live
GROUP BY f.stage, f.rule, f.severity;

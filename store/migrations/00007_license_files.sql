-- +goose Up

-- The licence files of the nearest folder above a skill's own that has any. Their texts are among the blobs.
CREATE TABLE license_files (
    skill  INTEGER NOT NULL REFERENCES skills (key) ON DELETE CASCADE,
    path   TEXT NOT NULL,                          -- from the repository's root
    sha256 TEXT NOT NULL,                          -- empty where the text is not kept
    PRIMARY KEY (skill, path)
) WITHOUT ROWID;

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
       (SELECT count(*) FROM v_findings WHERE id = s.id AND severity = 'warning') AS warnings,
       v.body ->> '$.license_source' AS license_source, v.body ->> '$.license_file' AS license_file
FROM skills s LEFT JOIN documents d ON d.skill = s.key LEFT JOIN verdicts v ON v.skill = s.key
WHERE s.live;

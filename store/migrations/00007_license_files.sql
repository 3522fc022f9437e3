-- +goose Up

-- The licence files of the nearest folder above a skill's own that has any. Their texts are among the blobs.
CREATE TABLE license_files (
    skill  INTEGER NOT NULL REFERENCES skills (key) ON DELETE CASCADE,
    path   TEXT NOT NULL,                          -- from the repository's root
    sha256 TEXT NOT NULL,                          -- empty where the text is not kept
    PRIMARY KEY (skill, path)
) WITHOUT ROWID;

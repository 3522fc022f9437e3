-- +goose Up
ALTER TABLE findings ADD COLUMN confidence TEXT NOT NULL DEFAULT '' CHECK (confidence IN ('', 'high', 'medium', 'low'));

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

CREATE INDEX similar_by_b ON similar (b);

-- +goose Down
DROP TABLE similar;
DROP TABLE signatures;
ALTER TABLE findings DROP COLUMN confidence;

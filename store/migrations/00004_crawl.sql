-- +goose Up

-- The takedown list: it denies everything at or below an id.
CREATE TABLE denied (
    key      TEXT PRIMARY KEY,                     -- id in lower case: of an owner, a repository or a skill
    id       TEXT NOT NULL,                        -- as given
    reason   TEXT NOT NULL,
    added_at TEXT NOT NULL                         -- RFC 3339
) WITHOUT ROWID;

-- When a skill was removed, so that prune knows how long its contents are of no use; 0 while it lives.
ALTER TABLE skills ADD COLUMN removed_at INTEGER NOT NULL DEFAULT 0; -- Unix seconds
UPDATE skills SET removed_at = unixepoch() WHERE NOT live;

-- A crawl that starts in the second in which another one ended must tell their rows apart.
UPDATE due SET checked_at = checked_at * 1000;

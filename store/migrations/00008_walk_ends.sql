-- +goose Up

-- Why the last walk of a source was interrupted or capped, in one line; empty while one is under way.
ALTER TABLE sources ADD COLUMN outcome TEXT NOT NULL DEFAULT '';   -- of an interrupted walk
ALTER TABLE sources ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE sources ADD COLUMN retry_at INTEGER NOT NULL DEFAULT 0; -- Unix seconds; 0: nobody said when it can go on

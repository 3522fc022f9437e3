-- +goose Up

-- Which installers would see the skill in its repository: a JSON array of names, null where the tree is not known.
ALTER TABLE skills ADD COLUMN installers TEXT NOT NULL DEFAULT 'null';

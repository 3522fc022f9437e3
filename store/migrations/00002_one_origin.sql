-- +goose Up

-- Whichever way a skill came, a fetch of its repository decides whether it lives.
ALTER TABLE skills DROP COLUMN via;

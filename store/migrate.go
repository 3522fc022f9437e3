package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the database to the newest schema. A newer one is refused untouched.
func migrate(ctx context.Context, db *sql.DB) error {
	version, latest, err := versions(ctx, db)
	if err != nil {
		return err
	}
	if version >= latest {
		return versionError(version, latest)
	}
	provider, err := provider(db)
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

// refuseNewer looks at the database at path, if there is one, before anything is written: to open it for writing
// would already switch its journal. Any other trouble is left for the writer to meet.
func refuseNewer(ctx context.Context, path string) error {
	db, err := connectReadOnly(ctx, path)
	if err != nil {
		return nil
	}
	if err := checkVersion(ctx, db); errors.Is(err, ErrNewer) {
		return errors.Join(err, db.Close())
	}
	return db.Close()
}

// checkVersion reports ErrNewer or ErrOlder for a schema that this program does not read, and ErrNoCorpus where
// there is none.
func checkVersion(ctx context.Context, db *sql.DB) error {
	version, latest, err := versions(ctx, db)
	if err != nil {
		return err
	}
	if version == 0 {
		return ErrNoCorpus
	}
	return versionError(version, latest)
}

func versionError(version, latest int64) error {
	switch {
	case version > latest:
		return fmt.Errorf("%w (schema %d, this program knows %d): install a newer skillcorpus", ErrNewer, version, latest)
	case version < latest:
		return fmt.Errorf("%w (schema %d, this program reads %d): run a writing command such as `skillcorpus parse` to migrate it", ErrOlder, version, latest)
	}
	return nil
}

func provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files)
}

// versions returns the database's schema version, 0 for a new file, and the newest one that is embedded.
func versions(ctx context.Context, db *sql.DB) (version, latest int64, err error) {
	provider, err := provider(db)
	if err != nil {
		return 0, 0, err
	}
	for _, source := range provider.ListSources() {
		latest = max(latest, source.Version)
	}
	var known bool
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE name = 'goose_db_version'`).Scan(&known); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	if !known {
		return 0, latest, nil
	}
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	if err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	return version, latest, nil
}

package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"skillcorpus/index/vector"
)

// Marks of the folders that a write leaves beside the index if it is killed.
const (
	tempMark = ".tmp-"
	oldMark  = ".old"
)

// writeFolder fills a temporary folder beside dir and puts it in dir's place when fill succeeds. An index
// that stood there is there until then, and stays if anything fails.
func writeFolder(dir string, fill func(temp string) error) (err error) {
	if err := Recover(dir); err != nil {
		return err
	}
	parent, name := filepath.Split(filepath.Clean(dir))
	if err := os.MkdirAll(filepath.Clean(parent+"."), 0o755); err != nil {
		return fmt.Errorf("make index folder: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Clean(parent+"."), "."+name+tempMark)
	if err != nil {
		return fmt.Errorf("make index folder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return fmt.Errorf("make index folder: %w", err)
	}
	if err := fill(temp); err != nil {
		return err
	}
	if err := syncAll(temp); err != nil {
		return fmt.Errorf("write index folder: %w", err)
	}
	return replace(dir, temp)
}

// replace puts temp in dir's place. Folders can't be renamed over one another, so the old one steps aside
// first; a kill between the two renames is mended by Recover.
func replace(dir, temp string) error {
	old := oldFolder(dir)
	err := os.Rename(dir, old)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("replace index: %w", err)
	}
	if err := os.Rename(temp, dir); err != nil {
		return errors.Join(fmt.Errorf("replace index: %w", err), Recover(dir))
	}
	if err := syncPath(filepath.Dir(filepath.Clean(dir))); err != nil {
		return fmt.Errorf("replace index: %w", err)
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove old index: %w", err)
	}
	return nil
}

func oldFolder(dir string) string {
	parent, name := filepath.Split(filepath.Clean(dir))
	return filepath.Join(parent, "."+name+oldMark)
}

// Recover removes what a killed write left beside dir, and puts the former index back where the write had
// already moved it aside. The one writer calls it at start-up; without leftovers it does nothing.
func Recover(dir string) error {
	parent, name := filepath.Split(filepath.Clean(dir))
	entries, err := os.ReadDir(filepath.Clean(parent + "."))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("recover index: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+tempMark) {
			if err := os.RemoveAll(filepath.Join(parent, e.Name())); err != nil {
				return fmt.Errorf("recover index: %w", err)
			}
		}
	}
	old := oldFolder(dir)
	if _, err := os.Stat(old); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := os.Rename(old, dir); err != nil {
			return fmt.Errorf("recover index: %w", err)
		}
		return nil
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("recover index: %w", err)
	}
	return nil
}

// describe returns the manifest's entry for a finished file.
func describe(dir string, kind ListKind, file string, count int) (List, error) {
	bytes, sum, err := checksum(filepath.Join(dir, file))
	if err != nil {
		return List{}, err
	}
	return List{Kind: kind, File: file, Bytes: bytes, SHA256: sum, Count: count}, nil
}

// writeManifest writes the manifest as the last file of a folder.
func writeManifest(dir string, m Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write index manifest: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write index manifest: %w", err)
	}
	return nil
}

// Verify reads every file of an index folder and compares it with the manifest. It returns ErrDamaged for
// the first that differs.
func Verify(ctx context.Context, dir string) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	if err := checkFiles(dir, m.Lists); err != nil {
		return err
	}
	for _, l := range m.Lists {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := checkSum(dir, l); err != nil {
			return err
		}
		if l.Kind == KindVector {
			rows, err := vector.Open(filepath.Join(dir, l.File), l.shape(), m.Skills+1)
			if err != nil {
				return asDamaged(dir, err)
			}
			if err := rows.Close(); err != nil {
				return fmt.Errorf("verify index: %w", err)
			}
		}
	}
	return nil
}

// checkSum reads a file of an index and compares its checksum.
func checkSum(dir string, l List) error {
	_, sum, err := checksum(filepath.Join(dir, l.File))
	if err != nil {
		return fmt.Errorf("check index: %w", err)
	}
	if sum != l.SHA256 {
		return damaged(dir, l.File+" has another checksum than the manifest says")
	}
	return nil
}

// checkFiles compares what is cheap to know: that each file is there and as long as the manifest says.
func checkFiles(dir string, lists []List) error {
	for _, l := range lists {
		info, err := os.Stat(filepath.Join(dir, l.File))
		switch {
		case errors.Is(err, os.ErrNotExist):
			return damaged(dir, l.File+" is missing")
		case err != nil:
			return fmt.Errorf("check index: %w", err)
		case !info.Mode().IsRegular():
			return damaged(dir, l.File+" is no file")
		case info.Size() != l.Bytes:
			return damaged(dir, fmt.Sprintf("%s has %d bytes, the manifest says %d", l.File, info.Size(), l.Bytes))
		}
	}
	return nil
}

func checksum(path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, "", fmt.Errorf("read %s: %w", path, err)
	}
	return n, hex.EncodeToString(sum.Sum(nil)), nil
}

// syncAll flushes the files of a folder and the folder itself to the disk.
func syncAll(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := syncPath(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return syncPath(dir)
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"skillcorpus/data"
)

// codec compresses blobs. Both halves are safe for concurrent use.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

func newCodec() (*codec, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	return &codec{encoder: encoder, decoder: decoder}, nil
}

// pack returns its result without the encoder's buffer, which is as large as the content: the blobs of a whole
// repository are held at once.
func (c *codec) pack(content []byte) []byte { return bytes.Clone(c.encoder.EncodeAll(content, nil)) }

func (c *codec) unpack(packed []byte) ([]byte, error) { return c.decoder.DecodeAll(packed, nil) }

// Blob is one file content, packed by Store.Pack and ready to be committed.
type Blob struct {
	SHA256 string
	Size   int
	zstd   []byte
}

// Pack compresses content on the caller's goroutine, so that the writer only copies bytes.
func (s *Store) Pack(content []byte) Blob {
	return Blob{SHA256: data.SHA256Hex(content), Size: len(content), zstd: s.codec.pack(content)}
}

// Unpack returns the content of a packed blob.
func (s *Store) Unpack(b Blob) ([]byte, error) { return s.codec.unpack(b.zstd) }

func putBlobs(ctx context.Context, tx *sql.Tx, blobs []Blob) error {
	insert, err := tx.PrepareContext(ctx, `INSERT INTO blobs (sha256, size, zstd) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, b := range blobs {
		if _, err := insert.ExecContext(ctx, b.SHA256, b.Size, b.zstd); err != nil {
			return fmt.Errorf("store blob %s: %w", b.SHA256, err)
		}
	}
	return nil
}

// Content returns the bytes with the given SHA-256, and false if the corpus does not keep them.
func (s *Store) Content(ctx context.Context, sha256 string) ([]byte, bool, error) {
	var packed []byte
	err := s.reader.QueryRowContext(ctx, `SELECT zstd FROM blobs WHERE sha256 = ?`, sha256).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read blob %s: %w", sha256, err)
	}
	content, err := s.codec.unpack(packed)
	if err != nil {
		return nil, false, fmt.Errorf("unpack blob %s: %w", sha256, err)
	}
	return content, true, nil
}

package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// lock is the writer's exclusive hold on a data folder. The kernel drops it with the process, however that ends.
type lock struct{ file *os.File }

// holder is what the lock file says of the process that holds it.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
}

// acquire takes the lock file at path, and asks again until wait is over.
func acquire(ctx context.Context, path, command string, wait time.Duration) (*lock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(wait)
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		if !time.Now().Before(deadline) {
			return nil, errors.Join(fmt.Errorf("%w: %s", ErrLocked, describe(file)), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(lockPoll):
		}
	}
	l := &lock{file: file}
	if err := l.sign(command); err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

// lockPoll is how often a held lock is asked for again.
const lockPoll = 50 * time.Millisecond

func (l *lock) sign(command string) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	text, err := json.Marshal(holder{PID: os.Getpid(), Host: host, Command: command, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(text, '\n'), 0)
	return err
}

func describe(file *os.File) string {
	var h holder
	text, err := io.ReadAll(io.LimitReader(io.NewSectionReader(file, 0, 4096), 4096))
	if err != nil || json.Unmarshal(text, &h) != nil {
		return "the holder has not signed yet"
	}
	return fmt.Sprintf("%q, process %d on %s, since %s", h.Command, h.PID, h.Host, h.Since.Format(time.RFC3339))
}

func (l *lock) release() error { return l.file.Close() }
